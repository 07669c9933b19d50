import { isObject } from '@schemakit/core/internal';

/** How a server is paid: what `paymentGate` and `payment` of `AgentToolsServer.create` share. */
export interface PaymentSettings {
  /** The service that checks payments and carries them out, by the HTTP API of x402. */
  facilitator: FacilitatorSettings;
  /** Who is paid: an address, or one for each network. */
  payTo: string | Readonly<Record<string, string>>;
  /** The network of prices that name none, as CAIP-2 has it: `eip155:8453` is Base. */
  network: string;
  /** Status of a refused call. Default 402. MCP clients hand the price to their program at 200 only. */
  status?: 200 | 402;
}

export interface FacilitatorSettings {
  url: string;
  /** For each request, in milliseconds. Default 30,000. */
  timeoutMs?: number;
  /** Headers of each request, such as an API key, or a function that makes them for each request. They are never logged. */
  headers?:
    | Readonly<Record<string, string>>
    | ((request: 'supported' | 'verify' | 'settle') => FacilitatorHeaders | Promise<FacilitatorHeaders>);
}

type FacilitatorHeaders = Readonly<Record<string, string>> | undefined;

/** A price in the usual stablecoin of the network (`'$0.01'`), in a token, or an array of these for several networks. */
export type Price = string | TokenPrice | readonly (string | TokenPrice)[];

export interface TokenPrice {
  /** In the smallest units of the token: `'10000'` of USDC is 0.01 dollars. */
  amount: string;
  /** The address of the token. */
  asset: string;
  /** Default: that of the settings. */
  network?: string;
  /** Name and version of the token's contract, which clients sign; only for tokens that x402 does not know. */
  extra?: { name: string; version: string };
}

const networkPattern = /^(?:eip155:\d+|solana:[1-9A-HJ-NP-Za-km-z]{32})$/;

/** Why payment settings cannot be used, with the place. */
export function paymentProblems(settings: unknown): [path: string, problem: string][] {
  if (!isObject(settings)) return [['', 'must be an object: { facilitator: { url }, payTo, network }']];
  const { facilitator, payTo, network, status = 402 } = settings;
  const { url, timeoutMs = 1, headers = {} } = Object(facilitator) as Record<string, unknown>;
  const addresses = isObject(payTo) ? Object.entries(payTo) : [[network, payTo]];
  return brokenRules([
    [isWeb(url), '.facilitator.url', 'must be an http or https address'],
    [
      Number.isSafeInteger(timeoutMs) && Number(timeoutMs) >= 1,
      '.facilitator.timeoutMs',
      'must be a whole number from 1',
    ],
    [
      typeof headers === 'function' || areHeaders(headers),
      '.facilitator.headers',
      'must be an object of texts by the names of headers, or a function that returns one',
    ],
    [status === 200 || status === 402, '.status', 'must be 200 or 402'],
    [isNetwork(network), '.network', "must be a network of CAIP-2, such as 'eip155:8453' (Base)"],
    [
      addresses.length > 0 && addresses.every(([on, address]) => !isNetwork(on) || isAddress(address, String(on))),
      '.payTo',
      'must be an address of the network, or an object with one for each network',
    ],
  ]);
}

/** Paths and problems of the rules that something does not fit. */
export function brokenRules(
  rules: readonly (readonly [fits: boolean, path: string, problem: string])[],
): [string, string][] {
  return rules.flatMap(([fits, path, problem]) => (fits ? [] : [[path, problem]]));
}

export function isPrice(price: unknown): boolean {
  const prices: unknown[] = Array.isArray(price) ? price : [price];
  return prices.length > 0 && prices.every((each) => (typeof each === 'string' ? isMoney(each) : isTokenPrice(each)));
}

/** What `isPrice` expects, for messages. */
export const expectedPrice =
  "a price such as '$0.01', from '$0.000001', or { amount: '10000', asset: '0x…', network: 'eip155:8453' }, or an array of them";

function isMoney(price: string): boolean {
  // The usual stablecoins have six decimals: less would be sold for nothing.
  return /^\$?\d+(?:\.\d+)?$/.test(price) && Number(price.replace('$', '')) >= 0.000001;
}

function isTokenPrice(price: unknown): boolean {
  const { amount, asset, network } = Object(price) as Record<string, unknown>;
  const isPlaced = network === undefined || isNetwork(network);
  return (
    typeof amount === 'string' && /^[1-9]\d*$/.test(amount) && typeof asset === 'string' && asset !== '' && isPlaced
  );
}

export function isAddress(address: unknown, network: string): address is string {
  const pattern = network.startsWith('solana:') ? /^[1-9A-HJ-NP-Za-km-z]{32,44}$/ : /^0x[0-9a-fA-F]{40}$/;
  return typeof address === 'string' && pattern.test(address);
}

function isNetwork(network: unknown): boolean {
  return typeof network === 'string' && networkPattern.test(network);
}

function areHeaders(headers: unknown): boolean {
  if (!isObject(headers) || !Object.values(headers).every((value) => typeof value === 'string')) return false;
  try {
    return new Headers(headers as Record<string, string>) !== undefined;
  } catch {
    return false;
  }
}

function isWeb(url: unknown): boolean {
  return typeof url === 'string' && /^https?:$/.test(URL.parse(url)?.protocol ?? '');
}
