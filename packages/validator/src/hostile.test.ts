import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Loopback, listen } from '../fixtures/loopback.ts';
import { send, sendRpc, serveScript } from '../fixtures/scripted-server.ts';
import { plainTool, serveSdk2 } from '../fixtures/sdk-servers.ts';
import { compare } from './compare/compare.ts';
import type { StartOptions } from './input/start-options.ts';
import { type StartResult, start } from './start.ts';

/** For endless responses; everything else ends by itself, even on a slow machine. */
const SHORT = 1500;
const TIMEOUT = 10_000;
/** What a loaded machine may need beyond the deadline. */
const SLACK = 8000;

/** Inspects a server, and checks the deadline. */
async function startInTime(endpoint: string, options: Partial<StartOptions> = {}): Promise<StartResult> {
  const begin = performance.now();
  const result = await start({ endpoint, timeout: TIMEOUT, ...options });
  expect(performance.now() - begin).toBeLessThan((options.timeout ?? TIMEOUT) + SLACK);
  expect(Object.keys(result.categories)).toHaveLength(12);
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  return result;
}

function codesOf({ findings }: StartResult): string[] {
  return findings.map(({ code }) => code);
}

function* repeated(chunk: Buffer): Generator<Buffer> {
  for (;;) yield chunk;
}

/** The response to a HEAD accepts endless writes without back-pressure, which would block the test itself. */
function endless(response: ServerResponse, status: number, contentType: string, chunk: Buffer): void {
  response.writeHead(status, { 'content-type': contentType });
  if (response.req.method === 'HEAD') response.end();
  else pipeline(Readable.from(repeated(chunk)), response).catch(() => {});
}

const megabyte = Buffer.alloc(1024 * 1024, ' ');
const page = { 'content-type': 'text/html' };

describe('a hostile endpoint', () => {
  it.each<[name: string, code: string, serve: () => Promise<Loopback>]>([
    [
      'sends endless JSON',
      'CON-007',
      () => listen((_, response) => endless(response, 200, 'application/json', megabyte)),
    ],
    [
      'sends an endless line of events',
      'CON-003',
      () => listen((_, response) => endless(response, 200, 'text/event-stream', megabyte)),
    ],
    [
      'sends endless comments',
      'CON-003',
      () => listen((_, response) => endless(response, 200, 'text/event-stream', Buffer.from(': x\n\n'.repeat(10_000)))),
    ],
    [
      'sends a gzip bomb',
      'CON-007',
      () => {
        const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024, ' '));
        return listen(
          (_, response) =>
            void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
        );
      },
    ],
    [
      'sends its bytes slowly',
      'CON-003',
      () =>
        listen((_, response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          const timer = setInterval(() => response.write(' '), 50);
          response.on('close', () => clearInterval(timer));
        }),
    ],
    ['never answers', 'CON-003', () => listen(() => {})],
    ['hangs up', 'CON-001', () => listen(({ socket }) => void socket.destroy())],
    [
      'redirects in a circle',
      'CON-004',
      () => listen((request, response) => response.writeHead(307, { location: `${request.url}x` }).end()),
    ],
    [
      'redirects to a private address',
      'CON-002',
      () => listen((_, response) => response.writeHead(307, { location: 'http://10.0.0.1/mcp' }).end()),
    ],
    [
      'redirects to a metadata service',
      'CON-002',
      () => listen((_, response) => response.writeHead(308, { location: 'http://169.254.169.254/' }).end()),
    ],
    ['says JSON and sends a page', 'CON-007', () => listen((_, response) => send(response, 200, '<html>'))],
    ['sends a page', 'CON-007', () => listen((_, response) => send(response, 200, '<html>', page))],
    ['has no content type', 'CON-007', () => listen((_, response) => response.writeHead(200).end('{}'))],
    ['answers with an impossible status', 'CON-004', () => listen((_, response) => response.writeHead(999).end())],
    [
      'refuses with an endless body',
      'CON-005',
      () => listen((_, response) => endless(response, 403, 'text/plain', megabyte)),
    ],
  ])('%s', async (_, code, serve) => {
    const { endpoint } = await serve();
    const result = await startInTime(endpoint, { timeout: code === 'CON-003' ? SHORT : TIMEOUT });
    expect(codesOf(result)).toContain(code);
    expect(result).toMatchObject({
      status: false,
      categories: { supportsMcp: false },
      entries: { endpoint, tools: [] },
    });
  });

  it('that is a metadata service is refused, in any spelling', async () => {
    for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '0xa9fea9fe', '[fd00:ec2::254]']) {
      expect(codesOf(await startInTime(`http://${host}/mcp`))).toEqual(['CON-002']);
    }
  });
});

describe('a hostile server', () => {
  it('with 10,000 tools is listed up to the limit', async () => {
    const pageSize = 2000;
    const { endpoint } = await serveScript({
      'tools/list': ({ response, id, params }) => {
        const from = Number(params.cursor ?? 0);
        const tools = Array.from({ length: pageSize }, (_, index) => ({ ...plainTool, name: `tool${from + index}` }));
        const next = from + pageSize;
        sendRpc(response, { id, result: { tools, ...(next < 10_000 && { nextCursor: `${next}` }) } });
      },
      'tools/call': { content: [] },
    });
    const result = await startInTime(endpoint, { probeLimits: { maxCalls: 5 } });
    expect(codesOf(result)).toEqual(['CON-008', 'PRB-013']);
    expect(result.entries.tools).toHaveLength(5000);
    expect(result.entries.probe.filter(({ outcome }) => outcome === 'free')).toHaveLength(5);
  });

  it.each([
    ['the same page again and again', () => ({ tools: [plainTool], nextCursor: 'again' })],
    [
      'has endless pages',
      (() => {
        let page = 0;
        return () => ({ tools: [], nextCursor: `${page++}` });
      })(),
    ],
  ])('with %s comes to an end', async (_, list) => {
    const { endpoint } = await serveScript({
      'tools/list': ({ response, id }) => sendRpc(response, { id, result: list() }),
    });
    expect(codesOf(await startInTime(endpoint, { timeout: 5000 }))).toContain('CON-008');
  });

  it('with schemas nested 100,000 levels deep loses those tools and keeps the others', async () => {
    const deep = `${'{"properties":{"a":'.repeat(100_000)}{}${'}}'.repeat(100_000)}`;
    const { endpoint } = await serveScript({
      'tools/list': ({ response, id }) =>
        send(
          response,
          200,
          `{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"deep","inputSchema":${deep}},{"name":"flat","inputSchema":{"type":"object"}}]}}`,
        ),
      'tools/call': { content: [] },
    });
    const result = await startInTime(endpoint, { timeout: 5000 });
    expect(codesOf(result)).toEqual(['CON-009']);
    expect(result.entries.tools.map(({ name }) => name)).toEqual(['flat']);
  });

  it('with schemas that refer to themselves is probed', async () => {
    const node = {
      type: 'object',
      required: ['next', 'list'],
      properties: { next: { $ref: '#' }, list: { type: 'array', minItems: 1e9, items: { $ref: '#' } } },
    };
    const { endpoint } = await serveScript({
      'tools/list': { tools: [{ name: 'loop', inputSchema: { ...node, allOf: [{ $ref: '#' }] } }] },
      'tools/call': { content: [] },
    });
    expect((await startInTime(endpoint)).entries.probe).toEqual([{ name: 'loop', outcome: 'free' }]);
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'with a tool named %s changes only the result of that tool',
    async (name) => {
      const inputSchema = `{"type":"object","required":["${name}"],"properties":{"${name}":{"type":"string","const":"polluted"}}}`;
      const tools = `[{"name":"${name}","description":"one","inputSchema":${inputSchema},"${name}":{"polluted":true}}]`;
      const paid = `{"isError":true,"content":[],"structuredContent":{"x402Version":2,"${name}":{"polluted":true},"resource":{"url":"mcp://tool/a"},"accepts":[{"${name}":{"polluted":true}}]}}`;
      const calls: unknown[] = [];
      const { endpoint } = await serveScript({
        'tools/list': ({ response, id }) =>
          send(response, 200, `{"jsonrpc":"2.0","id":${id},"result":{"tools":${tools},"${name}":{"polluted":true}}}`),
        'tools/call': ({ response, id, params }) => {
          calls.push(params);
          send(response, 200, `{"jsonrpc":"2.0","id":${id},"result":${paid}}`);
        },
      });
      const before = await startInTime(endpoint);
      const after = JSON.parse(JSON.stringify(before).replaceAll('"one"', '"two"')) as StartResult;
      expect(compare({ before, after })).toMatchObject({
        diff: { tools: { modified: [{ name }] } },
        rugPulls: [{ name, fields: ['description'] }],
      });
      expect(calls).toHaveLength(1);
      expect(JSON.stringify(calls[0])).toContain(`"${name}":"polluted"`);
      expect(Object.keys(before.entries.x402.perTool)).toEqual([name]);
      expect(before.entries.probe).toEqual([{ name, outcome: 'gated' }]);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    },
  );

  it('that answers calls slowly has uncalled tools, and its lists are kept', async () => {
    const tools = Array.from({ length: 20 }, (_, index) => ({ ...plainTool, name: `tool${index}` }));
    const { endpoint } = await serveScript({ 'tools/list': { tools }, 'tools/call': () => {} });
    const result = await startInTime(endpoint, { probeLimits: { callTimeout: 500, totalTime: 1500 } });
    expect(new Set(codesOf(result))).toEqual(new Set(['PRB-004', 'PRB-013']));
    expect(result).toMatchObject({ status: true, categories: { hasTools: true } });
    expect(result.entries.tools).toHaveLength(20);
  });

  it('cannot make a finding unreadable, or control a terminal', async () => {
    const name = `\u001b[2Jred\u202e\n${'long'.repeat(10_000)}`;
    const { endpoint } = await serveScript({
      'tools/list': { tools: [{ name, inputSchema: {}, annotations: { destructiveHint: true } }] },
    });
    const { messages } = await startInTime(endpoint);
    expect(messages).toHaveLength(1);
    expect(messages[0]?.length).toBeLessThan(700);
    expect(messages[0]).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it('that repeats a header of the user does not leak it', async () => {
    const { endpoint } = await serveScript({
      'tools/list': ({ request, response, id }) =>
        sendRpc(response, { id, error: { code: -32000, message: `No: ${request.headers.authorization}` } }),
    });
    const result = await startInTime(endpoint, { headers: { authorization: 'Bearer top-secret-token' } });
    expect(result.messages[0]).toContain('[REDACTED]');
    expect(JSON.stringify(result)).not.toContain('top-secret-token');
  });

  it('uses bounded memory', async () => {
    const big = { ...plainTool, description: 'x'.repeat(100_000) };
    let page = 0;
    const { endpoint } = await serveScript({
      capabilities: { tools: {}, resources: {}, prompts: {} },
      'tools/list': ({ response, id }) =>
        sendRpc(response, { id, result: { tools: Array.from({ length: 50 }, () => big), nextCursor: `${page++}` } }),
    });
    const result = await startInTime(endpoint, { probe: 'none' });
    expect(codesOf(result)).toContain('CON-008');
    expect(JSON.stringify(result).length).toBeLessThan(20 * 1024 * 1024);
  });
});

it('keys in the query of the URL are never printed', async () => {
  const { endpoint } = await serveSdk2();
  const result = await startInTime(`${endpoint}?key=top-secret&a`);
  expect(result.entries.endpoint).toBe(`${endpoint}?key=REDACTED&REDACTED`);
  expect(JSON.stringify(result)).not.toContain('top-secret');
});

it('a tool without an input schema is reported by its name', async () => {
  const { endpoint } = await serveScript({
    'tools/list': { tools: [{ name: 'bare' }, { name: 'text', inputSchema: 'x' }] },
  });
  expect((await startInTime(endpoint)).messages).toEqual([
    'CON-009 tools: tools/list: no object as `inputSchema`: `bare`, `text`',
  ]);
});

it('redirects are reported with readable URLs', async () => {
  const told = async (location: string) => {
    const { endpoint } = await listen((_, response) => response.writeHead(307, { location }).end());
    return (await startInTime(endpoint)).messages.join();
  };
  expect(await told('file:///etc/passwd')).toContain('redirects to file:/etc/passwd');
  expect(await told('/mcp')).not.toContain('final address');
});
