import { randomBytes } from 'node:crypto';
import { PaymentRequiredV1Schema, PaymentRequiredV2Schema } from '@x402/core/schemas';
import { EVM_NETWORK_CHAIN_ID_MAP } from '@x402/evm/v1';
import fc from 'fast-check';
import { getAddress } from 'viem';
import { expect, it } from 'vitest';
import { evmOption, gatedResult, required, requiredV1, solanaOption } from '../../fixtures/payments.ts';
import { send, serveScript } from '../../fixtures/scripted-server.ts';
import { serveSdk2 } from '../../fixtures/sdk-servers.ts';
import { start } from '../start.ts';
import { checksumOf, isSolanaAddress } from './check-address.ts';
import { checkPayment } from './check-payment.ts';
import { caip2Of } from './network-id.ts';

it('checksums are those of viem', () => {
  for (let round = 0; round < 200; round++) {
    const address = `0x${randomBytes(20).toString('hex')}` as const;
    expect(checksumOf(getAddress(address))).toBe('right');
    const swapped = getAddress(address).replace(/[a-f]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    expect(checksumOf(swapped)).not.toBe('right');
  }
});

it('valid requirements match the schemas of x402', () => {
  for (const payment of [required(), required({ accepts: [evmOption(), solanaOption()] })]) {
    expect(PaymentRequiredV2Schema.safeParse(payment).success).toBe(true);
    expect(checkPayment(payment, 'here').findings).toEqual([]);
  }
  expect(PaymentRequiredV1Schema.safeParse(requiredV1()).success).toBe(true);
  expect(checkPayment(requiredV1(), 'here').findings.map(({ code }) => code)).toEqual(['PAY-013']);
});

it('knows the names that networks have in version 1', () => {
  for (const [name, chain] of Object.entries(EVM_NETWORK_CHAIN_ID_MAP)) {
    expect(caip2Of(name, 1)).toBe(`eip155:${chain}`);
  }
});

it.each([
  ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', true],
  ['11111111111111111111111111111111', true],
  ['4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofL', false],
  ['JJEfe6DcPM2ziB2vfUWDV6aHVerXRGkv3TcyvJUNGHZz', false],
  ['0PjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', false],
  ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', false],
])('%s is a Solana address: %s', (text, expected) => {
  expect(isSolanaAddress(text)).toBe(expected);
});

it('any JSON is checked without an exception, and only objects can be valid', () => {
  const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  fc.assert(
    fc.property(json, json, (value, option) => {
      checkPayment({ x402Version: 2, resource: value, accepts: [option, { ...evmOption(), extra: value }] }, 'here');
      if (typeof value !== 'object') expect(checkPayment(value, 'here').findings).toHaveLength(1);
    }),
  );
});

const codesOf = (payment: unknown): string[] => checkPayment(payment, 'here').findings.map(({ code }) => code);

it.each<[name: string, code: string, payment: unknown]>([
  ['version 1 without a resource', 'PAY-019', requiredV1({ resource: undefined })],
  ['version 1 without a description', 'PAY-019', requiredV1({ description: undefined })],
  ['version 1 with a relative resource', 'PAY-023', requiredV1({ resource: 'rel' })],
  ['version 2 with a string as resource', 'PAY-019', required({ resource: 'https://example.com/' })],
  ['a receiver of zeros on Solana', 'PAY-082', required({ accepts: [solanaOption({ payTo: '1'.repeat(32) })] })],
  ['an asset of zeros', 'PAY-072', required({ accepts: [evmOption({ asset: `0x${'0'.repeat(40)}` })] })],
  ['an amount of 100 digits', 'PAY-064', required({ accepts: [evmOption({ amount: '9'.repeat(100) })] })],
  ['an amount beyond 256 bits', 'PAY-064', required({ accepts: [evmOption({ amount: String(2n ** 256n) })] })],
  ['an amount with leading zeros', 'PAY-064', required({ accepts: [evmOption({ amount: '007' })] })],
])('finds %s wrong', (_, code, payment) => {
  expect(codesOf(payment).filter((found) => found !== 'PAY-013')).toEqual([code]);
});

it('reports each payment option that is not an object', () => {
  expect(codesOf(required({ accepts: [null, 5] }))).toEqual(['PAY-031', 'PAY-031']);
});

it('no payment option is valid if the requirement itself is invalid', () => {
  for (const wrong of [{ x402Version: 3 }, { resource: {} }]) {
    expect(checkPayment(required(wrong), 'here').options.map(({ isValid }) => isValid)).toEqual([false]);
  }
});

it('reports requirements that are too large', async () => {
  const accepts = Array.from({ length: 20_000 }, () => null);
  const { endpoint } = await serveSdk2({ call: () => gatedResult(required({ accepts })) });
  expect((await start({ endpoint })).messages.join()).toContain('too large');
});

const text = (payment: unknown) => [{ type: 'text', text: JSON.stringify(payment) }];
const cheap = required({ accepts: [evmOption({ amount: '1' })] });

it.each<[name: string, severity: string, says: string, result: Record<string, unknown>]>([
  [
    'in text and structured content',
    'WARNING',
    'different requirements',
    { structuredContent: required(), content: text(cheap) },
  ],
  [
    'in the structured content alone',
    'INFO',
    'Only `structuredContent`',
    { structuredContent: required(), content: [] },
  ],
])('a requirement that does not stand alike %s is told', async (_, severity, says, result) => {
  const { endpoint } = await serveScript({ 'tools/call': { isError: true, ...result } });
  const { findings } = await start({ endpoint });
  expect(findings).toMatchObject([
    { code: 'PRB-007' },
    { code: 'PAY-034', severity, text: expect.stringContaining(says) },
  ]);
});

it.each([
  [required(), ['PRB-008', 'PAY-034']],
  ['', ['PRB-008', 'PAY-001', 'PAY-034']],
])('a header that nobody can read is told beside the body %j', async (body, expected) => {
  const { endpoint } = await serveScript({
    'tools/call': ({ response }) => send(response, 402, body, { 'payment-required': '!!!' }),
  });
  const { findings } = await start({ endpoint });
  expect(findings.map(({ code }) => code)).toEqual(expected);
  expect(findings.at(-1)?.text).toContain('PAYMENT-REQUIRED header is not JSON in base64');
});

it.each([
  ['eip155:8453', '`eip155:8453` is a version 2 id; version 1 writes `base`'],
  ['mynet', '`mynet` is not a known network; version 1 has names, such as `base`'],
])('version 1 does not have the network %s', (network, text) => {
  const { findings, options } = checkPayment(requiredV1({ network }), 'here');
  expect(findings).toContainEqual(expect.objectContaining({ code: 'PAY-052', severity: 'ERROR', text }));
  expect(options[0]?.isValid).toBe(false);
});
