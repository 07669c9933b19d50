import { once } from 'node:events';
import { createConnection } from 'node:net';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from '../create-server.ts';
import { openQuotes, type Quotes } from '../fixtures/quotes.ts';
import type { HttpServer } from './http-server.ts';

const info = { name: 'test', version: '1.0.0' };
/** Longer than a test may take. */
const forever = { graceMs: 600_000 };

let quotes: Quotes;
beforeAll(async () => {
  quotes = await openQuotes();
});
afterAll(() => quotes.close());

async function open(): Promise<HttpServer> {
  const server = await createServer(quotes.main).http();
  onTestFinished(() => server.close({ graceMs: 0 }));
  return server;
}

/** A call of the stateless revision, without a client that would rephrase the answer. */
function callSlow(url: string): Promise<Response> {
  const params = {
    name: 'quotes__slow',
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': info,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'quotes__slow',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }),
  });
}

describe('a server that ends', () => {
  test.each([
    ['nothing', ''],
    ['half a head', 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n'],
    [
      'half a body',
      'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    ],
  ])('does not wait for a connection that has sent %s', async (_, said) => {
    const { url, port, close } = await open();
    const socket = createConnection({ port, host: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    // The system reports an error if the socket is destroyed before everything was read.
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(said);
    // By then the server has accepted the other connection too.
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await close(forever);
    await closed;
  });

  test('answers new connections with 503 and ends each after its response', async () => {
    const { url, close } = await open();
    const asked = quotes.nextSlow();
    const call = callSlow(url);
    const upstream = await asked;
    const closing = close(forever);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    upstream.end('"late"');
    const answer = await call;
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    expect(await answer.text()).toContain('late');
    await closing;
    await expect(fetch(`${url}/readyz`)).rejects.toThrow();
  });

  test('answers a request that arrives after it has stopped listening', async () => {
    const { url, port, close } = await open();
    const socket = createConnection({ port, host: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const closing = close(forever);
    const isListening = () =>
      new Promise<boolean>((resolve) => {
        const other = createConnection({ port, host: '127.0.0.1' }, () => resolve(true));
        other.once('connect', () => other.destroy()).once('error', () => resolve(false));
      });
    while (await isListening());
    socket.write('GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 OK\r\n(?:.*\r\n)*connection: close/i);
    await closing;
  });

  test('answers a request that is still being authenticated', async () => {
    const asked = Promise.withResolvers<void>();
    const authenticated = Promise.withResolvers<Response>();
    const auth = () => {
      asked.resolve();
      return authenticated.promise;
    };
    const { url, close } = await createServer(quotes.main).http({ auth });
    const response = fetch(`${url}/mcp`);
    await asked.promise;
    const closed = close(forever);
    // Later than the end of calls, of which there are none.
    setTimeout(() => authenticated.resolve(new Response('no', { status: 401 })), 100);
    expect((await response).status).toBe(401);
    await closed;
  });

  test('does not wait for subscribers to list changes', async () => {
    const { url, close } = await open();
    const client = new Client(info, {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      listChanged: { tools: { onChanged: () => {} } },
    });
    onTestFinished(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
    await client.listTools();
    await close(forever);
  });
});

describe('a call that outlasts the grace period of a server that ends', () => {
  const message = 'The server ended before this was finished. Try again.';

  test('is answered with 503 and the reason, if stateless', async () => {
    const { url, close } = await open();
    const asked = quotes.nextSlow();
    const call = callSlow(url);
    await asked;
    await close({ graceMs: 0 });
    const answer = await call;
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32000, message } });
  });

  test.each([
    ['a session', '/mcp', StreamableHTTPClientTransport],
    ['events', '/sse', SSEClientTransport],
  ])('is answered with the reason, over %s', async (_, path, Transport) => {
    const { url, close } = await open();
    const client = new Client(info);
    onTestFinished(() => client.close());
    await client.connect(new Transport(new URL(path, url)));
    const asked = quotes.nextSlow();
    const call = client.callTool({ name: 'quotes__slow', arguments: {} });
    const upstream = await asked;
    const left = once(upstream, 'close');
    const told = expect(call).rejects.toThrow(message);
    await close({ graceMs: 0 });
    await told;
    // The request to the API ends too.
    await left;
  });
});
