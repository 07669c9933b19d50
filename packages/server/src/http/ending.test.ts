import { once } from 'node:events';
import { createConnection } from 'node:net';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openQuotes, type Quotes } from '../fixtures/quotes.ts';
import { createServer } from './create-server.ts';

const info = { name: 'test', version: '1.0.0' };
/** Longer than a test may take: who waits for it fails. */
const forever = { graceMs: 600_000 };

let quotes: Quotes;
beforeAll(async () => {
  quotes = await openQuotes();
});
afterAll(() => quotes.close());

async function open() {
  const server = createServer(quotes.main);
  const { url, port, stop } = await server.listen();
  onTestFinished(async () => {
    await server.close({ graceMs: 0 });
    await stop({ graceMs: 0 });
  });
  return { server, url, port, stop };
}

/** A call of the stateless revision, without a client that would put its answer in other words. */
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
  ])('does not wait for a connection that has said %s', async (_, said) => {
    const { server, url, port, stop } = await open();
    const socket = createConnection({ port, host: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    // Where it is destroyed before everything was read, the system says so by an error.
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(said);
    // By then the server has seen the other connection too.
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await server.close(forever);
    await stop(forever);
    await closed;
  });

  test('still says so to new connections, and ends each after its answer', async () => {
    const { server, url, stop } = await open();
    const asked = quotes.nextSlow();
    const call = callSlow(url);
    const upstream = await asked;
    const closing = server.close(forever);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    upstream.end('"late"');
    const answer = await call;
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    expect(await answer.text()).toContain('late');
    await closing;
    await stop(forever);
    await expect(fetch(`${url}/readyz`)).rejects.toThrow();
  });

  test('finishes an answer that has begun when it stops listening', async () => {
    const { url, stop } = await open();
    const asked = quotes.nextSlow();
    const call = callSlow(url);
    const upstream = await asked;
    const stopped = stop(forever);
    upstream.end('"late"');
    expect(await (await call).text()).toContain('late');
    await stopped;
  });

  test('does not wait for those who listen for changes', async () => {
    const { server, url, stop } = await open();
    const client = new Client(info, {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      listChanged: { tools: { onChanged: () => {} } },
    });
    onTestFinished(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
    await client.listTools();
    await server.close(forever);
    await stop(forever);
  });
});

describe('a call that takes longer than a server that ends waits', () => {
  const message = 'The server has ended before this was finished. Ask again.';

  test('is answered 503 and why, where it is stateless', async () => {
    const { server, url } = await open();
    const asked = quotes.nextSlow();
    const call = callSlow(url);
    await asked;
    await server.close({ graceMs: 0 });
    const answer = await call;
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32000, message } });
  });

  test.each([
    ['a session', '/mcp', StreamableHTTPClientTransport],
    ['events', '/sse', SSEClientTransport],
  ])('is told why, where it has %s', async (_, path, Transport) => {
    const { server, url } = await open();
    const client = new Client(info);
    onTestFinished(() => client.close());
    await client.connect(new Transport(new URL(path, url)));
    const asked = quotes.nextSlow();
    const call = client.callTool({ name: 'quotes__slow', arguments: {} });
    const upstream = await asked;
    const left = once(upstream, 'close');
    const told = expect(call).rejects.toThrow(message);
    await server.close({ graceMs: 0 });
    await told;
    // The API is left alone as well.
    await left;
  });
});
