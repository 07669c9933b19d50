/** Network families whose addresses can be checked. */
export type NetworkFamily = 'eip155' | 'solana';

/** The names of x402 version 1 as CAIP-2 ids. */
const VERSION_1: ReadonlyMap<string, string> = new Map([
  ['ethereum', 'eip155:1'],
  ['sepolia', 'eip155:11155111'],
  ['base', 'eip155:8453'],
  ['base-sepolia', 'eip155:84532'],
  ['avalanche', 'eip155:43114'],
  ['avalanche-fuji', 'eip155:43113'],
  ['polygon', 'eip155:137'],
  ['polygon-amoy', 'eip155:80002'],
  ['sei', 'eip155:1329'],
  ['sei-testnet', 'eip155:1328'],
  ['abstract', 'eip155:2741'],
  ['abstract-testnet', 'eip155:11124'],
  ['iotex', 'eip155:4689'],
  ['peaq', 'eip155:3338'],
  ['story', 'eip155:1514'],
  ['educhain', 'eip155:41923'],
  ['skale-base-sepolia', 'eip155:324705682'],
  ['megaeth', 'eip155:4326'],
  ['monad', 'eip155:143'],
  ['stable', 'eip155:988'],
  ['stable-testnet', 'eip155:2201'],
  ['celo', 'eip155:42220'],
  ['flare', 'eip155:14'],
  ['solana', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
  ['solana-devnet', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'],
]);

const CAIP_2 = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/;

/** The CAIP-2 id of a network; translates names of version 1. */
export function caip2Of(network: string, version: unknown): string {
  return version === 1 ? (VERSION_1.get(network) ?? network) : network;
}

export function nameOf(caip2: string): string | undefined {
  return [...VERSION_1].find(([, id]) => id === caip2)?.[0];
}

/** The family of a CAIP-2 id, if supported. */
export function familyOf(caip2: string): NetworkFamily | undefined {
  if (caip2.startsWith('eip155:')) return 'eip155';
  return caip2.startsWith('solana:') ? 'solana' : undefined;
}

export function isCaip2(text: string): boolean {
  return CAIP_2.test(text);
}

/** Whether a reference is a valid chain id of the family; for Solana, the first 32 characters of the genesis hash. */
export function isChainReference(reference: string, family: NetworkFamily): boolean {
  return family === 'eip155' ? /^[1-9]\d{0,31}$/.test(reference) : /^[1-9A-HJ-NP-Za-km-z]{32}$/.test(reference);
}
