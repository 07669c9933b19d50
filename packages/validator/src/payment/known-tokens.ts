/** A token whose amounts can be told in words. */
export interface KnownToken {
  symbol: string;
  decimals: number;
  /** The chain in words. */
  chain: string;
}

type Row = readonly [caip2: string, chain: string, tokens: Readonly<Record<string, readonly [string, number]>>];

const USDC = ['USDC', 6] as const;

/** Devnet and testnet of Solana have the same tokens. */
const SOLANA_TEST = {
  '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU': USDC,
  '4F6PM96JJxngmHnZLBh9n58RH4aTVNWvDs2nuwrT5BP7': ['USDG', 6],
  CXk2AMBfi3TwaEL2468s6zP8xq9NxTXjp9gjMgzeUynM: ['PYUSD', 6],
} as const;

/** Stablecoins by chain: the default assets of `@x402/evm` and `@x402/svm` 2.27, and those of Circle (developers.circle.com/stablecoins/usdc-contract-addresses). */
const rows: readonly Row[] = [
  [
    'eip155:1',
    'Ethereum',
    {
      '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48': USDC,
      '0xdAC17F958D2ee523a2206206994597C13D831ec7': ['USDT', 6],
    },
  ],
  ['eip155:11155111', 'Ethereum Sepolia', { '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238': USDC }],
  ['eip155:10', 'OP Mainnet', { '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85': USDC }],
  [
    'eip155:8453',
    'Base',
    {
      '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913': USDC,
      '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42': ['EURC', 6],
    },
  ],
  ['eip155:84532', 'Base Sepolia', { '0x036CbD53842c5426634e7929541eC2318f3dCF7e': USDC }],
  ['eip155:137', 'Polygon', { '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359': USDC }],
  ['eip155:80002', 'Polygon Amoy', { '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582': USDC }],
  ['eip155:42161', 'Arbitrum One', { '0xaf88d065e77c8cC2239327C5EDb3A432268e5831': USDC }],
  ['eip155:421614', 'Arbitrum Sepolia', { '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d': USDC }],
  ['eip155:43114', 'Avalanche', { '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E': USDC }],
  ['eip155:43113', 'Avalanche Fuji', { '0x5425890298aed601595a70AB815c96711a31Bc65': USDC }],
  ['eip155:143', 'Monad', { '0x754704Bc059F8C67012fEd69BC8A327a5aafb603': USDC }],
  ['eip155:4326', 'MegaETH', { '0xFAfDdbb3FC7688494971a79cc65DCa3EF82079E7': ['MegaUSD', 18] }],
  ['eip155:988', 'Stable', { '0x779Ded0c9e1022225f8E0630b35a9b54bE713736': ['USDT0', 6] }],
  ['eip155:2201', 'Stable Testnet', { '0x78Cf24370174180738C5B8E352B6D14c83a6c9A9': ['USDT0', 6] }],
  ['eip155:31612', 'Mezo', { '0xdD468A1DDc392dcdbEf6db6e34E89AA338F9F186': ['mUSD', 18] }],
  ['eip155:31611', 'Mezo Testnet', { '0x118917a40FAF1CD7a13dB0Ef56C86De7973Ac503': ['mUSD', 18] }],
  ['eip155:723487', 'Radius', { '0x33ad9e4BD16B69B5BFdED37D8B5D9fF9aba014Fb': ['SBC', 6] }],
  ['eip155:72344', 'Radius Testnet', { '0x33ad9e4BD16B69B5BFdED37D8B5D9fF9aba014Fb': ['SBC', 6] }],
  ['eip155:50', 'XDC', { '0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1': USDC }],
  ['eip155:51', 'XDC Apothem', { '0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4': USDC }],
  ['eip155:14', 'Flare', { '0xe7cd86e13AC4309349F30B3435a9d337750fC82D': ['USDT0', 6] }],
  [
    'eip155:42220',
    'Celo',
    {
      '0xcebA9300f2b948710d2653dD7B07f33A8B32118C': USDC,
      '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e': ['USDT', 6],
      '0xD2ab3C9A02DBBAB236BfEC45D1d755DF4267F771': ['USAT', 6],
    },
  ],
  ['eip155:11142220', 'Celo Sepolia', { '0x01C5C0122039549AD1493B8220cABEdD739BC44E': USDC }],
  ['eip155:1329', 'Sei', { '0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392': USDC }],
  ['eip155:1328', 'Sei Testnet', { '0x4fCF1784B31630811181f670Aea7A7bEF803eaED': USDC }],
  [
    'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    'Solana',
    {
      EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: USDC,
      Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB: ['USDT', 6],
      '2u1tszSeqZ3qBWF3uNGPFc8TzMk2tdiwknnRMWGWjGWH': ['USDG', 6],
      '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo': ['PYUSD', 6],
      CASHx9KJUStyftLFWGvEVf59SGeG9sh5FfcnZMVPCASH: ['CASH', 6],
    },
  ],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'Solana Devnet', SOLANA_TEST],
  ['solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z', 'Solana Testnet', SOLANA_TEST],
];

const tokens: ReadonlyMap<string, KnownToken> = new Map(
  rows.flatMap(([caip2, chain, byAddress]) =>
    Object.entries(byAddress).map(
      ([address, [symbol, decimals]]) => [keyOf(caip2, address), { symbol, decimals, chain }] as const,
    ),
  ),
);

/** The token at an address of a chain, if it is a well-known stablecoin. */
export function knownToken(caip2: string, asset: string): KnownToken | undefined {
  return tokens.get(keyOf(caip2, asset));
}

/** What is at this address on another chain, such as `USDC on Base`. */
export function tokenElsewhere(caip2: string, asset: string): string | undefined {
  if (knownToken(caip2, asset) !== undefined) return undefined;
  const [other] = rows.flatMap(([id]) => knownToken(id, asset) ?? []);
  return other && `${other.symbol} on ${other.chain}`;
}

/** EVM addresses are equal in any case. */
function keyOf(caip2: string, asset: string): string {
  return `${caip2} ${caip2.startsWith('eip155:') ? asset.toLowerCase() : asset}`;
}
