import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type EchoApi, startEchoApi } from '../schema/legacy/fixtures/echo-api.ts';
import { SchemaKit } from '../schemakit.ts';

const mainOf = ({ origin }: EchoApi) => ({
  namespace: 'desk',
  name: 'Desk',
  description: 'A desk',
  version: '3.0.0',
  root: origin,
  requiredServerParams: [],
  requiredLibraries: [],
  headers: { 'X-Own': 'yes' },
  tools: { send: { method: 'POST', path: '/?q=1', description: 'Send', parameters: [] } },
});

/** Calls a tool whose file has these handlers. */
async function call(api: EchoApi, handlers: string, before = '') {
  const folder = await mkdtemp(join(tmpdir(), 'hook-results-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const filePath = join(folder, 'desk.mjs');
  const main = JSON.stringify(mainOf(api));
  await writeFile(filePath, `export const main = ${main};\n${before}\nexport const handlers = () => (${handlers});`);
  const schema = await SchemaKit.loadSchema({ filePath, source: 'tests' });
  expect(schema.status, schema.messages.join('\n')).toBe(true);
  return SchemaKit.fetch({ schema, routeName: 'send' });
}

const pre = (body: string) => `{ send: { preRequest: async ({ struct }) => { ${body}; return { struct }; } } }`;

type Sent = [name: string, body: string, sent: { url?: string; body?: unknown; headers?: Record<string, unknown> }];

const form = /^multipart\/form-data; ?boundary=/;
const spellings: Sent[] = [
  [
    'Headers',
    `struct.headers = new Headers({ 'X-A': '1', accept: 'text/csv' })`,
    { headers: { 'x-a': '1', accept: 'text/csv' } },
  ],
  ['pairs of headers', `struct.headers = [['X-A', '1'], ['X-A', '2']]`, { headers: { 'x-a': '1, 2' } }],
  [
    'URLSearchParams as the body',
    `struct.body = new URLSearchParams({ a: 'ü' })`,
    { body: 'a=%C3%BC', headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' } },
  ],
  [
    'a form',
    `struct.body = new FormData(); struct.body.set('a', 'ü')`,
    {
      body: expect.stringContaining('name="a"\r\n\r\nü\r\n'),
      headers: { 'content-type': expect.stringMatching(form) },
    },
  ],
  ['a buffer', `struct.body = Buffer.from('abc')`, { body: 'abc', headers: { 'content-type': 'application/json' } }],
  [
    'a blob',
    `struct.body = new Blob(['a,b'], { type: 'text/csv' })`,
    { body: 'a,b', headers: { 'content-type': 'text/csv' } },
  ],
  ['URLSearchParams as the query', `struct.queryParams = new URLSearchParams('z=1&z=2')`, { url: '/?z=1&z=2' }],
  ['a query as text', `struct.queryParams = '?z=1'`, { url: '/?z=1' }],
  [
    'an object in the query',
    `struct.queryParams = { o: { x: 1 }, l: [1, 2], n: null }`,
    { url: `/?${new URLSearchParams({ o: '{"x":1}', l: '1,2' })}` },
  ],
  ['a URL', `struct.url = new URL('/there?z=1', struct.url)`, { url: '/there?z=1' }],
];

describe('values that preRequest may write as for fetch', () => {
  test.each(spellings)('%s', async (_name, body, sent) => {
    const api = await startEchoApi();
    const { status, messages } = await call(api, pre(body));
    expect({ status, messages }).toEqual({ status: true, messages: [] });
    expect(api.arrived).toMatchObject([sent]);
  });

  test.each(spellings)('%s, in a hook of the program itself', async (_name, body, sent) => {
    const api = await startEchoApi();
    const run = new Function('{ struct }', `${body}; return { struct };`);
    const handlersFn = () => ({ send: { preRequest: async (context: unknown) => run(context) } });
    const { handlerMap } = SchemaKit.createHandlers({ handlersFn, routeNames: ['send'] });
    const { status, messages } = await SchemaKit.fetch({ main: mainOf(api), handlerMap, routeName: 'send' });
    expect({ status, messages }).toEqual({ status: true, messages: [] });
    expect(api.arrived).toMatchObject([sent]);
  });

  test('Headers replace the planned ones', async () => {
    const api = await startEchoApi();
    await call(api, pre('struct.headers = new Headers(struct.headers); struct.headers.set("x-more", "1")'));
    expect(api.arrived[0]?.headers).toMatchObject({ 'x-own': 'yes', 'x-more': '1' });
  });

  test('a content type set by the handler is kept', async () => {
    const api = await startEchoApi();
    const type = 'application/vnd.desk+json';
    await call(api, pre(`struct.headers['Content-Type'] = '${type}'; struct.body = new Blob(['{}'], { type: 'x/y' })`));
    expect(api.arrived[0]?.headers['content-type']).toBe(type);
  });
});

describe('an invalid request names its field, and nothing is sent', () => {
  test.each([
    ['struct.method is FETCH', `struct.method = 'FETCH'`],
    ['struct.method is 7', 'struct.method = 7'],
    ['struct.url is an object', 'struct.url = { href: struct.url }'],
    ['struct.headers is text', `struct.headers = 'X: 1'`],
    ['struct.headers.X-A is an object', `struct.headers['X-A'] = { a: 1 }`],
    ['struct.queryParams is 1', 'struct.queryParams = 1'],
    ['struct.body has bytes that are no text', 'struct.body = Buffer.from([255, 0])'],
  ])('%s', async (message, body) => {
    const api = await startEchoApi();
    const { status, findings } = await call(api, pre(body));
    expect({ status, arrived: api.arrived }).toEqual({ status: false, arrived: [] });
    expect(findings).toMatchObject([
      { code: 'HANDLER_RESULT_INVALID', message: expect.stringContaining(message), hint: expect.any(String) },
    ]);
  });
});

describe('a hook whose result is ignored gives a warning', () => {
  test.each([
    ['postRequest', 'async () => [1]', 'postRequest of send returned a list of 1 item', '{ response }'],
    ['postRequest', 'async () => ({ total: 1, items: [] })', 'an object with total, items', '{ response }'],
    ['postRequest', `async () => 'text'`, 'send returned text', '{ response }'],
    [
      'executeRequest',
      'async () => ({ total: 1 })',
      'executeRequest of send returned an object with total',
      '{ response }',
    ],
    ['preRequest', 'async () => ({ q: 1 })', 'preRequest of send returned an object with q', '{ struct }'],
  ])('%s: %s', async (hook, code, message, write) => {
    const { status, findings } = await call(await startEchoApi(), `{ send: { ${hook}: ${code} } }`);
    expect(status).toBe(true);
    expect(findings).toMatchObject([
      {
        code: 'HANDLER_RESULT_IGNORED',
        severity: 'warning',
        path: 'send',
        message: expect.stringContaining(message),
        hint: expect.stringContaining(write),
      },
    ]);
  });

  test.each([
    ['postRequest', 'async () => undefined'],
    ['postRequest', 'async () => ({ response: [] })'],
    ['postRequest', 'async ({ struct }) => { struct.data = 1; return 1; }'],
    ['preRequest', 'async ({ struct }) => { struct.body = 1; return struct; }'],
    ['preRequest', 'async ({ struct, payload }) => ({ struct, payload })'],
    ['executeRequest', 'async ({ struct }) => ({ struct })'],
    ['postProcess', 'async () => [1]'],
  ])('and one whose result is used does not: %s: %s', async (hook, code) => {
    const { findings } = await call(await startEchoApi(), `{ send: { ${hook}: ${code} } }`);
    expect(findings).toEqual([]);
  });
});

test.each([
  [
    'a class',
    'class Hooks { async postRequest({ response }) { return { response: this.of(response) }; } of({ method }) { return method; } }',
    'new Hooks()',
  ],
  [
    'a class that extends another',
    'class Base { async postRequest({ response }) { return { response: response.method }; } }\nclass Hooks extends Base {}',
    'new Hooks()',
  ],
  [
    'an object that inherits',
    `const base = { postRequest: async ({ response }) => ({ response: response.method }) };`,
    'Object.create(base)',
  ],
])('hooks of %s run', async (_name, before, made) => {
  const { status, data } = await call(await startEchoApi(), `{ send: ${made} }`, before);
  expect({ status, data }).toEqual({ status: true, data: 'POST' });
});

test('a hook that times out names the total time of all hooks of a call', async () => {
  vi.stubEnv('SCHEMAKIT_HANDLER_TIMEOUT_MS', '1500');
  onTestFinished(() => void vi.unstubAllEnvs());
  const wait = 'await new Promise((resolve) => setTimeout(resolve, 300))';
  const handlers = `{ send: { preRequest: async () => { ${wait}; }, postRequest: () => new Promise(() => {}) } }`;
  const { findings } = await call(await startEchoApi(), handlers);
  expect(findings).toMatchObject([{ code: 'HANDLER_TIMEOUT', message: expect.stringContaining('within 1500 ms') }]);
});

test('a handler that does not follow redirects gets them', async () => {
  const api = await startEchoApi();
  const server = createServer((_request, response) => response.writeHead(302, { location: '/there' }).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const code = `{ send: { executeRequest: async ({ payload }) => {
    const { status, headers } = await fetch(payload.url, { redirect: 'manual' });
    return { response: [status, headers.get('location')] };
  } } }`;
  const { data, messages } = await call({ ...api, origin: `http://127.0.0.1:${port}` }, code);
  expect(data, messages.join()).toEqual([302, '/there']);
});
