import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Loopback, listen } from '../../fixtures/loopback.ts';
import { send, sendRpc, serveScript } from '../../fixtures/scripted-server.ts';
import { plainTool } from '../../fixtures/sdk-servers.ts';
import { skillEntry } from '../../fixtures/skill-servers.ts';
import { bind } from '../../fixtures/tls-servers.ts';
import { type Assessment, type AssessOptions, assess } from './assess.ts';

const TIMEOUT = 2500;
/** What a loaded machine may need beyond the deadline. */
const SLACK = 6000;

async function assessInTime(url: string, options: Partial<AssessOptions> = {}): Promise<Assessment> {
  const begin = performance.now();
  const result = await assess({ url, timeout: TIMEOUT, ...options });
  expect(performance.now() - begin).toBeLessThan((options.timeout ?? TIMEOUT) + SLACK);
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  return result;
}

function* repeated(chunk: Buffer): Generator<Buffer> {
  for (;;) yield chunk;
}

function endless(response: ServerResponse, contentType: string, chunk: Buffer): void {
  response.writeHead(200, { 'content-type': contentType });
  pipeline(Readable.from(repeated(chunk)), response).catch(() => {});
}

const megabyte = Buffer.alloc(1024 * 1024, ' ');

describe('an endpoint cannot hold an assessment past its deadline, if it', () => {
  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ['never answers', () => {}],
    ['hangs up', ({ socket }) => void socket.destroy()],
    ['sends endless JSON', (_, response) => endless(response, 'application/json', megabyte)],
    ['sends an endless page', (_, response) => endless(response, 'text/html', megabyte)],
    ['sends endless events', (_, response) => endless(response, 'text/event-stream', Buffer.from(': x\n\n'))],
    ['sends endless bytes', (_, response) => endless(response, 'application/octet-stream', megabyte)],
    [
      'sends its bytes slowly',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        const timer = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(timer));
      },
    ],
    [
      'sends a gzip bomb',
      (_, response) => {
        const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024, ' '));
        response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bomb);
      },
    ],
    ['redirects in a circle', ({ url }, response) => response.writeHead(302, { location: `${url}x` }).end()],
    [
      'redirects to a private address',
      (_, response) => response.writeHead(307, { location: 'http://10.0.0.1/' }).end(),
    ],
    ['redirects to nowhere', (_, response) => response.writeHead(302, { location: 'http://[' }).end()],
  ])('%s', async (_, listener) => {
    const { endpoint } = await listen(listener);
    const { layers } = await assessInTime(endpoint);
    expect(layers.mcp.detected).toBe(false);
    expect(layers.payment.detected).toBe(false);
  });
});

describe('a server cannot hold an assessment past its deadline, if it', () => {
  const hang = (): void => {};
  it.each<[string, () => Promise<Loopback>, (result: Assessment) => unknown]>([
    ['hangs at the handshake', () => serveScript({ initialize: hang }), ({ layers }) => layers.mcp.detected === false],
    [
      'hangs at its list',
      () => serveScript({ 'tools/list': hang }),
      ({ findings }) => findings.some(({ code }) => code === 'CON-008'),
    ],
    [
      'hangs at its tools',
      () => serveScript({ 'tools/call': hang }),
      ({ findings }) => findings.some(({ code }) => code === 'PRB-004'),
    ],
    [
      'hangs at its UI resources',
      () =>
        serveScript({
          capabilities: { tools: {}, resources: {} },
          'resources/list': { resources: [{ uri: 'ui://one', name: 'one' }] },
          'resources/read': hang,
        }),
      ({ layers }) => layers.apps.detected && layers.apps.entries.isComplete === false,
    ],
    [
      'hangs at its skills',
      () =>
        serveScript({
          capabilities: { tools: {}, resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } },
          'skills/list': { skills: [skillEntry()] },
          'skills/get': hang,
          'resources/read': hang,
        }),
      ({ layers }) => layers.mcp.state === 'passed',
    ],
    [
      'hangs in the middle of each document',
      () =>
        serveScript({}, ({ method }, response) => {
          if (method === 'GET') response.writeHead(200, { 'content-type': 'application/json' }).write('{"name":');
          return method === 'GET';
        }),
      ({ layers }) => layers.mcp.state === 'passed' && !layers.a2a.detected,
    ],
    [
      'hangs at the preflight',
      () => serveScript({}, ({ method }) => method === 'OPTIONS'),
      ({ layers }) => layers.http.detected,
    ],
    [
      'hangs at its metadata',
      () => serveScript({}, (request) => request.url?.startsWith('/.well-known/') === true),
      ({ layers }) => layers.mcp.state === 'passed',
    ],
    [
      'hangs at its page',
      () => serveScript({}, ({ method }) => method === 'GET'),
      ({ layers }) => layers.mcp.state === 'passed',
    ],
    [
      'hangs at the goodbye',
      () =>
        serveScript({}, ({ method }, response) => {
          response.setHeader('mcp-session-id', 'one');
          return method === 'DELETE';
        }),
      ({ layers }) => layers.mcp.state === 'passed',
    ],
    [
      'repeats a cursor',
      () =>
        serveScript({
          'tools/list': ({ response, id }) =>
            sendRpc(response, { id, result: { tools: [plainTool], nextCursor: 'a' } }),
        }),
      ({ findings }) => findings.some(({ text }) => text.includes('repeated a cursor')),
    ],
  ])('%s', async (_, serve, holds) => {
    const { endpoint } = await serve();
    expect(holds(await assessInTime(endpoint))).toBe(true);
  });

  it('hangs at the TLS handshake', async () => {
    const port = await bind(createServer());
    const { layers, grade } = await assessInTime(`https://127.0.0.1:${port}/mcp`);
    expect(layers.mcp.detected).toBe(false);
    expect(grade.letter).toBe('F');
  });

  it('has 10,000 tools', async () => {
    const tools = Array.from({ length: 10_000 }, (_, index) => ({ ...plainTool, name: `tool${index}` }));
    const { endpoint } = await serveScript({ 'tools/list': { tools } });
    const { layers } = await assessInTime(endpoint, { timeout: 8000, probe: 'none' });
    expect(layers.mcp.detected && layers.mcp.entries.tools).toHaveLength(5000);
  });
});

it('an assessment that is aborted in its middle has no good letter', async () => {
  const controller = new AbortController();
  const { endpoint } = await serveScript({ 'tools/list': () => controller.abort() });
  const { status, grade, layers } = await assess({ url: endpoint, timeout: 60_000, signal: controller.signal });
  expect(layers.http.detected).toBe(true);
  expect(status).toBe(false);
  expect(grade).toMatchObject({ letter: 'F', holdsDown: ['ASM-026:assess'] });
});

it('an aborted assessment ends at once, and says so', async () => {
  const { endpoint } = await listen(() => {});
  const controller = new AbortController();
  const begin = performance.now();
  const running = assess({ url: endpoint, timeout: 60_000, signal: controller.signal });
  controller.abort();
  const { status, layers, grade } = await running;
  expect(performance.now() - begin).toBeLessThan(SLACK);
  expect(status).toBe(false);
  expect(grade.letter).toBe('F');
  expect(layers.mcp).toMatchObject({ state: 'not-evaluated' });
});

it('text from a peer cannot control a terminal or a page', async () => {
  const evil = '\u001b[2J\u202e<script>alert(1)</script>';
  const { endpoint } = await serveScript({
    'tools/list': ({ response }) => send(response, 500, evil),
    'tools/call': ({ response, id }) => sendRpc(response, { id, error: { code: -1, message: evil } }),
  });
  const { findings, messages, layers } = await assessInTime(endpoint);
  const skipped = Object.values(layers).map((layer) => (layer.detected ? '' : layer.skipped));
  expect(JSON.stringify([findings, messages, skipped])).not.toMatch(/\\u001b|\u202e/);
});
