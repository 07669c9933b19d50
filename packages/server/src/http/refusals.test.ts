import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from '../create-server.ts';
import { openQuotes, type Quotes } from '../fixtures/quotes.ts';
import type { RefusalRecord } from './http-handlers.ts';
import type { ListenOptions } from './http-server.ts';

let quotes: Quotes;
beforeAll(async () => {
  quotes = await openQuotes();
});
afterAll(() => quotes.close());

const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const secret = 'open-sesame';

async function open(options: ListenOptions = {}) {
  const refusals: RefusalRecord[] = [];
  const { url, close } = await createServer(quotes.main).http({
    maxBodyBytes: 4096,
    onRefusal: (refusal) => refusals.push(refusal),
    ...options,
  });
  onTestFinished(() => close({ graceMs: 0 }));
  const post = (headers: Record<string, string> = {}, body = '{}') =>
    fetch(`${url}/mcp?key=${secret}`, { method: 'POST', headers: { ...json, ...headers }, body });
  return { url, post, refusals };
}

describe('a refused request is reported without secrets,', () => {
  test.each<[string, ListenOptions, Record<string, string>, string, Partial<RefusalRecord>]>([
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
    ['that is not JSON', {}, {}, secret, { status: 400 }],
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
      { status: 402, reason: 'Status 402' },
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

  test('also without a socket', async () => {
    const refusals: RefusalRecord[] = [];
    const onRefusal = (refusal: RefusalRecord) => refusals.push(refusal);
    const { fetch: ask, close } = createServer(quotes.main).middleware({ auth: secret, onRefusal });
    onTestFinished(() => close());
    await ask(new Request('http://127.0.0.1/mcp', { method: 'DELETE' }));
    expect(refusals).toEqual([{ status: 401, method: 'DELETE', path: '/mcp', reason: expect.any(String) }]);
  });

  test('and with a shortened path', async () => {
    const { url, refusals } = await open({ auth: secret });
    await fetch(`${url}/${'x'.repeat(5000)}`);
    expect(refusals[0]?.path).toHaveLength(200);
  });
});

test.each([
  ['application/json', '{"a":"ü"}'],
  ['application/octet-stream', '\u{0}ü'],
])('the response of an auth function is sent unchanged, as %s', async (type, body) => {
  const headers = new Headers({ 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(body)) });
  headers.append('Set-Cookie', 'a=1');
  headers.append('Set-Cookie', 'b=2');
  const { post } = await open({ auth: async () => new Response(body, { status: 403, headers }) });
  const response = await post();
  expect([response.status, response.headers.get('content-type')]).toEqual([403, type]);
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(await response.text()).toBe(body);
});

test('refused requests are counted for Prometheus', async () => {
  const { url, post } = await open();
  await post({ Origin: 'https://evil.example' });
  await post({ Origin: 'https://evil.example' });
  await post({}, 'x');
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text).toContain('mcp_refused_requests_total{status="403"} 2\nmcp_refused_requests_total{status="400"} 1\n');
});

describe('a refusal lists what is allowed and how to allow more', () => {
  const usual = 'localhost, 127.0.0.1, [::1]';
  const messageTo = async (options: ListenOptions, address: string, headers: Record<string, string> = {}) => {
    const { fetch: ask, close } = createServer(quotes.main).middleware(options);
    onTestFinished(() => close());
    const response = await ask(new Request(address, { method: 'POST', headers: { ...json, ...headers } }));
    expect(response.status).toBe(403);
    return ((await response.json()) as { error: { message: string } }).error.message;
  };

  test.each<[string, ListenOptions, string, string]>([
    ['default', {}, 'tools.example.com:8080', `allowed: ${usual}.`],
    ['given names', { allowedHosts: ['a.example', 'b.example'] }, '127.0.0.1', 'allowed: a.example, b.example.'],
    ['an empty list', { allowedHosts: [] }, '127.0.0.1', 'allowed: none.'],
  ])('of a host: %s', async (_, options, host, expected) => {
    const message = await messageTo(options, `http://${host}/mcp`);
    const [name] = host.split(':');
    expect(message).toContain(`Host ${name} is not allowed; `);
    expect(message).toContain(expected);
    expect(message).toContain(`--allowed-host ${name}, or allowedHosts`);
  });

  test.each<[string, ListenOptions, string, string]>([
    [
      'of another machine',
      {},
      'https://pages.example:444',
      `Origin pages.example is not allowed; allowed: ${usual}. The operator can add it: --allowed-origin pages.example, or allowedOrigins.`,
    ],
    ['an empty list', { allowedOrigins: [] }, 'http://localhost', 'Origin localhost is not allowed; allowed: none.'],
    ['invalid', {}, 'null', `Origin 'null' is not valid; allowed: ${usual}.`],
  ])('of an origin: %s', async (_, options, origin, expected) => {
    expect(await messageTo(options, 'http://127.0.0.1/mcp', { Origin: origin })).toContain(expected);
  });

  test('with a shortened name', async () => {
    expect((await messageTo({}, 'http://127.0.0.1/mcp', { Origin: 'x'.repeat(5000) })).length).toBeLessThan(500);
  });
});
