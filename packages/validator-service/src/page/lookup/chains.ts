/** Chains with registries of ERC-8004 that people use most. Others are named by their id. */
export const chains: readonly (readonly [id: number, name: string])[] = [
  [8453, 'Base'],
  [1, 'Ethereum'],
  [42161, 'Arbitrum'],
  [43114, 'Avalanche'],
  [56, 'BNB Chain'],
  [42220, 'Celo'],
  [100, 'Gnosis'],
  [59144, 'Linea'],
  [143, 'Monad'],
  [10, 'Optimism'],
  [137, 'Polygon'],
  [534352, 'Scroll'],
  [167000, 'Taiko'],
  [196, 'X Layer'],
  [11155111, 'Sepolia (test)'],
  [84532, 'Base Sepolia (test)'],
];

export function chainName(id: number): string {
  return chains.find(([known]) => known === id)?.[1] ?? `eip155:${id}`;
}
