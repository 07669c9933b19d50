import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServerValidator } from '@schemakit/validator';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, onTestFinished, test } from 'vitest';

const network = 'eip155:84532';
const payTo = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

async function openPaidServer(): Promise<{ endpoint: string; asked(): Promise<unknown> }> {
  const file = new URL('./fixtures/paid-server.mjs', import.meta.url).pathname;
  const server = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    server.kill();
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  });
  const [endpoint] = (await once(createInterface(server.stdout), 'line')) as [string];
  return { endpoint, asked: async () => (await fetch(new URL('/asked', endpoint))).json() };
}

test('an endpoint behind the middleware of x402 tells its price, is valid, and is never paid', async () => {
  const { endpoint, asked } = await openPaidServer();
  const { status, findings, categories, entries } = await McpServerValidator.start({ endpoint });
  expect(findings.map(({ code }) => code)).toEqual(['CON-006']);
  expect(status).toBe(false);
  expect(categories).toMatchObject({
    isReachable: true,
    supportsMcp: false,
    supportsX402: true,
    hasValidPaymentRequirements: true,
    supportsExactScheme: true,
    supportsEvm: true,
  });
  expect(entries.x402).toMatchObject({
    version: 2,
    networks: [network],
    paymentOptions: [{ toolName: '(endpoint)', payTo, amount: '10000', isValid: true }],
  });
  expect(await asked()).toEqual([]);
});

test('what was found valid is what a client of x402 pays', async () => {
  const { endpoint, asked } = await openPaidServer();
  const account = privateKeyToAccount(`0x${'1'.repeat(64)}`);
  const payer = new x402Client().register('eip155:*', new ExactEvmScheme(account));
  const client = new Client({ name: 'payer', version: '1.0.0' });
  const fetch = wrapFetchWithPayment(globalThis.fetch, payer);
  await client.connect(new StreamableHTTPClientTransport(new URL(endpoint), { fetch }));
  expect((await client.callTool({ name: 'hello' })).content).toEqual([{ type: 'text', text: 'hello' }]);
  await client.close();
  expect(await asked()).toContain('settle');
});
