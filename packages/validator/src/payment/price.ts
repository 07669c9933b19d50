import { plainText } from '../findings/plain-text.ts';
import type { PaymentOption } from '../snapshot/x402-entry.ts';
import { knownToken } from './known-tokens.ts';

/** What a payment option costs. */
export interface Price {
  /** The tool; `(endpoint)` or `(GET)` if the URL itself requires payment. */
  toolName: string;
  /** Such as `0.01 USDC on Base`. Amounts of unknown tokens are in atomic units. */
  text: string;
  /** In whole tokens. Null for unknown tokens. */
  amount: string | null;
  /** Null for unknown tokens. */
  symbol: string | null;
}

/** The price of a payment option in words. */
export function priceOf({ toolName, caip2, asset, amount }: PaymentOption): Price {
  const token = caip2 !== null && typeof asset === 'string' ? knownToken(caip2, asset) : undefined;
  if (token === undefined || typeof amount !== 'string' || !/^\d{1,78}$/.test(amount)) {
    const [units, address, chain] = [amount, asset, caip2].map(shown);
    return { toolName, text: `${units} atomic units of ${address} on ${chain}`, amount: null, symbol: null };
  }
  const whole = inTokens(amount, token.decimals);
  return { toolName, text: `${whole} ${token.symbol} on ${token.chain}`, amount: whole, symbol: token.symbol };
}

function inTokens(units: string, decimals: number): string {
  const digits = units.replace(/^0+/, '').padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return `${digits.slice(0, -decimals)}${fraction === '' ? '' : `.${fraction}`}`;
}

function shown(value: unknown): string {
  return value === null ? 'nothing' : plainText(typeof value === 'string' ? value : JSON.stringify(value), 80);
}
