import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SchemaKit } from '../schemakit.ts';
import { type ParsedRequest, startParsingApi } from './fixtures/parsing-api.ts';
import { previewCall } from './preview-call.ts';

type Parameter = Record<string, unknown> & { z?: string; options?: string[] };

function parameters(given: Record<string, Parameter>): unknown[] {
  return Object.entries(given).map(([key, { z = 'string()', options = [], ...position }]) => ({
    position: { key, value: '{{USER_PARAM}}', location: 'query', ...position },
    z: { primitive: z, options },
  }));
}

function mainOf(
  root: string,
  tool: Record<string, unknown>,
  main: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    namespace: 'shop',
    name: 'Shop',
    description: 'Orders',
    version: '3.0.0',
    root,
    requiredServerParams: [],
    headers: {},
    ...main,
    tools: { order: { method: 'GET', path: '/orders', description: 'Order', parameters: [], ...tool } },
  };
}

/** What the API reads of a call. */
async function sent(
  tool: Record<string, unknown>,
  userParams: object,
  { serverParams = {}, ...main }: Record<string, unknown> = {},
): Promise<ParsedRequest> {
  const { origin, requests } = await startParsingApi();
  const options = { routeName: 'order', userParams, serverParams: serverParams as Record<string, string> };
  const { status, messages } = await SchemaKit.fetch({ main: mainOf(origin, tool, main), ...options });
  if (!status) throw new Error(messages.join('\n'));
  const [request] = requests;
  if (request === undefined) throw new Error('nothing was sent');
  return request;
}

/** The codes of the findings that refuse a call. */
async function refused(tool: Record<string, unknown>, userParams: object): Promise<string[]> {
  const { origin, requests } = await startParsingApi();
  const { status, findings } = await SchemaKit.fetch({ main: mainOf(origin, tool), routeName: 'order', userParams });
  expect([status, requests.length]).toEqual([false, 0]);
  return findings.map(({ code, path }) => `${code} ${path}`);
}

test('values go to headers and cookies, with the secrets among them', async () => {
  const tool = {
    parameters: [
      ...parameters({ 'X-Trace': { location: 'header' }, theme: { location: 'cookie' } }),
      ...parameters({ session: { location: 'cookie', value: '{{SERVER_PARAM:SESSION}}' } }),
    ],
  };
  const main = { requiredServerParams: ['SESSION'], headers: { Cookie: 'a=b', 'x-trace': 'none' } };
  const { headers } = await sent(
    tool,
    { 'X-Trace': 'Füß 1', theme: 'dark; admin=1' },
    { ...main, serverParams: { SESSION: 's%3A+/=' } },
  );
  expect(headers.cookie).toBe('a=b; theme=dark%3B%20admin=1; session=s%3A+/=');
  expect(Buffer.from(headers['x-trace'] ?? '', 'latin1').toString('latin1')).toBe('Füß 1');
});

test.each([['a\r\nX-Admin: 1'], ['a\nb'], ['a\0b'], ['→']])('a header with %j is refused', async (value) => {
  const tool = { parameters: parameters({ 'X-Trace': { location: 'header' } }) };
  expect(await refused(tool, { 'X-Trace': value })).toEqual(['INP011 X-Trace']);
});

test('headers of a tool stand over those of main, in any case, and null leaves one out', async () => {
  const tool = { headers: { 'accept-language': 'de', 'X-Old': null, 'X-New': 7 } };
  const { headers } = await sent(tool, {}, { headers: { 'Accept-Language': 'en', 'X-Old': '1', 'X-Kept': 'yes' } });
  expect(headers).toMatchObject({ 'accept-language': 'de', 'x-new': '7', 'x-kept': 'yes' });
  expect(headers).not.toHaveProperty('x-old');
});

test.each([
  [{ style: 'form' }, [1, 2], 'ids=1&ids=2'],
  [{ style: 'form', explode: false }, ['a,b', 'c'], 'ids=a%2Cb,c'],
  [{ explode: true }, [1, 2], 'ids=1&ids=2'],
  [{ style: 'spaceDelimited' }, [1, 2], 'ids=1%202'],
  [{ style: 'pipeDelimited' }, [1, 2], 'ids=1%7C2'],
  [{}, [1, 2], 'ids=1%2C2'],
])('a list in a query with %j', async (style, value, query) => {
  const { url } = await sent({ parameters: parameters({ ids: { ...style, z: 'array()' } }) }, { ids: value });
  expect(url).toBe(`/orders?${query}`);
});

test.each([
  [{ style: 'form', explode: false }, 'R,100,G,200'],
  [{ style: 'deepObject' }, undefined],
])('an object in a query with %j', async (style, text) => {
  const { query } = await sent(
    { parameters: parameters({ c: { ...style, z: 'object()' } }) },
    { c: { R: 100, G: 200 } },
  );
  expect(query).toEqual({ c: text ?? { R: '100', G: '200' } });
});

test.each([
  ['simple', false, [1, 2], '/orders/1,2'],
  ['simple', true, { a: 1, b: 'x/y' }, '/orders/a=1,b=x%2Fy'],
  ['label', false, [1, 2], '/orders/.1,2'],
  ['label', true, { a: 1 }, '/orders/.a=1'],
  ['matrix', false, [1, 2], '/orders/;id=1,2'],
  ['matrix', true, [1, 2], '/orders/;id=1;id=2'],
])('a path with the style %s and explode %s', async (style, explode, value, url) => {
  const z = Array.isArray(value) ? 'array()' : 'object()';
  const tool = { path: '/orders/{{id}}', parameters: parameters({ id: { location: 'insert', style, explode, z } }) };
  expect((await sent(tool, { id: value })).url).toBe(url);
});

test.each([
  ['another parameter', { style: 'form' }, { key: 'mine' }],
  ['a name in the path', { style: 'form' }, { fixed: 'mine' }],
  ['a bracket', { style: 'deepObject' }, { 'a][b': 1 }],
])('a member of an object cannot become %s', async (_, style, value) => {
  const tool = {
    path: '/orders?fixed=1',
    parameters: parameters({ filter: { ...style, z: 'object()' }, key: { options: ['optional()'] } }),
  };
  expect(await refused(tool, { filter: value })).toEqual(['INP012 filter']);
});

test.each([
  ['json', 'application/json', { title: 'a&b', tags: ['x', 'y'] }],
  ['form', 'application/x-www-form-urlencoded', { title: 'a&b', tags: ['x', 'y'] }],
])('a body is written as %s', async (encoding, type, expected) => {
  const tool = {
    method: 'POST',
    encoding,
    parameters: parameters({ title: { location: 'body' }, tags: { location: 'body', z: 'array()' } }),
  };
  const { headers, body } = await sent(
    tool,
    { title: 'a&b', tags: ['x', 'y'] },
    { headers: { 'Content-Type': 'text/xml' } },
  );
  expect([headers['content-type'], body]).toEqual([type, expected]);
});

test('a body as multipart has fields, JSON and secrets', async () => {
  const tool = {
    method: 'POST',
    encoding: 'multipart',
    parameters: [
      ...parameters({
        title: { location: 'body' },
        tags: { location: 'body', z: 'array()' },
        meta: { location: 'body', z: 'object()' },
      }),
      ...parameters({ key: { location: 'body', value: '{{SERVER_PARAM:KEY}}' } }),
    ],
  };
  const userParams = { title: 'a\r\n--b', tags: ['x', 'y'], meta: { a: 'ü' } };
  const { body } = await sent(tool, userParams, { requiredServerParams: ['KEY'], serverParams: { KEY: 'top"secret' } });
  expect(body).toEqual({
    fields: [
      ['title', 'a\r\n--b', 'text/plain'],
      ['tags', 'x', 'text/plain'],
      ['tags', 'y', 'text/plain'],
      ['meta', '{"a":"ü"}', 'application/json'],
      ['key', 'top"secret', 'text/plain'],
    ],
    files: [],
  });
});

test.each([[[{ a: 1 }]], ['text'], [5]])('the whole body is %j', async (value) => {
  const z = Array.isArray(value) ? 'array()' : typeof value === 'string' ? 'string()' : 'number()';
  const tool = { method: 'POST', parameters: parameters({ lines: { location: 'body', whole: true, z } }) };
  expect((await sent(tool, { lines: value })).body).toEqual(value);
});

test('a body is text', async () => {
  const tool = {
    method: 'POST',
    encoding: 'text',
    headers: { 'Content-Type': 'text/csv' },
    parameters: parameters({ csv: { location: 'body' } }),
  };
  const { headers, body } = await sent(tool, { csv: 'a,b\n1,2' });
  expect([headers['content-type'], body]).toEqual(['text/csv', 'a,b\n1,2']);
});

test('accept is the header, over that of main', async () => {
  const { headers } = await sent({ accept: 'text/csv' }, {}, { headers: { accept: 'application/json' } });
  expect(headers.accept).toBe('text/csv');
});

test('a handler gets the headers with the cookies, and the gathered answer', async () => {
  const { origin, requests } = await startParsingApi(({ url }) => ({ body: url.includes('page=2') ? [] : [1, 2] }));
  const source = `
    export const main = ${JSON.stringify(
      mainOf(origin, {
        pagination: { style: 'page', parameter: 'page', items: '' },
        parameters: parameters({ theme: { location: 'cookie' }, 'X-Trace': { location: 'header' } }),
      }),
    )};
    export const handlers = () => ({
      order: {
        preRequest: async ({ struct }) => {
          struct.headers['X-Seen'] = JSON.stringify([struct.headers.Cookie, struct.headers['X-Trace']]);
          return { struct };
        },
        postRequest: async ({ response }) => ({ response: { sum: response.reduce((sum, one) => sum + one, 0) } }),
      },
    });`;
  const folder = await mkdtemp(join(tmpdir(), 'places-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'shop.mjs'), source);
  const schema = await SchemaKit.loadSchema({ filePath: join(folder, 'shop.mjs') });
  const userParams = { theme: 'dark', 'X-Trace': '7' };
  const { data, messages } = await SchemaKit.fetch({ schema, routeName: 'order', userParams });
  expect([data, messages]).toEqual([{ sum: 3 }, []]);
  expect(requests.map(({ headers }) => headers['x-seen'])).toEqual(['["theme=dark","7"]', '["theme=dark","7"]']);
});

test('a preview shows cookies and parts with the secrets by name, also as curl', async () => {
  const tool = {
    method: 'POST',
    encoding: 'multipart',
    parameters: [
      ...parameters({ title: { location: 'body' }, meta: { location: 'body', z: 'object()' } }),
      ...parameters({ session: { location: 'cookie', value: '{{SERVER_PARAM:SESSION}}' } }),
      ...parameters({ token: { location: 'body', value: '{{SERVER_PARAM:TOKEN}}' } }),
    ],
  };
  const main = mainOf('https://shop.example', tool, { requiredServerParams: ['SESSION', 'TOKEN'] });
  const userParams = { title: '@/etc/passwd', meta: { a: 'x;type=b' } };
  const { request, curl } = await previewCall({
    main,
    routeName: 'order',
    userParams,
    serverParams: { SESSION: 'abc', TOKEN: 'def' },
  });
  expect(request?.headers.Cookie).toBe('session={{SESSION}}');
  expect(request?.body).toEqual([
    { name: 'title', content: '@/etc/passwd' },
    { name: 'meta', content: { a: 'x;type=b' }, type: 'application/json' },
    { name: 'token', content: '{{TOKEN}}' },
  ]);
  expect(curl).toBe(
    [
      'curl --request POST',
      `--header 'Cookie: session='"$SESSION"`,
      '--form-string title=@/etc/passwd',
      String.raw`--form 'meta="{\"a\":\"x;type=b\"}";type=application/json'`,
      `--form-string token="$TOKEN"`,
      'https://shop.example/orders',
    ].join(' \\\n  '),
  );
});

test('an answer of another type than accept is a warning', async () => {
  const { origin } = await startParsingApi(() => ({ body: '<p>', headers: { 'content-type': 'text/html' } }));
  const { findings } = await SchemaKit.fetch({
    main: mainOf(origin, { accept: 'text/csv, application/*' }),
    routeName: 'order',
  });
  expect(findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual(['warning ANSWER_TYPE']);
});

test('shapes go to the body as they were given, and files of file() as parts with their name and type', async () => {
  const location = 'body';
  const tool = {
    method: 'POST',
    encoding: 'multipart',
    parameters: parameters({
      lines: { location, z: 'object({ items: array(object({ isbn: string(), count: integer().default(1) })) })' },
      photo: { location, z: 'file()', options: ['type(image/*)'] },
      more: { location, z: 'array(file())' },
    }),
  };
  const photo = 'data:image/png;name=a%20b.png;base64,aGVsbG8=';
  const { body } = await sent(tool, { lines: { items: [{ isbn: 9780000 }] }, photo, more: ['YQ==', 'Yg=='] });
  const other = { name: 'more', filename: 'more', type: 'application/octet-stream' };
  expect(body).toEqual({
    fields: [['lines', '{"items":[{"isbn":"9780000","count":1}]}', 'application/json']],
    files: [
      { name: 'photo', filename: 'a b.png', type: 'image/png', base64: 'aGVsbG8=' },
      { ...other, base64: 'YQ==' },
      { ...other, base64: 'Yg==' },
    ],
  });
  expect(await refused(tool, { lines: { items: [{}] }, photo: '?', more: [] })).toEqual([
    'INP001 lines.items[0].isbn',
    'INP002 photo',
  ]);
});
