import { DEFAULT_ASSETS as evmAssets } from '@x402/evm';
import { DEFAULT_ASSETS as solanaAssets } from '@x402/svm';
import { describe, expect, it, test } from 'vitest';
import { base, mint, receiver, solana, usdc } from '../../fixtures/payments.ts';
import type { PaymentOption } from '../snapshot/x402-entry.ts';
import { knownToken } from './known-tokens.ts';
import { priceOf } from './price.ts';

const option: PaymentOption = {
  toolName: 'one',
  scheme: 'exact',
  network: base,
  caip2: base,
  amount: '10000',
  asset: usdc,
  payTo: receiver,
  maxTimeoutSeconds: 60,
  extra: {},
  isValid: true,
};

test.each<[Partial<PaymentOption>, string]>([
  [{}, '0.01 USDC on Base'],
  [{ amount: '1' }, '0.000001 USDC on Base'],
  [{ amount: '1000000' }, '1 USDC on Base'],
  [{ amount: '1230000000' }, '1,230 USDC on Base'],
  [{ amount: '1234567000001' }, '1,234,567.000001 USDC on Base'],
  [{ amount: '0' }, '0 USDC on Base'],
  [{ asset: usdc.toLowerCase() }, '0.01 USDC on Base'],
  [{ caip2: solana, asset: mint }, '0.01 USDC on Solana'],
  [{ caip2: solana, asset: mint.toLowerCase() }, `10,000 atomic units of ${mint.toLowerCase()} on ${solana}`],
  [{ amount: '1.5' }, 'a price that cannot be read'],
  [{ asset: receiver }, `10,000 atomic units of ${receiver} on ${base}`],
  [{ asset: null, amount: { a: 1 }, caip2: null }, 'a price that cannot be read'],
])('%j costs %s', (changes, text) => {
  expect(priceOf({ ...option, ...changes })).toMatchObject({ toolName: 'one', text });
});

describe('the tokens', () => {
  /** Chains that have no name in our table. */
  const unnamed = new Set(['eip155:36900', 'eip155:190415', 'eip155:181228', 'eip155:38833']);
  const all = Object.entries({ ...evmAssets, ...solanaAssets }).flatMap(([caip2, assets]) =>
    assets.map(({ asset, symbol, decimals }) => ({ caip2, asset, symbol, decimals })),
  );

  it.each(all.filter(({ caip2 }) => !unnamed.has(caip2)))('$symbol on $caip2 is as x402 has it', (row) => {
    expect(knownToken(row.caip2, row.asset)).toMatchObject({ symbol: row.symbol, decimals: row.decimals });
  });
});
