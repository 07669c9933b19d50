import { plainText } from '../findings/plain-text.ts';
import type { PaymentOption } from '../snapshot/x402-entry.ts';
import { knownToken } from './known-tokens.ts';

/** What a payment option costs. */
export interface Price {
  /** The tool; `(endpoint)` or `(GET)` if the URL itself requires payment. */
  toolName: string;
  /** Such as `1,000.01 USDC on Base`. Amounts of unknown tokens are in atomic units. */
  text: string;
  /** In whole tokens. Null for unknown tokens. */
  amount: string | null;
  /** Null for unknown tokens. */
  symbol: string | null;
}

/** The price of a payment option in words. */
export function priceOf({ toolName, caip2, asset, amount }: PaymentOption): Price {
  const isAmount = typeof amount === 'string' && /^\d{1,78}$/.test(amount);
  if (!isAmount || caip2 === null || typeof asset !== 'string')
    return { toolName, text: 'a price that cannot be read', amount: null, symbol: null };
  const token = knownToken(caip2, asset);
  if (token === undefined) {
    const [address, chain] = [asset, caip2].map((text) => plainText(text, 80));
    const text = `${grouped(amount)} atomic units of ${address} on ${chain}`;
    return { toolName, text, amount: null, symbol: null };
  }
  const whole = inTokens(amount, token.decimals);
  return { toolName, text: `${grouped(whole)} ${token.symbol} on ${token.chain}`, amount: whole, symbol: token.symbol };
}

/** A price of billions must not look like one of millions. */
function grouped(amount: string): string {
  const [whole = '', ...fraction] = amount.split('.');
  return [whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','), ...fraction].join('.');
}

function inTokens(units: string, decimals: number): string {
  const digits = units.replace(/^0+/, '').padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return `${digits.slice(0, -decimals)}${fraction === '' ? '' : `.${fraction}`}`;
}
