import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Auth, Signature } from '../schema/format/format-types.generated.ts';
import { fetchTool } from './fetch-tool.ts';

interface Arrived {
  method: string;
  url: string;
  /** All that were sent, in order, with names in lower case. */
  headers: [name: string, value: string][];
  body: Buffer;
}

/** An API that keeps what it gets as it was on the wire, and sends every request on to `location`. */
async function startApi(location?: string): Promise<{ origin: string; arrived: Arrived[] }> {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', rawHeaders } = request;
    const headers = rawHeaders.flatMap((name, index): [string, string][] =>
      index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? '']] : [],
    );
    arrived.push({ method, url, headers, body: Buffer.concat(await request.toArray()) });
    response.writeHead(location === undefined ? 200 : 302, { ...(location !== undefined && { location }) }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived };
}

// Each credential begins with this, and nothing that a caller passes has it.
const mark = 'cr3d-';
const plain = fc.string({ unit: 'grapheme-ascii' });
const tricks = [
  'a&key=b',
  'key=b',
  '; key=b',
  ', key=b',
  'Bearer x',
  '\r\nAuthorization: x',
  '#',
  '?',
  '\n',
  'a\nb',
  '%',
  'é',
];
const text = fc.oneof(
  { weight: 5, arbitrary: plain },
  { weight: 2, arbitrary: fc.constantFrom(...tricks) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((value) => value.toWellFormed()) },
);
const mostlyPlain = fc.oneof({ weight: 9, arbitrary: plain }, { weight: 1, arbitrary: text });
const names = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('a', 'size', 'größe', 'x-key', 'cookie', '__proto__') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'key',
      'key[]',
      '[key]',
      'KEY',
      'authorization',
      'x-signature',
      'x-signature[]',
      'x-time',
    ),
  },
);
const credential = fc
  .oneof({ weight: 3, arbitrary: fc.base64String() }, { weight: 2, arbitrary: plain }, { weight: 1, arbitrary: text })
  .map((value) => `${mark}${value}`);
const given = fc.record(
  {
    note: text,
    'X-Note': mostlyPlain,
    crumb: text,
    more: fc.dictionary(names, text, { maxKeys: 4 }),
    filter: fc.dictionary(names, fc.oneof(text, fc.dictionary(names, text)), { maxKeys: 3 }),
  },
  { requiredKeys: [] },
);

function parameter(key: string, location: string, primitive = 'string()', style?: string) {
  const position = { key, value: '{{USER_PARAM}}', location, ...(style !== undefined && { style }) };
  return { position, z: { primitive, options: ['optional()'] } };
}

/** A tool with all places that a caller can fill, and the server parameters of its credentials. */
function mainOf(root: string, parts: { auth?: Auth; signature?: Signature }, method = 'GET') {
  const parameters = [
    parameter('note', 'query'),
    parameter('X-Note', 'header'),
    parameter('crumb', 'cookie'),
    parameter('more', 'query', 'object()', 'form'),
    parameter('filter', 'query', 'object()', 'deepObject'),
    ...(method === 'POST' ? [parameter('text', 'body')] : []),
  ];
  const tools = { list: { method, path: '/thing', description: 'Things', parameters } };
  const about = { namespace: 'desk', name: 'Desk', description: 'Things', version: '3.0.0', headers: {} };
  return { ...about, root, requiredServerParams: ['SECRET', 'NAME'], tools, ...parts };
}

const cookiesOf = (headers: Arrived['headers']) =>
  headers.flatMap(([name, value]) => (name === 'cookie' ? value.split(/; */) : []));
const valuesOf = (headers: Arrived['headers'], name: string) =>
  headers.flatMap(([one, value]) => (one === name ? [value] : []));
const apiKey = { type: 'apiKey', name: 'key', value: '{{SECRET}}' } as const;

interface Case {
  auth: Auth;
  /** The credentials that an API reads, by another parser, in all spellings of their place. */
  read(request: Arrived): (string | null)[];
  right(secret: string, name: string): string;
}

// Headers lose white space around their value.
const cases: [string, Case][] = [
  [
    'bearer',
    {
      auth: { type: 'bearer', token: '{{SECRET}}' },
      read: ({ headers }) => valuesOf(headers, 'authorization'),
      right: (secret) => `Bearer ${secret}`.trim(),
    },
  ],
  [
    'basic',
    {
      auth: { type: 'basic', username: '{{NAME}}', password: '{{SECRET}}' },
      read: ({ headers }) =>
        valuesOf(headers, 'authorization').map((value) =>
          Buffer.from(value.replace(/^Basic /, ''), 'base64').toString(),
        ),
      right: (secret, name) => `${name}:${secret}`,
    },
  ],
  [
    'a key in a header',
    {
      auth: { ...apiKey, in: 'header' },
      read: ({ headers }) => valuesOf(headers, 'key'),
      right: (secret) => secret.trim(),
    },
  ],
  [
    'a key in the query',
    {
      auth: { ...apiKey, in: 'query' },
      read({ url }) {
        const { searchParams } = new URL(url, 'http://api');
        return [...searchParams].flatMap(([name, value]) => (/^\[?key\b/i.test(name) ? [value] : []));
      },
      right: (secret) => secret,
    },
  ],
  [
    'a key in a cookie',
    {
      auth: { ...apiKey, in: 'cookie' },
      read: ({ headers }) =>
        cookiesOf(headers).flatMap((cookie) => (cookie.startsWith('key=') ? [cookie.slice(4)] : [])),
      right: (secret) => secret,
    },
  ],
];

describe.each(cases)('%s', (_, { auth, read, right }) => {
  test('is the right one, once, in its place and for its origin, whatever callers pass, or nothing is sent', async () => {
    let sent = 0;
    const other = await startApi();
    const [api, moved] = [await startApi(), await startApi(`${other.origin}/`)];
    await fc.assert(
      fc.asyncProperty(credential, text, given, async (secret, name, userParams) => {
        for (const { arrived } of [api, moved, other]) arrived.length = 0;
        const serverParams = { SECRET: secret, NAME: `${mark}${name}` };
        const call = (root: string) =>
          fetchTool({ main: mainOf(root, { auth }), routeName: 'list', serverParams, userParams });
        const result = await call(api.origin);
        await call(moved.origin);
        if (!result.status) {
          expect(result.findings.map(({ code }) => code).join()).toMatch(
            /^(INP\d+|SECRET_INVALID|INVALID_REQUEST)(,|$)/,
          );
          expect([api.arrived, moved.arrived, other.arrived]).toEqual([[], [], []]);
          return;
        }
        const [request] = api.arrived;
        if (request === undefined) throw new Error('nothing arrived');
        sent += 1;
        expect(read(request)).toEqual([right(secret, serverParams.NAME)]);
        const spelled = encodeURIComponent(mark);
        const count = JSON.stringify([request.url, request.headers]).split(spelled).length - 1;
        expect(count).toBe(auth.type === 'basic' ? 0 : 1);
        // A private address that nobody granted is not reached at all.
        expect([moved.arrived.length, other.arrived]).toEqual([1, []]);
      }),
      { numRuns: 80 },
    );
    expect(sent).toBeGreaterThan(20);
  });
});

const parts = fc.constantFrom(
  '{{method}}',
  '{{host}}',
  '{{path}}',
  '{{query}}',
  '{{target}}',
  '{{body}}',
  '{{timestampMs}}',
  '{{nonce}}',
  '|',
);
const form = fc.record({
  algorithm: fc.constantFrom('sha256', 'sha512', 'sha1'),
  message: fc.array(parts, { minLength: 1, maxLength: 6 }).filter((all) => all.some((part) => part !== '|')),
  encoding: fc.constantFrom('hex', 'base64'),
  in: fc.constantFrom('header', 'query'),
  inQuery: fc.boolean(),
});

test('a signature is that of the request as it arrived, once, whatever callers pass', async () => {
  let sent = 0;
  const { origin, arrived } = await startApi();
  const body = text.map((value) => ({ text: value }));
  await fc.assert(
    fc.asyncProperty(
      credential,
      given,
      body,
      form,
      async (secret, fields, { text: posted }, { inQuery, message, ...rest }) => {
        arrived.length = 0;
        const times = { 'x-time': '{{timestampMs}}', 'x-nonce': '{{nonce}}' };
        const signature: Signature = {
          ...{ ...rest, type: 'hmac', secret: '{{SECRET}}', name: 'x-signature', message: message.join('') },
          ...(inQuery ? { query: times } : { headers: times }),
        };
        const main = mainOf(origin, { signature }, 'POST');
        const userParams = { ...fields, text: posted };
        const result = await fetchTool({
          main,
          routeName: 'list',
          serverParams: { SECRET: secret, NAME: 'x' },
          userParams,
        });
        if (!result.status) {
          expect(arrived).toEqual([]);
          return;
        }
        sent += 1;
        const [request] = arrived;
        if (request === undefined) throw new Error('nothing arrived');
        const [path = '', query = ''] = request.url.split(/\?(.*)/s);
        // The query as it was signed: without the signature, which is the last.
        const signed = rest.in === 'query' ? query.replace(/&?x-signature=[^&]*$/, '') : query;
        const search = new URLSearchParams(query);
        const all = (name: string, isInQuery: boolean) =>
          isInQuery ? search.getAll(name) : valuesOf(request.headers, name);
        const facts: Record<string, string | Buffer | undefined> = {
          ...{ method: request.method, host: new URL(origin).host, path, query: signed, body: request.body },
          ...{ target: `${path}${signed === '' ? '' : `?${signed}`}` },
          ...{ timestampMs: all('x-time', inQuery)[0], nonce: all('x-nonce', inQuery)[0] },
        };
        const hmac = createHmac(rest.algorithm, secret);
        for (const part of message) hmac.update(facts[part.slice(2, -2)] ?? part);
        expect(all('x-signature', rest.in === 'query')).toEqual([hmac.digest(rest.encoding)]);
        expect([all('x-time', inQuery).length, all('x-nonce', inQuery).length]).toEqual([1, 1]);
        // What is signed is what was meant.
        expect(search.get('note')).toBe(fields.note ?? null);
        expect(JSON.parse(request.body.toString())).toEqual({ text: posted });
        expect(JSON.stringify([request.url, request.headers, request.body.toString()])).not.toContain(mark);
      },
    ),
    { numRuns: 150 },
  );
  expect(sent).toBeGreaterThan(50);
});
