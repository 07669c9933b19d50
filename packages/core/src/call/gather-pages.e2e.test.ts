import { expect, test } from 'vitest';
import { SchemaKit } from '../schemakit.ts';
import { createMemoryCache } from './answer-cache.ts';
import type { FetchResult } from './fetch-tool.ts';
import { type ParsedRequest, startParsingApi } from './fixtures/parsing-api.ts';

type Answer = Parameters<typeof startParsingApi>[0];

interface PagedCall {
  pagination: Record<string, unknown>;
  parameters?: Record<string, unknown>[];
  userParams?: object;
  tool?: Record<string, unknown>;
  serverParams?: Record<string, string>;
}

async function pagedApi(
  answer: Answer,
  { pagination, parameters = [], userParams = {}, tool = {}, serverParams = {} }: PagedCall,
): Promise<{
  result: FetchResult;
  urls: string[];
  main: Record<string, unknown>;
}> {
  const { origin, requests } = await startParsingApi(answer);
  const main = {
    namespace: 'shop',
    name: 'Shop',
    description: 'Orders',
    version: '3.0.0',
    root: origin,
    requiredServerParams: Object.keys(serverParams),
    headers: {},
    tools: { list: { method: 'GET', path: '/orders', description: 'Orders', parameters, pagination, ...tool } },
  };
  const result = await SchemaKit.fetch({ main, routeName: 'list', userParams, serverParams });
  return { result, urls: requests.map(({ url }) => url), main };
}

function query(key: string, options: string[] = ['optional()']): Record<string, unknown> {
  return { position: { key, value: '{{USER_PARAM}}', location: 'query' }, z: { primitive: 'number()', options } };
}

const orders = [1, 2, 3, 4, 5, 6, 7];

/** Orders by page or offset, two on each page. */
function part({ query }: ParsedRequest): number[] {
  const { page, offset, limit = '2' } = query as Record<string, string | undefined>;
  const size = Number(limit);
  const start = offset === undefined ? (Number(page ?? 1) - 1) * size : Number(offset);
  return orders.slice(start, start + size);
}

test.each([
  [
    { style: 'page', parameter: 'page' },
    ['/orders', '/orders?page=2', '/orders?page=3', '/orders?page=4', '/orders?page=5'],
  ],
  [
    { style: 'offset', parameter: 'offset' },
    ['/orders', '/orders?offset=2', '/orders?offset=4', '/orders?offset=6', '/orders?offset=7'],
  ],
  [
    { style: 'page', parameter: 'page', sizeParameter: 'limit' },
    ['/orders?limit=2', '/orders?limit=2&page=2', '/orders?limit=2&page=3', '/orders?limit=2&page=4'],
  ],
])('gathers pages with %j until there are none', async (pagination, expected) => {
  const given = { parameters: [query('limit')], ...('sizeParameter' in pagination && { userParams: { limit: 2 } }) };
  const { result, urls } = await pagedApi((request) => ({ body: { total: 7, items: part(request) } }), {
    pagination: { ...pagination, items: 'items' },
    ...given,
  });
  expect(result).toMatchObject({ status: true, findings: [], data: { total: 7, items: orders } });
  expect(result.pages).toEqual({ pages: expected.length, items: 7 });
  expect(urls).toEqual(expected);
});

test('goes on from the page that the caller asks for, up to maxPages, and says what is left', async () => {
  const { result, urls } = await pagedApi((request) => ({ body: part(request) }), {
    pagination: { style: 'page', parameter: 'page', items: '', maxPages: 2 },
    parameters: [query('page')],
    userParams: { page: 2 },
  });
  expect(result.data).toEqual([3, 4, 5, 6]);
  expect(urls).toEqual(['/orders?page=2', '/orders?page=3']);
  expect(result.findings).toEqual([
    {
      code: 'PAGES_LEFT',
      severity: 'warning',
      path: '',
      message: 'The answer has 2 pages with 4 items, and there may be more: a call reads at most 2 pages',
      hint: 'Go on with page: 4.',
    },
  ]);
});

test('follows cursors in the body of a POST', async () => {
  const cursor = {
    position: { key: 'after', value: '{{USER_PARAM}}', location: 'body' },
    z: { primitive: 'string()', options: ['optional()'] },
  };
  const { result } = await pagedApi(
    ({ body }) => {
      const { after } = body as { after?: string };
      return {
        body: {
          data: { rows: [after ?? 'first'] },
          meta: { next: after === undefined ? 'two' : after === 'two' ? 'three' : null },
        },
      };
    },
    {
      pagination: { style: 'cursor', parameter: 'after', next: 'meta.next', items: 'data.rows' },
      parameters: [cursor],
      tool: { method: 'POST' },
    },
  );
  expect(result.data).toMatchObject({ data: { rows: ['first', 'two', 'three'] } });
});

test.each([
  [
    'the header Link',
    {},
    (next: string) => ({ headers: { link: `<${next}>; rel="last next", </x>; rel=prev` }, body: { rows: [next] } }),
  ],
  ['a list of links', { next: 'links.0.url' }, (url: string) => ({ body: { rows: [url], links: [{ url }] } })],
  ['the body', { next: 'links.next' }, (next: string) => ({ body: { rows: [next], links: { next } } })],
  [
    'a member with a dot',
    { next: '@odata.nextLink' },
    (next: string) => ({ body: { rows: [next], '@odata.nextLink': next } }),
  ],
])('follows links in %s, with what it sent before', async (_, place, linked) => {
  const { result, urls } = await pagedApi(
    ({ url }) => (url === '/orders' ? linked('/orders?cursor=a') : { body: { rows: [] } }),
    { pagination: { style: 'link', items: 'rows', ...place } },
  );
  expect(result).toMatchObject({ status: true, findings: [], data: { rows: ['/orders?cursor=a'] } });
  expect(urls).toEqual(['/orders', '/orders?cursor=a']);
});

test('a link without the key of the caller gets it again', async () => {
  const key = {
    position: { key: 'key', value: '{{SERVER_PARAM:KEY}}', location: 'query' },
    z: { primitive: 'string()', options: [] },
  };
  const { result, urls } = await pagedApi(
    ({ url }) => ({ body: { rows: [1], next: url.includes('p=2') ? null : '?p=2' } }),
    {
      pagination: { style: 'link', next: 'next', items: 'rows' },
      parameters: [key],
      serverParams: { KEY: 'top secret' },
    },
  );
  expect(result.status).toBe(true);
  expect(urls).toEqual(['/orders?key=top+secret', '/orders?p=2&key=top+secret']);
});

test('a link to another origin is not followed', async () => {
  const elsewhere = await startParsingApi();
  const { result } = await pagedApi(() => ({ headers: { link: `<${elsewhere.origin}/x>; rel=next` }, body: [1] }), {
    pagination: { style: 'link', items: '' },
    tool: { headers: { Authorization: 'Bearer secret' } },
  });
  expect(elsewhere.requests).toEqual([]);
  expect(result.messages).toEqual([
    `The answer has 1 page with 1 item, and there may be more: the link to the next page leads to ${elsewhere.origin}, which is not the origin of the tool`,
  ]);
});

test.each([
  ['a cursor', { style: 'cursor', parameter: 'c', next: 'next' }, { items: [1], next: 'same' }],
  ['a link', { style: 'link', next: 'next' }, { items: [1], next: '/orders?again' }],
  ['a page', { style: 'page', parameter: 'page' }, { items: [1] }],
])('an API that repeats %s ends the call', async (_, pagination, body) => {
  const { result, urls } = await pagedApi(
    ({ url }) => ({ body: 'next' in body ? { ...body, items: [url, Math.random()] } : body }),
    {
      pagination: { ...pagination, items: 'items', maxPages: 50 },
    },
  );
  expect(urls.length).toBe(2);
  expect(result.findings.map(({ code }) => code)).toEqual(['PAGES_LEFT']);
});

test('a page that fails is named, and the pages before it are not lost or cached', async () => {
  let broken = true;
  const { result, main } = await pagedApi(
    (request) => (request.url.includes('page=2') && broken ? { status: 500, body: 'down' } : { body: part(request) }),
    { pagination: { style: 'page', parameter: 'page', items: '' }, tool: { preload: { enabled: true, ttl: 60 } } },
  );
  expect(result.data).toEqual([1, 2]);
  expect(result.messages[0]).toContain('page 2 failed: HTTP 500');
  const cache = createMemoryCache();
  const again = () => SchemaKit.fetch({ main, routeName: 'list', cache });
  expect((await again()).data).toEqual([1, 2]);
  broken = false;
  expect((await again()).data).toEqual(orders);
  expect(await again()).toMatchObject({ data: orders, cache: { hit: true }, pages: { pages: 5, items: 7 } });
});

test('all pages share the limit of an answer', async () => {
  const big = 'x'.repeat(3 * 1024 * 1024);
  const { result, urls } = await pagedApi(({ url }) => ({ body: [`${url}${big}`] }), {
    pagination: { style: 'page', parameter: 'page', items: '', maxPages: 10 },
  });
  expect(urls.length).toBe(4);
  expect(result.pages).toMatchObject({ pages: 3, items: 3, failed: 'TOO_LARGE' });
});

test('an answer without the list is given as it is', async () => {
  const { result } = await pagedApi(() => ({ body: { error: 'none' } }), {
    pagination: { style: 'page', parameter: 'page', items: 'data.items' },
  });
  expect(result.data).toEqual({ error: 'none' });
  expect(result.messages).toEqual(['Only the first page was read, since it has no list at data.items']);
});

test.each([
  ['the answer', (items: number[]) => items],
  ['its only member that is a list', (items: number[]) => ({ page: { of: [7] }, total: 7, items })],
])('without `items`, %s is gathered', async (_, body) => {
  const { result } = await pagedApi((request) => ({ body: body(part(request)) }), {
    pagination: { style: 'page', parameter: 'page' },
  });
  expect(result).toMatchObject({ status: true, findings: [], data: body(orders) });
});

test.each([
  [
    { items: [1], errors: [], data: { rows: [] } },
    'it has several lists to gather',
    'Write where a page has its list as items in pagination of list: "items" or "errors" or "data.rows".',
  ],
  [{ data: 1 }, 'it has no list to gather', 'Write where a page has its list as items in pagination of list.'],
])('without `items`, an answer such as %j is said to be the first page only', async (body, stopped, hint) => {
  const { result, urls } = await pagedApi(() => ({ body }), { pagination: { style: 'page', parameter: 'page' } });
  expect([result.data, urls.length]).toEqual([body, 1]);
  const message = `Only the first page was read, since ${stopped}`;
  expect(result.findings).toEqual([{ code: 'PAGES_LEFT', severity: 'warning', path: '', message, hint }]);
});

test.each([
  ['nothing', 204, undefined, null, []],
  [
    'text',
    200,
    'a,b',
    'a,b',
    ['The answer has 1 page with 0 items, and there may be more: only answers in JSON can be joined'],
  ],
])('an answer of %s is given as it is', async (_, status, body, data, messages) => {
  const { result } = await pagedApi(() => ({ status, body, headers: { 'content-type': 'text/csv' } }), {
    pagination: { style: 'page', parameter: 'page', items: 'items' },
    tool: { output: { mimeType: 'text/csv', schema: { type: 'string' } } },
  });
  expect(result).toMatchObject({ status: true, data, messages });
});

test('a cursor with a secret in it is masked in what is told of the next page', async () => {
  const KEY = 'k3y-of-the-orders';
  const { result } = await pagedApi(() => ({ body: { items: [1], next: `after ${KEY}` } }), {
    pagination: { style: 'cursor', parameter: 'after', next: 'next', items: 'items', maxPages: 1 },
    parameters: [query('after')],
    serverParams: { KEY },
  });
  expect(result.pages?.next).toBe('after [REDACTED]');
});

test('a link to a file is not followed', async () => {
  const { result } = await pagedApi(() => ({ body: { items: [1], next: 'file:///etc/passwd' } }), {
    pagination: { style: 'link', next: 'next', items: 'items' },
  });
  expect(result.messages[0]).toContain('the link to the next page leads to file:, which is not the origin of the tool');
});
