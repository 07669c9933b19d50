/** The contracts of ERC-8004 on a chain. */
export interface Registries {
  identity: `0x${string}`;
  reputation: `0x${string}`;
  validation: `0x${string}`;
}

const OF_MAINNETS: Registries = {
  identity: '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432',
  reputation: '0x8004BAa17C55a88189AE136b182e5fdA19dE9b63',
  validation: '0x8004Cc8439f36fd5F9F049D9fF86523Df6dAAB58',
};

const OF_TESTNETS: Registries = {
  identity: '0x8004A818BFB912233c491871b3d84c89A494BD9e',
  reputation: '0x8004B663056A597Dffe9eCcC1965A193B7388713',
  validation: '0x8004Cb1BF31DAf7788923b405b754f57acEB4272',
};

const MAINNETS: ReadonlySet<number> = new Set([
  1, 10, 56, 100, 137, 143, 196, 295, 360, 1088, 1868, 1776, 2345, 2741, 4326, 4663, 5000, 8453, 16661, 42161, 42220,
  43114, 59144, 167000, 534352, 1187947933,
]);

/** 31337 is a local chain. */
const TESTNETS: ReadonlySet<number> = new Set([
  97, 296, 1952, 5003, 6343, 10143, 10200, 11011, 11124, 31337, 43113, 48816, 59141, 59902, 80002, 84532, 167013,
  421614, 534351, 5042002, 11142220, 11155111, 11155420, 324705682,
]);

const ALIASES: Readonly<Record<string, number>> = {
  ETHEREUM_MAINNET: 1,
  OPTIMISM_MAINNET: 10,
  BNB_MAINNET: 56,
  GNOSIS_MAINNET: 100,
  POLYGON_MAINNET: 137,
  MONAD_MAINNET: 143,
  XLAYER_MAINNET: 196,
  BASE_MAINNET: 8453,
  ARBITRUM_MAINNET: 42161,
  CELO_MAINNET: 42220,
  AVALANCHE_MAINNET: 43114,
  LINEA_MAINNET: 59144,
  TAIKO_MAINNET: 167000,
  SCROLL_MAINNET: 534352,
  SEPOLIA_TESTNET: 11155111,
  BASE_SEPOLIA_TESTNET: 84532,
};

/** Names of chains, for `rpcNodes` and `chainId`. Other chains are named by their id. */
export const chainAliases: readonly string[] = Object.keys(ALIASES);

/** The id of a chain, given as a number, as `eip155:8453`, or by its alias: `BASE_MAINNET`, or `base` for short. */
export function chainIdOf(given: unknown): number | undefined {
  const text = typeof given === 'number' || typeof given === 'string' ? String(given).trim() : '';
  const [, digits] = /^(?:eip155:)?([1-9]\d{0,14})$/.exec(text) ?? [];
  if (digits !== undefined) return Number(digits);
  const name = text.toUpperCase().replaceAll('-', '_');
  const alias = [name, `${name}_MAINNET`, `${name}_TESTNET`].find((known) => Object.hasOwn(ALIASES, known));
  return alias === undefined ? undefined : ALIASES[alias];
}

export function aliasOf(chainId: number): string | null {
  return Object.entries(ALIASES).find(([, id]) => id === chainId)?.[0] ?? null;
}

export function registriesOf(chainId: number): Registries | undefined {
  if (MAINNETS.has(chainId)) return OF_MAINNETS;
  return TESTNETS.has(chainId) ? OF_TESTNETS : undefined;
}
