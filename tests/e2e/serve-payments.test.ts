import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServerValidator } from '@schemakit/validator';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, onTestFinished, test } from 'vitest';
import {
  network,
  openFacilitatorDouble,
  payTo,
} from '../../packages/agent-server/src/payment/fixtures/facilitator-double.ts';
import { runCommand } from './support/command.ts';
import { connect, folderOf, serve } from './support/served.ts';
import { startUpstream } from './support/upstream.ts';

const tea = { namespace: 'tea' };
const flags = (facilitator: string) => [
  ...['--price', 'tea_getThing=$0.01', '--pay-to', payTo],
  ...['--network', network, '--facilitator', facilitator],
];

async function servePaid() {
  const facilitator = await openFacilitatorDouble();
  onTestFinished(facilitator.close);
  const upstream = await startUpstream(() => ({ body: { hot: true } }));
  const folder = await folderOf({ 'tea.mjs': { ...tea, root: upstream.origin } });
  const { url } = await serve([folder, ...flags(facilitator.url)]);
  return { url, facilitator };
}

test('a tool with a price is answered to clients that pay', async () => {
  const { url, facilitator } = await servePaid();
  const account = privateKeyToAccount(`0x${'1'.repeat(64)}`);
  const fetch = wrapFetchWithPayment(
    globalThis.fetch,
    new x402Client().register('eip155:*', new ExactEvmScheme(account)),
  );
  const client = new Client({ name: 'payer', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }));
  const { content, _meta } = await client.callTool({ name: 'tea__getThing', arguments: {} });
  expect([content, _meta?.['x402/payment-response']]).toMatchObject([[{ text: '{"hot":true}' }], { success: true }]);
  expect(facilitator.count('settle')).toBe(1);
  const poor = await connect(url);
  await expect(poor.callTool({ name: 'tea__getThing', arguments: {} })).rejects.toThrow('402');
});

test('an inspection of the server finds its price, and no error', async () => {
  const { url, facilitator } = await servePaid();
  const inspected = await McpServerValidator.start({ endpoint: url, probe: 'all' });
  const { status, findings, categories, entries } = inspected;
  expect(findings.filter(({ severity }) => severity === 'ERROR')).toEqual([]);
  expect(findings.map(({ code }) => code)).toEqual(['PRB-008']);
  expect(status).toBe(true);
  expect(categories).toMatchObject({ supportsX402: true, hasValidPaymentRequirements: true, supportsEvm: true });
  expect(entries.x402.paymentOptions).toMatchObject([{ toolName: 'tea__getThing', amount: '10000', isValid: true }]);
  expect(facilitator.count('verify')).toBe(0);
});

test.each<[string, readonly string[], string]>([
  ['a price alone', ['--price', 'tea_getThing=$1'], 'need each other'],
  ['an address alone', ['--pay-to', payTo], 'need each other'],
  ['no price', [...flags('http://localhost'), '--price', 'tea_getThing'], 'has no price'],
  ['a price that is none', [...flags('http://localhost'), '--price', 'tea_getThing=free'], 'must be a price'],
  ['an unknown tool', [...flags('http://localhost'), '--price', 'tea_getThin=$1'], 'Did you mean tea_getThing?'],
  ['tools that are called by another', [...flags('http://localhost'), '--discovery', 'search'], 'exclude each other'],
])('serve refuses %s', async (_, args, text) => {
  const cwd = await folderOf({ 'tea.mjs': tea });
  const { status, json } = runCommand(['serve', '.', ...args], { cwd });
  expect([status, JSON.stringify(json)]).toEqual([2, expect.stringContaining(text)]);
});
