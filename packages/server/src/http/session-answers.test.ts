import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createConnection, type Socket } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ServedCallOptions, ServedTool } from '../catalog/tool-catalog.ts';
import { createCatalogServer } from '../create-catalog-server.ts';
import type { ServerOptions } from '../shared-server.ts';
import type { ListenOptions } from './http-server.ts';

const info = { name: 'test', version: '1.0.0' };
const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info };
const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} };
const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'held', arguments: {} } };
const callWithProgress = { ...call, params: { ...call.params, _meta: { progressToken: 'p' } } };

const annotations = {
  title: 'Held',
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** A tool whose calls the test answers. */
function heldTool() {
  let onCall: (options: ServedCallOptions) => void = () => {};
  let answer: (text: string) => void = () => {};
  const tool: ServedTool = {
    listing: { name: 'held', title: 'Held', description: 'Held.', inputSchema: { type: 'object' }, annotations },
    toolName: 'held',
    namespace: 'own',
    aliases: [],
    tags: [],
    requiredServerParams: [],
    call(_args, options = {}) {
      const { promise, resolve } = Promise.withResolvers<string>();
      answer = resolve;
      onCall(options);
      return promise.then((text) => ({ content: [{ type: 'text', text }] }));
    },
  };
  return {
    tool,
    answer: (text: string) => answer(text),
    nextCall: () => new Promise<ServedCallOptions>((resolve) => (onCall = resolve)),
  };
}

async function open(
  options: ListenOptions = {},
  { tool, ...serverOptions }: ServerOptions & { tool?: ServedTool } = {},
) {
  const held = heldTool();
  const server = createCatalogServer({ tools: [tool ?? held.tool] }, serverOptions);
  const { url, port, close } = await server.http(options);
  onTestFinished(() => close({ graceMs: 0 }));
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}/mcp`, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });
  const begun = await post(initialize);
  await begun.text();
  const session = { 'Mcp-Session-Id': begun.headers.get('mcp-session-id') ?? '' };
  return { ...held, server, url, port, session, ask: (body: unknown) => post(body, session), post };
}

/** Sends a request without the end of its body. */
async function sendHalf(port: number): Promise<Socket> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{');
  return socket;
}

/** The messages of a stream of events. */
function messagesIn(text: string): unknown[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
}

afterEach(() => void vi.useRealTimers());

describe('in a session, a request', () => {
  test('without notifications is answered with plain JSON', async () => {
    const { ask, session } = await open();
    const response = await ask(list);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('mcp-session-id')).toBe(session['Mcp-Session-Id']);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ id: 2, result: { tools: [{ name: 'held' }] } });
  });

  test('becomes an event stream when it reports progress', async () => {
    const { ask, nextCall, answer } = await open();
    const called = nextCall();
    const asked = ask(callWithProgress);
    (await called).onProgress?.('half');
    const response = await asked;
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    answer('done');
    expect(messagesIn(await response.text())).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'p', progress: 1, message: 'half' },
      },
      { jsonrpc: '2.0', id: 3, result: { content: [{ type: 'text', text: 'done' }] } },
    ]);
  });

  test('that takes long becomes one too, with keep-alive comments', async () => {
    const { server, nextCall, answer } = await open();
    const { fetch: ask, close } = server.middleware();
    onTestFinished(() => close({ graceMs: 0 }));
    const post = (body: object, headers: Record<string, string> = {}) =>
      ask(
        new Request('http://127.0.0.1/mcp', {
          method: 'POST',
          headers: { ...json, ...headers },
          body: JSON.stringify(body),
        }),
      );
    const begun = await post(initialize);
    await begun.text();
    vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout'] });
    const called = nextCall();
    const asked = post(call, { 'Mcp-Session-Id': begun.headers.get('mcp-session-id') ?? '' });
    await called;
    vi.advanceTimersByTime(15_000);
    const response = await asked;
    vi.advanceTimersByTime(15_000);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    answer('done');
    const text = await response.text();
    expect(text).toMatch(/^: keepalive\n\n: keepalive\n\nevent: message\n/);
    expect(messagesIn(text)).toMatchObject([{ id: 3, result: { content: [{ text: 'done' }] } }]);
  });

  test('that is cancelled ends without an answer', async () => {
    const { ask, nextCall } = await open();
    const called = nextCall();
    const asked = ask(call);
    const { signal } = await called;
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } };
    const cancelled = await ask(cancel);
    expect([cancelled.status, await cancelled.text()]).toEqual([202, '']);
    expect(await (await asked).text()).toBe('');
    expect(signal?.aborted).toBe(true);
  });

  test('ends with the session', async () => {
    const { ask, nextCall, url, session } = await open();
    const called = nextCall();
    const asked = ask(call);
    await called;
    expect((await fetch(`${url}/mcp`, { method: 'DELETE', headers: session })).status).toBe(200);
    expect(await (await asked).text()).toBe('');
  });

  test.each<[string, Record<string, string>, number, string]>([
    ['that does not accept events', { Accept: 'application/json' }, 406, 'text/event-stream'],
    ['of a revision that there is not', { 'MCP-Protocol-Version': '2020-01-01' }, 400, 'Unsupported protocol version'],
  ])('%s is refused', async (_, headers, status, text) => {
    const { post, session } = await open();
    const response = await post(list, { ...session, ...headers });
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(text);
  });

  test('for an unknown method gets an error, and not a status that would end the session', async () => {
    const { ask } = await open();
    const response = await ask({ jsonrpc: '2.0', id: 5, method: 'no/such' });
    expect([response.status, await response.json()]).toMatchObject([200, { id: 5, error: { code: -32601 } }]);
  });

  test('in a batch gets several answers', async () => {
    const { ask } = await open();
    const response = await ask([list, { ...list, id: 4 }]);
    expect(messagesIn(await response.text())).toMatchObject([{ id: 2 }, { id: 4 }]);
  });
});

describe('a stream of notifications', () => {
  test('is open at once, and again after its client has disconnected', async () => {
    const { url, session } = await open();
    const headers = { ...session, Accept: 'text/event-stream' };
    const leave = new AbortController();
    const first = await fetch(`${url}/mcp`, { headers, signal: leave.signal });
    expect(first.status).toBe(200);
    expect((await fetch(`${url}/mcp`, { headers })).status).toBe(409);
    leave.abort();
    await expect.poll(async () => (await fetch(`${url}/mcp`, { headers })).status).toBe(200);
  });
});

describe('the body of a request', () => {
  test('that is too large is refused without a Content-Length', async () => {
    const { url } = await open({ maxBodyBytes: 4096 });
    const body = new Blob(['x'.repeat(3000), 'x'.repeat(3000)]).stream();
    const response = await fetch(`${url}/mcp`, { method: 'POST', headers: json, body, duplex: 'half' } as RequestInit);
    expect([response.status, response.headers.get('connection')]).toEqual([413, 'close']);
    expect(await response.text()).toContain('larger than 4096 bytes');
  });

  test('that is too large is refused to clients that send all of it before they read', async () => {
    const { url } = await open({ maxBodyBytes: 4096 });
    const body = 'x'.repeat(6 * 1024 * 1024);
    const send = async () => (await fetch(`${url}/mcp`, { method: 'POST', headers: json, body })).status;
    expect(await Promise.all(Array.from({ length: 10 }, send))).toEqual(Array(10).fill(413));
  });

  test('can be read by the function that authenticates', async () => {
    const seen: string[] = [];
    const { ask } = await open({
      auth: async (request) => {
        seen.push(await request.text());
        return { token: '', clientId: 'ann', scopes: [] };
      },
      maxBodyBytes: 4096,
    });
    expect((await ask(list)).status).toBe(200);
    expect(seen).toEqual([JSON.stringify(initialize), JSON.stringify(list)]);
    expect((await ask({ ...list, padding: 'x'.repeat(5000) })).status).toBe(413);
    expect(seen).toHaveLength(2);
  });

  test('is not awaited if its sender is refused', async () => {
    const { port } = await open({ auth: 'secret' });
    const socket = await sendHalf(port);
    const [data] = await once(socket, 'data');
    expect(String(data)).toMatch(/^HTTP\/1\.1 401 /);
  });
});

test('a result that is not JSON is an error, for the request and the program', async () => {
  const errors: Error[] = [];
  const tool = { ...heldTool().tool, call: async () => ({ content: [], structuredContent: { count: 1n } }) };
  const { ask } = await open({}, { tool, onError: (error) => errors.push(error) });
  expect(await (await ask(call)).json()).toMatchObject({ id: 3, error: { code: -32603 } });
  expect(errors).toMatchObject([{ message: expect.stringContaining('BigInt') }]);
});

test('a request with the id of a pending one is refused, and does not take its answer', async () => {
  const { ask, nextCall, answer } = await open();
  const called = nextCall();
  const asked = ask(call);
  await called;
  const second = await ask({ ...list, id: 3 });
  expect([second.status, await second.json()]).toMatchObject([400, { error: { code: -32600 }, id: null }]);
  answer('done');
  expect(await (await asked).json()).toMatchObject({ id: 3, result: { content: [{ text: 'done' }] } });
  expect((await ask({ ...list, id: 3 })).status).toBe(200);
});

test('the headers of an answer are passed to middleware as an object, as older ones expect', async () => {
  const { handle } = (await open()).server.middleware();
  const heads: object[] = [];
  const api = createServer((incoming, outgoing) => {
    const { writeHead } = outgoing;
    outgoing.writeHead = (...args: unknown[]) => {
      heads.push(Object(args[1]));
      return Reflect.apply(writeHead, outgoing, args);
    };
    void handle(incoming, outgoing);
  });
  onTestFinished(() => void api.close().closeAllConnections());
  await once(api.listen(0, '127.0.0.1'), 'listening');
  const { port } = api.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers: json, body: JSON.stringify(initialize) });
  const names = heads.map((head) => Object.keys(head).map((name) => name.toLowerCase()));
  expect(names).toEqual([expect.arrayContaining(['content-type', 'mcp-session-id'])]);
});

test.each([
  ['by anyone', {}],
  ['by who is let in', { auth: async (request: Request) => void (await request.text()) }],
])('a client that goes in the middle of its request, %s, is no error', async (_, options) => {
  const errors: Error[] = [];
  const { port, ask } = await open(options as ListenOptions, { onError: (error) => errors.push(error) });
  const socket = await sendHalf(port);
  expect((await ask(list)).status).toBe(200);
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
  expect((await ask(list)).status).toBe(200);
  expect(errors).toEqual([]);
});
