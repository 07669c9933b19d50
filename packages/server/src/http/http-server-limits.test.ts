import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { exposeSchemas } from '@schemakit/core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createReloadableCatalog, createToolCatalog } from '../catalog/tool-catalog.ts';
import { createServer } from '../create-server.ts';
import { openQuotes, type Quotes } from '../fixtures/quotes.ts';
import type { ListenOptions } from './http-server.ts';

const info = { name: 'test', version: '1.0.0' };
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info },
};
const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

let quotes: Quotes;
beforeAll(async () => {
  quotes = await openQuotes();
});
afterAll(() => quotes.close());

async function open(options: ListenOptions = {}) {
  const server = createServer(quotes.main);
  const { url, port, close } = await server.http(options);
  onTestFinished(() => close({ graceMs: 0 }));
  const post = (body: unknown, headers: Record<string, string> = {}, path = '/mcp') =>
    fetch(`${url}${path}`, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });
  const begin = async (headers: Record<string, string> = {}) => {
    const response = await post(initialize, headers);
    await response.text();
    return response.headers.get('mcp-session-id') ?? '';
  };
  return { server, url, port, close, post, begin };
}

const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} };

describe('a server without a token', () => {
  test('refuses requests of other sites', async () => {
    const { post, port } = await open();
    expect((await post(initialize)).status).toBe(200);
    expect((await post(initialize, { Origin: 'http://localhost:5000' })).status).toBe(200);
    expect((await post(initialize, { Origin: 'https://evil.example' })).status).toBe(403);
    const { createConnection } = await import('node:net');
    const socket = createConnection({ port, host: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    socket.write('POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n{}');
    const [data] = await once(socket, 'data');
    expect(String(data)).toMatch(/^HTTP\/1\.1 403/);
  });

  test('does not listen for other machines, unless it is open', async () => {
    const server = createServer(quotes.main);
    await expect(server.http({ host: '0.0.0.0' })).rejects.toMatchObject({
      code: 'NOT_PROTECTED',
      hint: expect.stringContaining('Set a token'),
    });
    const { close } = await server.http({ host: '0.0.0.0', isOpen: true });
    await close();
  });

  test('says that a port is taken', async () => {
    const { port, server } = await open();
    await expect(server.http({ port })).rejects.toMatchObject({ code: 'PORT_IN_USE' });
  });
});

describe('a server with a token', () => {
  test('accepts only clients with the token', async () => {
    const { post } = await open({ auth: 'open sesame'.replace(' ', '-') });
    const without = await post(initialize);
    expect(without.status).toBe(401);
    expect(without.headers.get('www-authenticate')).toMatch(/^Bearer/);
    const wrong = await post(initialize, { Authorization: 'Bearer other' });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('www-authenticate')).toContain('invalid_token');
    expect((await post(initialize, { Authorization: 'Bearer open-sesame' })).status).toBe(200);
    expect((await post(initialize, { Authorization: 'bearer open-sesame' })).status).toBe(200);
  });

  test('answers health to everyone', async () => {
    const { url } = await open({ auth: 'secret' });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/mcp`)).status).toBe(401);
  });
});

describe('requests', () => {
  test.each<[string, (opened: Awaited<ReturnType<typeof open>>) => Promise<Response>, number, string]>([
    ['to nowhere', ({ url }) => fetch(`${url}/nowhere`), 404, 'MCP is at /mcp'],
    ['to an unknown group', ({ post }) => post(list, {}, '/mcp?group=work'), 404, 'There is no group work'],
    ['to a misspelt part', ({ post }) => post(list, {}, '/mcp?namspace=a'), 404, 'Did you mean namespace?'],
    ['that are too large', ({ post }) => post({ ...list, padding: 'x'.repeat(5000) }), 413, '4096 bytes'],
    ['that are not JSON', ({ post }) => post(undefined, {}), 400, 'not JSON'],
    ['of another type', ({ post }) => post(list, { 'Content-Type': 'text/plain' }), 415, 'application/json'],
    ['without a session', ({ post }) => post(list), 400, 'Send initialize first'],
    ['of an unknown session', ({ post }) => post(list, { 'Mcp-Session-Id': 'x' }), 404, 'Session not found'],
    ['to /sse with POST', ({ post }) => post(list, {}, '/sse'), 405, 'Use GET'],
    ['to /messages with GET', ({ url }) => fetch(`${url}/messages`), 405, 'Use POST'],
    ['to /messages without a session', ({ post }) => post(list, {}, '/messages'), 400, 'sessionId'],
    ['to /messages of no session', ({ post }) => post(list, {}, '/messages?sessionId=x'), 404, 'Session not found'],
  ])('%s are refused with a reason', async (_, send, status, text) => {
    const response = await send(await open({ maxBodyBytes: 4096 }));
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining(text) } });
  });

  test('may have unknown query parameters', async () => {
    const { post } = await open();
    expect((await post(initialize, {}, '/mcp?api_key=1&profile=x&v=2&sessionId=3')).status).toBe(200);
  });

  test('of a browser may have a preflight', async () => {
    const { url } = await open();
    const response = await fetch(`${url}/mcp`, {
      method: 'OPTIONS',
      headers: { Origin: 'http://localhost:6274', 'Access-Control-Request-Method': 'POST' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:6274');
    expect(response.headers.get('access-control-allow-headers')).toContain('Mcp-Session-Id');
  });
});

describe('sessions', () => {
  test('are ended by their client', async () => {
    const { url, post, begin } = await open();
    const id = await begin();
    const session = { 'Mcp-Session-Id': id };
    expect((await post(list, session)).status).toBe(200);
    expect((await fetch(`${url}/mcp`, { method: 'DELETE', headers: session })).status).toBe(200);
    expect((await post(list, session)).status).toBe(404);
  });

  test('are evicted if there are too many, the one that was idle longest first', async () => {
    const { post, begin } = await open({ maxSessions: 2 });
    const ids = [await begin(), await begin()];
    await (await post(list, { 'Mcp-Session-Id': ids[0] ?? '' })).text();
    ids.push(await begin());
    const statuses = await Promise.all(ids.map(async (id) => (await post(list, { 'Mcp-Session-Id': id })).status));
    expect(statuses).toEqual([200, 404, 200]);
  });

  test('that are busy are not evicted', async () => {
    const { post, begin } = await open({ maxSessions: 1 });
    const id = await begin();
    const asked = quotes.nextSlow();
    const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'quotes__slow', arguments: {} } };
    const busy = post(call, { 'Mcp-Session-Id': id });
    const upstream = await asked;
    expect((await post(initialize)).status).toBe(503);
    upstream.end('"late"');
    expect(await (await busy).text()).toContain('late');
    expect((await post(initialize)).status).toBe(200);
  });

  test('end after the idle time', async () => {
    const { post, begin } = await open({ sessionIdleMs: 20 });
    const session = { 'Mcp-Session-Id': await begin() };
    await expect.poll(async () => (await post(list, session)).status, { interval: 100 }).toBe(404);
  });

  test('belong to the caller who began them', async () => {
    const { post, begin } = await open({
      auth: async (request) => ({
        token: '',
        clientId: request.headers.get('authorization') ?? 'nobody',
        scopes: [],
      }),
    });
    const id = await begin({ Authorization: 'ann' });
    expect((await post(list, { 'Mcp-Session-Id': id, Authorization: 'ann' })).status).toBe(200);
    expect((await post(list, { 'Mcp-Session-Id': id, Authorization: 'bob' })).status).toBe(404);
  });
});

async function connect(url: string, mode: 'legacy' | { pin: string } = { pin: '2026-07-28' }): Promise<Client> {
  const client = new Client(info, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
  return client;
}

describe.each<[string, 'legacy' | { pin: string }]>([
  ['stateless', { pin: '2026-07-28' }],
  ['with a session', 'legacy'],
])('a call %s', (_, mode) => {
  test('that is cancelled ends the request to the API', async () => {
    const { url } = await open();
    const client = await connect(url, mode);
    const asked = quotes.nextSlow();
    const abort = new AbortController();
    const call = client.callTool({ name: 'quotes__slow', arguments: {} }, { signal: abort.signal });
    const upstream = await asked;
    const closed = once(upstream, 'close');
    abort.abort();
    await expect(call).rejects.toThrow();
    await closed;
    expect(upstream.writableFinished).toBe(false);
  });

  test('that is running when the server closes is finished', async () => {
    const { url, close, post } = await open();
    const client = await connect(url, mode);
    const asked = quotes.nextSlow();
    const call = client.callTool({ name: 'quotes__slow', arguments: {} });
    const upstream = await asked;
    const closing = close();
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await post(initialize)).status).toBe(503);
    upstream.end('"late"');
    expect((await call).content).toEqual([{ type: 'text', text: 'late' }]);
    await closing;
  });

  test('is notified when the tools change', async () => {
    const catalog = createReloadableCatalog(createToolCatalog([]));
    const { url, close } = await createServer(catalog).http();
    onTestFinished(() => close({ graceMs: 0 }));
    const { promise, resolve } = Promise.withResolvers<string[]>();
    const client = new Client(info, {
      versionNegotiation: { mode },
      listChanged: {
        tools: {
          autoRefresh: true,
          debounceMs: 0,
          onChanged: (_error, tools) => resolve((tools ?? []).map(({ name }) => name)),
        },
      },
    });
    onTestFinished(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
    expect((await client.listTools()).tools).toEqual([]);
    // The stream of notices opens after the handshake: earlier changes are in the next list.
    const replace = () =>
      catalog.replace(createToolCatalog(catalog.current.tools.all.length === 0 ? exposeSchemas([quotes.main]) : []));
    const timer = setInterval(replace, 100);
    onTestFinished(() => clearInterval(timer));
    await promise;
  });
});
