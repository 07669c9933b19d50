import { SchemaKit } from '@schemakit/core';
import { expect, test } from 'vitest';
import { startParsingApi } from '../../packages/core/src/call/fixtures/parsing-api.ts';

type Fields = Record<string, unknown>;

function parameter(key: string, location: string, primitive = 'string()', position: Fields = {}): Fields {
  return { position: { key, value: '{{USER_PARAM}}', location, ...position }, z: { primitive, options: [] } };
}

const serverParams = { KEY: 'k3y-of-the-library' };
const lines = 'array(object({ isbn: string(), count: integer().min(1) }))';
const pages = { items: 'items', maxPages: 2 };
const numbered = { style: 'page', parameter: 'page', ...pages };
const hmac = { type: 'hmac', algorithm: 'sha256', secret: '{{KEY}}', message: '{{path}}', encoding: 'hex' };

/** Two schemas that use each addition between them twice: by the arguments of each tool. */
const schemas = [
  {
    auth: { type: 'bearer', token: '{{KEY}}' },
    signature: { ...hmac, in: 'header', name: 'X-Signature' },
    paginations: [numbered, { ...numbered, style: 'offset', parameter: 'offset' }],
    expected: { authorization: 'Bearer [REDACTED]', 'x-signature': expect.stringMatching(/^[0-9a-f]{64}$/) },
  },
  {
    auth: { type: 'apiKey', in: 'header', name: 'X-Key', value: '{{KEY}}' },
    signature: { ...hmac, encoding: 'base64', in: 'header', name: 'X-Sum' },
    paginations: [
      { style: 'cursor', parameter: 'after', next: 'next', ...pages },
      { style: 'link', next: 'link', ...pages },
    ],
    expected: { 'x-key': '[REDACTED]', 'x-sum': expect.stringMatching(/^[\w+/]{43}=$/) },
  },
];

const file = 'data:text/plain;name=a.txt;base64,aGVsbG8=';
const bodies = [
  ['json', lines, [{ isbn: '1', count: 2 }], { value: [{ isbn: '1', count: 2 }] }],
  ['form', 'array(string())', ['a', 'b'], { value: ['a', 'b'] }],
  ['multipart', 'file()', file, { files: [{ name: 'value', filename: 'a.txt', base64: 'aGVsbG8=' }] }],
  ['text', 'string()', 'hello', 'hello'],
  ['binary', 'file()', file, 'hello'],
] as const;

test.each(schemas)(
  'additions of the format with auth $auth.type',
  async ({ auth, signature, paginations, expected }) => {
    const { origin, requests } = await startParsingApi((request) => {
      if (!request.url.startsWith('/pages')) return { body: request };
      return { body: { items: [request.url], next: 'two', link: '/pages?link=2' } };
    });
    const tool = (parts: Fields): Fields => ({
      method: 'POST',
      path: '/',
      description: 'One',
      parameters: [],
      ...parts,
    });
    const find = tool({
      method: 'GET',
      parameters: [
        parameter('X-Trace', 'header'),
        parameter('theme', 'cookie'),
        parameter('ids', 'query', 'array(integer())', { style: 'form', explode: true }),
      ],
      headers: { 'x-client': 'tool' },
      accept: 'application/json',
    });
    const posts = bodies.map(([encoding, primitive]) => [
      encoding,
      tool({ encoding, parameters: [parameter('value', 'body', primitive)] }),
    ]);
    const paged = paginations.map((pagination) => [
      pagination.style,
      tool({ method: 'GET', path: '/pages', pagination }),
    ]);
    const main = {
      ...{
        namespace: 'library',
        name: 'Library',
        description: 'Books',
        version: '3.0.0',
        root: origin,
        auth,
        signature,
      },
      ...{ requiredServerParams: ['KEY'], headers: { 'X-Client': 'main' } },
      tools: { find, ...Object.fromEntries([...posts, ...paged]) },
    };
    expect(SchemaKit.validateMain({ main }).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const call = async (routeName: string, userParams = {}) => {
      const { status, data, messages } = await SchemaKit.fetch({ main, routeName, userParams, serverParams });
      expect(status, messages.join('\n')).toBe(true);
      return data;
    };
    expect(await call('find', { 'X-Trace': '7', theme: 'dark', ids: [1, 2] })).toMatchObject({
      query: { ids: ['1', '2'] },
      headers: { ...expected, 'x-trace': '7', cookie: 'theme=dark', 'x-client': 'tool', accept: 'application/json' },
    });
    for (const [encoding, , value, body] of bodies) {
      expect(await call(encoding, { value }), encoding).toMatchObject({ body });
    }
    for (const { style } of paginations) {
      const data = await call(style);
      expect(data, style).toMatchObject({ items: [expect.any(String), expect.any(String)] });
    }
    expect(requests).toHaveLength(1 + bodies.length + 2 * paginations.length);
  },
);
