import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openQuotes, type Quotes } from '../fixtures/quotes.ts';
import type { RefusalRecord } from '../telemetry/call-log.ts';
import { type CreateServerOptions, createServer } from './create-server.ts';

let quotes: Quotes;
beforeAll(async () => {
  quotes = await openQuotes();
});
afterAll(() => quotes.close());

const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const secret = 'open-sesame';

async function open(options: CreateServerOptions = {}) {
  const refusals: RefusalRecord[] = [];
  const server = createServer(quotes.main, {
    maxBodyBytes: 4096,
    onRefusal: (refusal) => refusals.push(refusal),
    ...options,
  });
  const { url, stop } = await server.listen();
  onTestFinished(async () => {
    await server.close({ graceMs: 0 });
    await stop();
  });
  const post = (headers: Record<string, string> = {}, body = '{}') =>
    fetch(`${url}/mcp?key=${secret}`, { method: 'POST', headers: { ...json, ...headers }, body });
  return { server, url, post, refusals };
}

describe('a request that is refused is told of, without what is secret,', () => {
  test.each<[string, CreateServerOptions, Record<string, string>, string, Partial<RefusalRecord>]>([
    ['without a token', { auth: secret }, {}, '{}', { status: 401, reason: expect.stringContaining('needs a token') }],
    [
      'with a wrong one',
      { auth: 'other' },
      { Authorization: `Bearer ${secret}` },
      '{}',
      { status: 401, reason: 'The token is not valid.' },
    ],
    [
      'of another site',
      {},
      { Origin: 'https://evil.example' },
      '{}',
      { status: 403, reason: expect.stringContaining('evil.example') },
    ],
    ['that is too large', {}, {}, `{"a":"${secret.repeat(500)}"}`, { status: 413 }],
    ['that is no JSON', {}, {}, secret, { status: 400 }],
    ['of another type', {}, { 'Content-Type': 'text/plain' }, '{}', { status: 415 }],
    [
      'by a function, with its challenge',
      {
        auth: async () =>
          new Response(secret, {
            status: 403,
            headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope", error_description="Not \\"write\\""' },
          }),
      },
      {},
      '{}',
      { status: 403, reason: 'Not "write"' },
    ],
    [
      'by a function, without one',
      { auth: async () => new Response(secret, { status: 402 }) },
      {},
      '{}',
      { status: 402, reason: 'It was answered 402.' },
    ],
  ])('%s', async (_, options, headers, body, expected) => {
    const { post, refusals } = await open(options);
    const response = await post(headers, body);
    expect(response.status).toBe(expected.status);
    expect(refusals).toEqual([
      { method: 'POST', path: '/mcp', address: '127.0.0.1', reason: expect.any(String), ...expected },
    ]);
    expect(JSON.stringify(refusals)).not.toContain(secret);
  });

  test('also where a program made it', async () => {
    const { server, refusals } = await open({ auth: secret });
    await server.fetch(new Request('http://127.0.0.1/mcp', { method: 'DELETE' }));
    expect(refusals).toEqual([{ status: 401, method: 'DELETE', path: '/mcp', reason: expect.any(String) }]);
  });

  test('and with no more of its path than is worth reading', async () => {
    const { url, refusals } = await open({ auth: secret });
    await fetch(`${url}/${'x'.repeat(5000)}`);
    expect(refusals[0]?.path).toHaveLength(200);
  });
});

test.each([
  ['application/json', '{"a":"ü"}'],
  ['application/octet-stream', '\u{0}ü'],
])('what a function answers is passed on as it is, as %s', async (type, body) => {
  const headers = new Headers({ 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(body)) });
  headers.append('Set-Cookie', 'a=1');
  headers.append('Set-Cookie', 'b=2');
  const { post } = await open({ auth: async () => new Response(body, { status: 403, headers }) });
  const response = await post();
  expect([response.status, response.headers.get('content-type')]).toEqual([403, type]);
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(await response.text()).toBe(body);
});

test('requests that are refused are counted for Prometheus', async () => {
  const { url, post } = await open();
  await post({ Origin: 'https://evil.example' });
  await post({ Origin: 'https://evil.example' });
  await post({}, 'x');
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text).toContain('mcp_refused_requests_total{status="403"} 2\nmcp_refused_requests_total{status="400"} 1\n');
});

describe('a refusal says what was expected and how to allow more', () => {
  const usual = 'localhost, 127.0.0.1, [::1]';
  const messageTo = async (options: CreateServerOptions, address: string, headers: Record<string, string> = {}) => {
    const server = createServer(quotes.main, options);
    onTestFinished(() => server.close());
    const response = await server.fetch(new Request(address, { method: 'POST', headers: { ...json, ...headers } }));
    expect(response.status).toBe(403);
    return ((await response.json()) as { error: { message: string } }).error.message;
  };

  test.each<[string, CreateServerOptions, string, string]>([
    ['of the names of this machine', {}, 'tools.example.com:8080', `answers only as ${usual}.`],
    [
      'of names that were given',
      { allowedHosts: ['a.example', 'b.example'] },
      '127.0.0.1',
      'only as a.example, b.exam',
    ],
    ['of none', { allowedHosts: [] }, '127.0.0.1', 'answers only as nobody.'],
  ])('where the host is none %s', async (_, options, host, expected) => {
    const message = await messageTo(options, `http://${host}/mcp`);
    const [name] = host.split(':');
    expect(message).toContain(`was asked as ${name}, and answers only as `);
    expect(message).toContain(expected);
    expect(message).toContain(`--allowed-host ${name}, or allowedHosts`);
  });

  test.each<[string, CreateServerOptions, string, string]>([
    [
      'is none of this machine',
      {},
      'https://pages.example:444',
      `Only pages of ${usual} may ask this server, and this one is of pages.example. Whoever runs it can allow more: --allowed-origin pages.example, or allowedOrigins.`,
    ],
    [
      'was not given',
      { allowedOrigins: [] },
      'http://localhost',
      'Only pages of nobody may ask this server, and this one is of localhost.',
    ],
    ['is nowhere', {}, 'null', `Only pages of ${usual} may ask this server, and 'null' names none.`],
  ])('where the page %s', async (_, options, origin, expected) => {
    expect(await messageTo(options, 'http://127.0.0.1/mcp', { Origin: origin })).toContain(expected);
  });

  test('but no more of a name than a name can have', async () => {
    expect((await messageTo({}, 'http://127.0.0.1/mcp', { Origin: 'x'.repeat(5000) })).length).toBeLessThan(500);
  });
});
