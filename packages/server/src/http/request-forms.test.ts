import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from '../create-server.ts';
import { openQuotes, type Quotes } from '../fixtures/quotes.ts';
import type { ToolServer } from '../tool-server.ts';
import type { HttpServer } from './http-server.ts';

let quotes: Quotes;
let server: ToolServer;
let listening: HttpServer;
let url: string;
let port: number;
beforeAll(async () => {
  quotes = await openQuotes();
  server = createServer(quotes.main);
  listening = await server.http();
  ({ url, port } = listening);
});
afterAll(async () => {
  await listening.close();
  await quotes.close();
});

/** The response to a request that no client library would send. */
async function say(line: string, host: string, at = port): Promise<string> {
  const socket = createConnection({ port: at, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  socket.write(`${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return text(socket);
}

describe('a request', () => {
  test.each([
    ['a user', 'a@b', 'Invalid host header'],
    ['a port that there is not', '127.0.0.1:99999', 'Invalid URL'],
    ['a path', 'a/b?#', 'Invalid host header'],
    ['a bracket', '[', 'Invalid URL'],
  ])('whose Host header has %s is refused', async (_, host, message) => {
    const said = await say('GET /healthz', host);
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
    expect(said).toContain(`"error":{"code":-32000,"message":"Bad Request: ${message}"},"id":null}`);
  });

  test('of a forbidden method is refused', async () => {
    expect(await say('TRACE /mcp', '127.0.0.1')).toMatch(/^HTTP\/1\.1 405 .*\r\nallow: /s);
  });

  test('may have an absolute URL, which counts instead of the Host header', async () => {
    expect(await say('GET http://127.0.0.1/healthz', 'other.example')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await say('GET http://other.example/mcp', '127.0.0.1')).toMatch(/^HTTP\/1\.1 403 .*other\.example/s);
    expect(await say('GET http://[/healthz', '127.0.0.1')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await say('GET *', '127.0.0.1')).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('with an absolute URL reaches a mounted server, and others the application', async () => {
    const app = express();
    app.use(server.middleware().handle);
    app.get('/mine', (_request, response) => void response.send('Mine'));
    const mounted = app.listen(0, '127.0.0.1');
    onTestFinished(() => new Promise((resolve) => mounted.close(() => resolve())));
    await new Promise((resolve) => mounted.once('listening', resolve));
    const { port: at } = mounted.address() as { port: number };
    expect(await say('GET http://127.0.0.1/healthz', '127.0.0.1', at)).toContain('{"status":"ok"}');
    expect(await say('GET /mine', '127.0.0.1', at)).toContain('Mine');
  });

  test('that a program makes is routed by its URL', async () => {
    const { fetch: answer } = server.middleware();
    const ask = (address: string) => answer(new Request(address, { method: 'POST', body: '{}' }));
    expect((await ask('http://127.0.0.1/mcp')).status).toBe(415);
    expect((await ask('http://other.example/mcp')).status).toBe(403);
  });
});

const initialize = { jsonrpc: '2.0', id: 5, method: 'initialize' };
const list = { jsonrpc: '2.0', id: 6, method: 'tools/list' };

describe('an unsupported form is answered:', () => {
  test.each<[string, string, unknown, Record<string, string>, number, string]>([
    ['initialize without params', 'POST', initialize, {}, 400, '"code":-32602'],
    ['a batch in a revision without them', 'POST', [list], { 'MCP-Protocol-Version': '2026-07-28' }, 400, 'no batches'],
    ['a GET in a revision without it', 'GET', undefined, { 'MCP-Protocol-Version': '2026-07-28' }, 405, 'has no GET'],
    ['a DELETE in such a revision', 'DELETE', undefined, { 'MCP-Protocol-Version': '2026-07-28' }, 405, 'no DELETE'],
    ['a PUT', 'PUT', list, {}, 405, 'Use GET, POST, DELETE, OPTIONS'],
    ['a GET without a session', 'GET', undefined, {}, 400, 'Send initialize first'],
  ])('%s', async (_, method, body, headers, status, said) => {
    const response = await fetch(`${url}/mcp`, {
      method,
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(said);
    expect(response.headers.has('allow')).toBe(status === 405);
  });

  test('a refused initialize with its id', async () => {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(initialize) });
    expect(await response.json()).toMatchObject({ id: 5, error: { code: -32602 } });
  });

  test('an OPTIONS request', async () => {
    const response = await fetch(`${url}/mcp`, { method: 'OPTIONS' });
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, POST, DELETE, OPTIONS']);
  });

  test.each(['/healthz', '/readyz'])('anything but a GET of %s', async (path) => {
    const response = await fetch(`${url}${path}`, { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
    expect((await fetch(`${url}${path}`, { method: 'HEAD' })).status).toBe(200);
  });
});
