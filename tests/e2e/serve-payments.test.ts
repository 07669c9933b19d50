import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
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
import { callOf, payFor } from '../../packages/agent-server/src/payment/fixtures/paid-server.ts';
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

test('receipts survive a restart, and the facilitator gets its key', async () => {
  const facilitator = await openFacilitatorDouble();
  onTestFinished(facilitator.close);
  let calls = 0;
  const upstream = await startUpstream(() => ({ body: { calls: ++calls } }));
  const folder = await folderOf({ 'tea.mjs': { ...tea, root: upstream.origin } });
  const tasks = ['--tasks', `sqlite:${join(folder, 'receipts.db')}`];
  const env = { X402_FACILITATOR_HEADERS: '{"x-api-key":"the-key"}' };
  const answers: unknown[] = [];
  let payment: Record<string, string> | undefined;
  for (const _ of [1, 2]) {
    const { url, child } = await serve([join(folder, 'tea.mjs'), ...flags(facilitator.url), ...tasks], env);
    payment ??= (await payFor(url, callOf({}, { name: 'tea__getThing' }))).header;
    const client = new Client({ name: 'payer', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: payment } }));
    answers.push((await client.callTool({ name: 'tea__getThing', arguments: {} })).content);
    child.kill('SIGKILL');
    await client.close();
  }
  expect(answers).toEqual([[{ type: 'text', text: '{"calls":1}' }], [{ type: 'text', text: '{"calls":1}' }]]);
  expect(facilitator.count('settle')).toBe(1);
  expect(new Set(facilitator.asked.map(({ headers }) => headers['x-api-key']))).toEqual(new Set(['the-key']));
  const wrong = { X402_FACILITATOR_HEADERS: 'the-key' };
  const refused = runCommand(['serve', 'tea.mjs', ...flags('http://localhost')], { cwd: folder, env: wrong });
  expect(JSON.stringify(refused.json)).toMatch(/X402_FACILITATOR_HEADERS is not a JSON object(?!.*the-key)/);
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

test('serve refuses a network that the facilitator does not have', async () => {
  const facilitator = await openFacilitatorDouble();
  onTestFinished(facilitator.close);
  const cwd = await folderOf({ 'tea.mjs': tea });
  const args = flags(facilitator.url).with(5, 'eip155:10');
  const child = spawn(process.execPath, [resolve('packages/cli/bin/schemakit.js'), 'serve', '.', ...args], { cwd });
  const [output] = await Promise.all([textOf(child.stdout), once(child, 'exit')]);
  expect([child.exitCode, output]).toEqual([2, expect.stringContaining('no payments on eip155:10')]);
});

test.each<[string, readonly string[], string]>([
  ['a price alone', ['--price', 'tea_getThing=$1'], 'need each other'],
  ['an address alone', ['--pay-to', payTo], 'need each other'],
  ['two prices', [...flags('http://localhost'), '--price', 'tea__getThing=$1'], 'twice'],
  ['a store that is none', [...flags('http://localhost'), '--tasks', 'mysql://localhost'], 'mysql: URL'],
  ['no price', [...flags('http://localhost'), '--price', 'tea_getThing'], 'has no price'],
  ['a price that is none', flags('http://localhost').with(1, 'tea_getThing=free'), 'must be a price'],
  ['an unknown tool', [...flags('http://localhost'), '--price', 'tea_getThin=$1'], 'Did you mean tea_getThing?'],
  ['tools that are called by another', [...flags('http://localhost'), '--discovery', 'search'], 'exclude each other'],
])('serve refuses %s', async (_, args, text) => {
  const cwd = await folderOf({ 'tea.mjs': tea });
  const { status, json } = runCommand(['serve', '.', ...args], { cwd });
  expect([status, JSON.stringify(json)]).toEqual([2, expect.stringContaining(text)]);
});
