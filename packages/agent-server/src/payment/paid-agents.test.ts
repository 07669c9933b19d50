import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer as createNodeServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware } from '@x402/express';
import express from 'express';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AgentConfigError, type AgentServerConfig, type AgentToolConfig, AgentToolsServer } from '../index.ts';
import { createScriptedModel } from '../testing/index.ts';
import { type FacilitatorDouble, network, openFacilitatorDouble, payTo } from './fixtures/facilitator-double.ts';
import { callOf, payer, payFor, payingFetch, post } from './fixtures/paid-server.ts';
import { paymentGate } from './index.ts';

const open: (() => unknown)[] = [];
let facilitator: FacilitatorDouble;
beforeEach(async () => {
  facilitator = await openFacilitatorDouble();
  open.push(() => facilitator.close());
});
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const agentTool: AgentToolConfig = {
  name: 'ask',
  description: 'Asks.',
  inputSchema: { type: 'object' },
  agent: { systemPrompt: 'You ask.', model: 'a/b', answerSchema: { type: 'object' } },
  toolSources: [],
};
const done = { calls: [{ name: 'submit_answer', args: { text: 'done' } }] };

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const wire = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'ask',
};

/** Agents `ask`, which costs, and `free`, with a model that always gives the same answer, or fails. */
async function agents(config: Partial<AgentServerConfig> = {}, { fails = false } = {}) {
  const model = await createScriptedModel(fails ? { turns: [] } : { respond: () => done });
  const { mcp } = AgentToolsServer.create({
    name: 'test',
    version: '1.0.0',
    llm: { baseURL: model.url, apiKey: 'the-key-of-the-model' },
    tools: [
      { ...agentTool, price: '$0.01' },
      { ...agentTool, name: 'free' },
    ],
    payment: { facilitator: { url: facilitator.url }, payTo, network },
    ...config,
  });
  open.push(
    () => model.close(),
    () => mcp.close(),
  );
  return { mcp, model };
}

async function listen(listener: RequestListener): Promise<URL> {
  const server = createNodeServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  open.push(() => server.close().closeAllConnections());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

async function connect(url: URL, mode: 'legacy' | 'auto' | 'old', fetcher: typeof fetch = fetch): Promise<Client> {
  if (mode === 'old') {
    const client = new OldClient({ name: 'test', version: '1.0.0' });
    await client.connect(new OldTransport(url, { fetch: fetcher }) as never);
    open.push(() => client.close());
    return client as unknown as Client;
  }
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: fetcher }));
  open.push(() => client.close());
  return client;
}

describe.each(['legacy', 'auto', 'old'] as const)('a client (%s)', (mode) => {
  test('pays with headers, by the fetch of x402', async () => {
    const { mcp } = await agents();
    const client = await connect(new URL('/mcp', (await mcp.http()).url), mode, payingFetch);
    const { _meta, structuredContent } = await client.callTool({ name: 'ask', arguments: {} });
    expect([structuredContent, _meta?.['x402/payment-response']]).toMatchObject([{ text: 'done' }, { success: true }]);
    expect((await client.callTool({ name: 'free', arguments: {} }))._meta?.['x402/payment-response']).toBeUndefined();
    expect(facilitator.count('settle')).toBe(1);
  });

  test('pays in _meta what an error of JSON-RPC says', async () => {
    const { mcp } = await agents({ payment: { facilitator: { url: facilitator.url }, payTo, network, status: 200 } });
    const client = await connect(new URL('/mcp', (await mcp.http()).url), mode);
    const call = { name: 'ask', arguments: {} };
    const refusal = await client.callTool(call).catch((error: { code: number; data: never }) => error);
    if (!('data' in refusal)) throw new Error('was not refused');
    expect(refusal.code).toBe(402);
    const payment = await payer.createPaymentPayload(refusal.data as never);
    const paid = await client.callTool({ ...call, _meta: { 'x402/payment': payment } });
    expect(paid._meta?.['x402/payment-response']).toMatchObject({ success: true });
  });
});

describe('a server with authentication', () => {
  const names: Record<string, string> = { 'Bearer a': 'alice', 'Bearer b': 'bob' };
  const withAuth = {
    async auth(request: Request) {
      // As a check of signatures does.
      await request.text();
      const clientId = names[request.headers.get('authorization') ?? ''];
      return clientId === undefined ? new Response('Who?', { status: 401 }) : { token: '', clientId, scopes: [] };
    },
  };
  const call = { ...callOf(), params: { name: 'ask', arguments: {}, _meta: modern } };

  test('asks who calls before it asks for money, and gives a paid answer only to whom it belongs', async () => {
    const { mcp } = await agents(withAuth);
    const url = `${(await mcp.http()).url}/mcp`;
    const send = (token: string, paid: Record<string, string> = {}) =>
      post(url, call, { ...wire, ...paid, authorization: `Bearer ${token}` });
    const { body } = await send('a');
    const payment = await payer.createPaymentPayload(body.error.data);
    const paid = { 'PAYMENT-SIGNATURE': Buffer.from(JSON.stringify(payment)).toString('base64') };
    for (const _ of [1, 2]) expect((await send('a', paid)).body.result.structuredContent).toEqual({ text: 'done' });
    const asked = facilitator.asked.length;
    expect((await send('b', paid)).body.error.data.error).toBe('The payment was used for another call.');
    const stranger = await fetch(url, { method: 'POST', headers: { ...wire, ...paid }, body: JSON.stringify(call) });
    expect([stranger.status, await stranger.text(), facilitator.asked.length]).toEqual([401, 'Who?', asked]);
  });
});

test('the event stream does not give what is not paid yet', async () => {
  const seen: string[] = [];
  const { mcp } = await agents({ events: true, auth: 'the-token', onEvent: ({ type }) => void seen.push(type) });
  const { url } = await mcp.http();
  const authorization = 'Bearer the-token';
  const response = await fetch(new URL('/mcp/events', url), { headers: { authorization } });
  const chunks = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const client = await connect(new URL('/mcp', url), 'auto', (input, init) => {
    const headers = { ...Object.fromEntries(new Headers(init?.headers)), authorization };
    return payingFetch(input, { ...init, headers });
  });
  await client.callTool({ name: 'ask', arguments: {} });
  let text = '';
  while (!text.includes('run.ended')) text += (await chunks?.read())?.value ?? '';
  expect(seen).toContain('model.answered');
  expect([...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)).toEqual([
    'run.started',
    'round.started',
    'run.ended',
  ]);
  expect(text).not.toContain('done');
  await chunks?.cancel();
});

test('a page of an allowed origin can read the price, and other pages get none', async () => {
  const { mcp } = await agents();
  const url = `${(await mcp.http()).url}/mcp`;
  const { status, headers } = await post(url, callOf(), { origin: 'http://localhost:6274' });
  expect([status, headers.get('access-control-allow-origin')]).toEqual([402, 'http://localhost:6274']);
  expect(headers.get('access-control-expose-headers')).toContain('PAYMENT-REQUIRED');
  expect((await post(url, callOf(), { origin: 'http://pages.example' })).status).toBe(403);
  const asks = { origin: 'http://localhost:6274', 'access-control-request-method': 'POST' };
  const preflight = await fetch(url, { method: 'OPTIONS', headers: asks });
  expect(preflight.headers.get('access-control-allow-headers')).toContain('PAYMENT-SIGNATURE');
});

test('an agent that fails costs nothing', async () => {
  const { mcp } = await agents({}, { fails: true });
  const url = new URL('/mcp', (await mcp.http()).url);
  const client = await connect(url, 'auto', payingFetch);
  expect((await client.callTool({ name: 'ask', arguments: {} })).isError).toBe(true);
  expect([facilitator.count('verify'), facilitator.count('settle')]).toEqual([1, 0]);
});

test('receipts are encrypted with the keys of the tasks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'receipts-'));
  open.push(() => rm(folder, { recursive: true }));
  const { mcp } = await agents({ tasks: `sqlite:${join(folder, 'runs.db')}`, taskKeys: `k1:${'0a'.repeat(32)}` });
  const client = await connect(new URL('/mcp', (await mcp.http()).url), 'auto', payingFetch);
  expect((await client.callTool({ name: 'ask', arguments: {} })).structuredContent).toEqual({ text: 'done' });
  const files = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'latin1')));
  expect(files.join()).toContain('sealed:k1:');
  expect(files.join()).not.toContain('done');
});

test('a task is charged when its run ends, also if nobody fetches its result', async () => {
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const model = await createScriptedModel({ respond: () => started.then(() => done) });
  open.push(() => model.close());
  const { mcp } = await agents({
    llm: { baseURL: model.url, apiKey: 'not-needed' },
    tools: [{ ...agentTool, price: '$0.01', execution: { taskSupport: 'required' } }],
  });
  const client = await connect(new URL('/mcp', (await mcp.http()).url), 'old', payingFetch);
  const params = { name: 'ask', arguments: {}, task: { ttl: 60_000 } };
  await (client as unknown as OldClient).request({ method: 'tools/call', params }, CreateTaskResultSchema);
  expect(facilitator.count('settle')).toBe(0);
  resolve();
  await expect.poll(() => facilitator.count('settle')).toBe(1);
});

test.each(['old', 'auto'] as const)(
  'a run whose client (%s) has left is charged once, and answered when it asks again',
  async (mode) => {
    const asked = Promise.withResolvers<void>();
    const going = Promise.withResolvers<typeof done>();
    let runs = 0;
    const model = await createScriptedModel({
      respond: () => {
        runs += 1;
        asked.resolve();
        return going.promise;
      },
    });
    open.push(() => model.close());
    const { mcp } = await agents({ llm: { baseURL: model.url, apiKey: 'not-needed' } });
    const url = new URL('/mcp', (await mcp.http()).url);
    const { header } = await payFor(url.href);
    const leaving = new AbortController();
    const paying =
      (signal?: AbortSignal): typeof fetch =>
      (input, init) => {
        const headers = { ...Object.fromEntries(new Headers(init?.headers)), ...header };
        const isCall = String(init?.body).includes('tools/call');
        return fetch(input, { ...init, headers, ...(isCall && signal && { signal }) });
      };
    const first = await connect(url, mode, paying(leaving.signal));
    const lost = first.callTool({ name: 'ask', arguments: {} }).catch(() => {});
    await asked.promise;
    leaving.abort();
    going.resolve(done);
    const again = await connect(url, mode, paying());
    const { structuredContent } = await again.callTool({ name: 'ask', arguments: {} });
    expect([structuredContent, runs, facilitator.count('settle')]).toEqual([{ text: 'done' }, 1, 1]);
    await first.close();
    await lost;
  },
);

test('a task that is cancelled gives its payment back', async () => {
  const asked = Promise.withResolvers<void>();
  const model = await createScriptedModel({
    respond: () => {
      asked.resolve();
      return new Promise(() => {});
    },
  });
  open.push(() => model.close());
  const { mcp } = await agents({
    llm: { baseURL: model.url, apiKey: 'not-needed' },
    tools: [{ ...agentTool, price: '$0.01', execution: { taskSupport: 'optional' } }],
  });
  const url = `${(await mcp.http()).url}/mcp`;
  const { header } = await payFor(url);
  const paying: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...header } });
  const client = (await connect(new URL(url), 'old', paying)) as unknown as OldClient;
  const start = (args: object) =>
    client.request(
      { method: 'tools/call', params: { name: 'ask', arguments: args, task: { ttl: 60_000 } } } as never,
      CreateTaskResultSchema,
    );
  const { task } = await start({});
  await asked.promise;
  await client.experimental.tasks.cancelTask(task.taskId);
  await expect.poll(() => start({ other: 1 }).then(({ task: { status } }) => status, String)).toBe('working');
  expect(facilitator.count('settle')).toBe(0);
});

test.each([
  ['payment', { tools: [{ ...agentTool, price: '$1' }], payment: undefined }, 'payment is required for tools[0].price'],
  ['a price', { tools: [{ ...agentTool, price: 'cheap' }] }, 'tools[0].price must be a price'],
  [
    'an address',
    { payment: { facilitator: { url: 'http://localhost' }, payTo: 'me', network } },
    'payment.payTo must be',
  ],
])('a configuration without %s is refused', async (_, config, message) => {
  const refused = agents(config as never);
  await expect(refused).rejects.toThrow(AgentConfigError);
  await expect(refused).rejects.toThrow(message);
});

describe('in an application', () => {
  const options = () => ({ facilitator: { url: facilitator.url }, payTo, network, prices: { ask: '$0.01' } });

  test.each([
    ['before', false],
    ['after', true],
  ])('of Express, %s its JSON parser, the gate charges once', async (_, isParsed) => {
    const { mcp } = await agents({ tools: [agentTool], payment: undefined as never });
    const app = express();
    const layers = [express.json(), paymentGate(options())];
    app.use(...(isParsed ? layers : layers.reverse()));
    app.use(mcp.middleware());
    const url = await listen(app);
    const client = await connect(url, 'auto', payingFetch);
    expect((await client.callTool({ name: 'ask', arguments: {} })).structuredContent).toEqual({ text: 'done' });
    expect(facilitator.count('settle')).toBe(1);
    expect((await post(url.href, callOf())).status).toBe(402);
  });

  test('the middleware of x402 works before ours', async () => {
    const { mcp } = await agents({ tools: [agentTool], payment: undefined as never });
    const app = express();
    const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator.url }));
    server.register(network, new ExactEvmScheme());
    const accepts = { scheme: 'exact', price: '$0.01', network, payTo } as const;
    app.use(paymentMiddleware({ 'POST /mcp': { accepts, description: 'MCP' } }, server));
    app.use(mcp.middleware());
    const client = await connect(await listen(app), 'legacy', payingFetch);
    expect((await client.callTool({ name: 'ask', arguments: {} })).structuredContent).toEqual({ text: 'done' });
    expect(facilitator.count('settle')).toBeGreaterThan(0);
  });

  test('of node:http, the gate works before any handler', async () => {
    const { mcp } = await agents({ tools: [agentTool], payment: undefined as never });
    const [gate, handle] = [paymentGate(options()), mcp.middleware()];
    const url = await listen((request, response) => gate(request, response, () => void handle(request, response)));
    const { header } = await payFor(url.href);
    const client = await connect(url, 'auto', (input, init) =>
      fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...header } }),
    );
    expect((await client.callTool({ name: 'ask', arguments: {} })).structuredContent).toEqual({ text: 'done' });
  });
});
