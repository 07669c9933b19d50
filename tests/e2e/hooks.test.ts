import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { SchemaKit } from '@schemakit/core';
import { describe, expect, test, vi } from 'vitest';
import { loadLoopbackSchema } from './support/loopback-schema.ts';
import { faultlessTool, mainWith, moduleText, parameter } from './support/schema-module.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { type ArrivedRequest, type Reply, startUpstream } from './support/upstream.ts';

type Parts = Record<string, unknown>;

interface HookedCall {
  /** Text of the hooks of `getThing`, such as `postRequest: async ({ response }) => ({ response })`. */
  hooks: string;
  tool?: Parts;
  main?: Parts;
  answer?: (request: ArrivedRequest, count: number) => Reply | Promise<Reply>;
  userParams?: Parts;
  fetch?: Parts;
}

/** Loads a schema whose one tool has hooks, and calls it. Unless told otherwise, its API answers what it was asked. */
async function callHooked({ hooks, tool, main, answer, userParams = {}, fetch = {} }: HookedCall) {
  const upstream = await startUpstream(answer);
  const handlers = `({ sharedLists, libraries }) => ({ getThing: { ${hooks} } })`;
  const schema = await loadLoopbackSchema({
    root: upstream.origin,
    handlers,
    // Handlers answer as they like: nothing is promised.
    tool: { output: undefined, ...tool },
    ...(main && { main }),
  });
  const result = await SchemaKit.fetch({ schema, routeName: 'getThing', userParams, ...fetch });
  return { ...result, codes: result.findings.map(({ code }) => code), upstream };
}

/** The data of a call that must succeed. */
async function dataOf(call: HookedCall): Promise<unknown> {
  const { status, data, messages } = await callHooked(call);
  expect({ status, messages }).toEqual({ status: true, messages: [] });
  return data;
}

const search = {
  path: '/search',
  parameters: [parameter('q', 'query'), parameter('limit', 'query', ['number()', 'default(5)'])],
};
const post = { method: 'POST', path: '/search', parameters: [parameter('q', 'body')] };

describe('preRequest', () => {
  test('sees the planned request and the parameters', async () => {
    const hooks = `preRequest: async ({ struct, payload, params, userParams, routeName, phaseType }) => {
      struct.headers['x-seen'] = JSON.stringify({ struct, payload, params, userParams, routeName, phaseType });
      return { struct };
    }`;
    const { upstream } = await callHooked({
      hooks,
      tool: search,
      userParams: { q: 'a b' },
      main: { headers: { Accept: 'text/json' } },
    });
    const [request] = upstream.requests;
    expect(JSON.parse(String(request?.headers['x-seen']))).toEqual({
      struct: { url: `${upstream.origin}/search?q=a+b&limit=5`, method: 'GET', headers: { Accept: 'text/json' } },
      payload: { q: 'a b', limit: 5 },
      params: { q: 'a b', limit: 5 },
      userParams: { q: 'a b', limit: 5 },
      routeName: 'getThing',
      phaseType: 'pre',
    });
  });

  test('changes the address', async () => {
    const hooks = `preRequest: async ({ struct, payload }) => {
      const url = new URL(struct.url);
      url.pathname = '/v2' + url.pathname;
      url.searchParams.set('q', payload.q.toUpperCase());
      struct.url = url.toString().replace('limit', 'max');
      return { struct };
    }`;
    expect(await dataOf({ hooks, tool: search, userParams: { q: 'tea' } })).toMatchObject({
      url: '/v2/search?q=TEA&max=5',
    });
  });

  test('changes headers', async () => {
    const hooks = `preRequest: async ({ struct }) => ({
      struct: { ...struct, headers: { ...struct.headers, 'X-Count': 3, 'X-None': null, Accept: 'text/csv' } },
    })`;
    const { headers } = (await dataOf({ hooks, main: { headers: { Accept: 'a/b', 'X-Old': '1' } } })) as ArrivedRequest;
    expect(headers).toMatchObject({ 'x-count': '3', accept: 'text/csv', 'x-old': '1' });
    expect(headers).not.toHaveProperty('x-none');
  });

  test('replaces the body, as GraphQL needs it', async () => {
    const hooks = `preRequest: async ({ struct, payload }) => {
      struct.body = { query: 'query ($q: String) { search(q: $q) { id } }', variables: { q: payload.q } };
      return { struct };
    }`;
    const { body, headers } = (await dataOf({ hooks, tool: post, userParams: { q: '"tea"' } })) as ArrivedRequest;
    expect(JSON.parse(body)).toEqual({
      query: 'query ($q: String) { search(q: $q) { id } }',
      variables: { q: '"tea"' },
    });
    expect(headers['content-type']).toBe('application/json');
  });

  test.each([
    ['a list', '[1, { two: 2 }]', '[1,{"two":2}]'],
    ['JSON text', 'JSON.stringify({ a: 1 })', '{"a":1}'],
    ['an empty object', '{}', '{}'],
    ['empty text', "''", ''],
    ['null, which is none', 'null', ''],
  ])('replaces the body by %s', async (_name, value, sent) => {
    const hooks = `preRequest: async ({ struct }) => { struct.body = ${value}; return { struct }; }`;
    expect(await dataOf({ hooks, tool: post, userParams: { q: 'x' } })).toMatchObject({ body: sent });
  });

  test('writes a form where the headers say so', async () => {
    const hooks = `preRequest: async ({ struct, payload }) => {
      struct.headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      struct.body = { q: payload.q, list: ['a', 'b'] };
      return { struct };
    }`;
    expect(await dataOf({ hooks, tool: post, userParams: { q: 'a&b=ü' } })).toMatchObject({
      body: 'q=a%26b%3D%C3%BC&list=a&list=b',
    });
  });

  test('changes the method, and what a body needs comes with it', async () => {
    const hooks = `preRequest: async ({ struct, payload }) => {
      struct.method = 'POST';
      struct.body = { q: payload.q };
      return { struct };
    }`;
    const request = (await dataOf({ hooks, tool: search, userParams: { q: 'tea' } })) as ArrivedRequest;
    expect(request).toMatchObject({ method: 'POST', body: '{"q":"tea"}' });
    expect(request.headers['content-type']).toBe('application/json');
  });

  test('struct.queryParams takes the place of the query', async () => {
    const hooks = `preRequest: async ({ struct, payload }) => {
      struct.queryParams = { search_query: 'all:' + payload.q, start: 0, none: undefined, nothing: null, flag: false };
      return { struct };
    }`;
    expect(await dataOf({ hooks, tool: search, userParams: { q: 'a&b' } })).toMatchObject({
      url: '/search?search_query=all%3Aa%26b&start=0&flag=false',
    });
  });

  test('struct.requestBody is sent as it is', async () => {
    const hooks = `preRequest: async ({ struct, payload }) => { struct.requestBody = 'fields *; search "' + payload.q + '";'; return { struct }; }`;
    expect(await dataOf({ hooks, tool: post, userParams: { q: 'tea' } })).toMatchObject({
      body: 'fields *; search "tea";',
    });
  });

  test('params that it returns are planned again', async () => {
    const hooks = `preRequest: async ({ params }) => ({ params: { ...params, q: params.q.trim().toLowerCase(), limit: 2 } })`;
    expect(await dataOf({ hooks, tool: search, userParams: { q: '  TEA ' } })).toMatchObject({
      url: '/search?q=tea&limit=2',
    });
    expect(await dataOf({ hooks, tool: post, userParams: { q: ' TEA' } })).toMatchObject({ body: '{"q":"tea"}' });
  });

  test('params that would leave their place in the path are refused', async () => {
    const tool = { path: '/things/{{id}}', parameters: [parameter('id', 'insert')] };
    const hooks = `preRequest: async ({ params }) => ({ params: { id: '../admin' } })`;
    const { codes, upstream } = await callHooked({ hooks, tool, userParams: { id: '1' } });
    expect(codes).toEqual(['INP010']);
    expect(upstream.requests).toEqual([]);
  });

  test('a payload that it returns is what later hooks see', async () => {
    const hooks = `preRequest: async ({ struct, payload }) => ({ struct, payload: { ...payload, extra: 'more' } }),
      postRequest: async ({ payload }) => ({ response: payload })`;
    expect(await dataOf({ hooks, tool: search, userParams: { q: 'tea' } })).toEqual({
      q: 'tea',
      limit: 5,
      extra: 'more',
    });
  });

  test.each([
    ['5', 'returned 5, which is ignored'],
    ['{ struct: null }', 'returned an object with struct, which is ignored'],
  ])('returning %s changes nothing, and that is said', async (value, text) => {
    const hooks = `preRequest: async () => (${value})`;
    const { status, data, messages } = await callHooked({ hooks, tool: search, userParams: { q: 'tea' } });
    expect({ status, data }).toMatchObject({ status: true, data: { url: '/search?q=tea&limit=5' } });
    expect(messages).toEqual([`preRequest of getThing ${text}`]);
  });

  test.each(['undefined', 'null', '{}'])('returning %s changes nothing', async (value) => {
    const hooks = `preRequest: async () => (${value})`;
    expect(await dataOf({ hooks, tool: search, userParams: { q: 'tea' } })).toMatchObject({
      url: '/search?q=tea&limit=5',
    });
  });

  test('an address of another origin is refused, with the grant to give', async () => {
    const other = await startUpstream();
    const hooks = `preRequest: async ({ struct }) => { struct.url = '${other.origin}/x'; return { struct }; }`;
    const { status, codes, messages, findings, upstream } = await callHooked({ hooks });
    expect({ status, codes }).toEqual({ status: false, codes: ['ORIGIN_BLOCKED'] });
    expect(messages).toEqual([
      `A handler of this schema tried to reach ${other.origin}, but may reach only ${upstream.origin}.`,
    ]);
    expect(findings[0]?.hint).toContain(`grants: { network: ["${other.origin}"] }`);
    expect([...other.requests, ...upstream.requests]).toEqual([]);
  });

  test.each(["'not a url'", "'file:///etc/passwd'", "'/relative'", "'http://'"])(
    'the address %s is refused',
    async (url) => {
      const hooks = `preRequest: async ({ struct }) => { struct.url = ${url}; return { struct }; }`;
      const { status, codes } = await callHooked({ hooks });
      expect({ status, codes }).toEqual({
        status: false,
        codes: [expect.stringMatching(/^(INVALID_URL|ORIGIN_BLOCKED)$/)],
      });
    },
  );

  test('headers that frame a message are not its own to set', async () => {
    const hooks = `preRequest: async ({ struct }) => {
      struct.headers = { 'Content-Length': '3', 'Transfer-Encoding': 'chunked', Host: 'evil.example', 'X-Fine': '1' };
      return { struct };
    }`;
    const { headers, body } = (await dataOf({ hooks, tool: post, userParams: { q: 'tea' } })) as ArrivedRequest;
    expect(headers).toMatchObject({ 'x-fine': '1', host: expect.stringContaining('127.0.0.1') });
    expect(body).toBe('{"q":"tea"}');
  });

  test('a header with a line break is refused', async () => {
    const hooks = `preRequest: async ({ struct }) => { struct.headers['X-A'] = 'a\\r\\nX-B: b'; return { struct }; }`;
    const { status, upstream } = await callHooked({ hooks });
    expect({ status, requests: upstream.requests }).toEqual({ status: false, requests: [] });
  });
});

describe('executeRequest', () => {
  test('sees an empty struct, and the request and the parameters in its payload', async () => {
    const hooks = `executeRequest: async ({ struct, payload }) => {
      struct.data = { before: { ...struct }, payload, all: payload.userParams._allParams, listed: Object.keys(payload.userParams) };
      return { struct };
    }`;
    const tool = { ...search, parameters: [...search.parameters, parameter('format', 'query', ['string()'], 'json')] };
    const { data, upstream } = await callHooked({ hooks, tool, userParams: { q: 'tea' } });
    expect(data).toEqual({
      before: { status: true, messages: [], data: null, dataAsString: null },
      payload: {
        q: 'tea',
        limit: 5,
        url: `${upstream.origin}/search?q=tea&limit=5&format=json`,
        method: 'GET',
        headers: {},
        body: null,
        userParams: { q: 'tea', limit: 5 },
        serverParams: {},
      },
      all: { q: 'tea', limit: 5, format: 'json' },
      listed: ['q', 'limit'],
    });
    expect(upstream.requests).toEqual([]);
  });

  test('takes parameters from payload.userParams and from payload itself', async () => {
    const hooks = `executeRequest: async ({ struct, payload }) => {
      const { userParams } = payload;
      struct.data = [userParams.q, payload.q, payload.url.includes('?q=')];
      return { struct };
    }`;
    expect(await dataOf({ hooks, tool: search, userParams: { q: 'tea' } })).toEqual(['tea', 'tea', true]);
  });

  test('parameters with the names of the request do not hide it', async () => {
    const parameters = ['url', 'method', 'body', 'headers', 'userParams', 'serverParams'].map((key) =>
      parameter(key, 'insert'),
    );
    const userParams = { url: 'u', method: 'm', body: 'b', headers: 'h', userParams: 'p', serverParams: 's' };
    const hooks = `executeRequest: async ({ payload }) => ({ response: [payload.method, payload.userParams] })`;
    expect(await dataOf({ hooks, tool: { parameters }, userParams })).toEqual(['GET', userParams]);
  });

  test('fetches from the API', async () => {
    const hooks = `executeRequest: async ({ struct, payload }) => {
      const answer = await fetch(payload.url, { method: 'PUT', headers: { 'X-Own': '1' }, body: JSON.stringify({ a: 'ü' }) });
      struct.data = { status: answer.status, ok: answer.ok, type: answer.headers.get('Content-Type'), seen: await answer.json() };
      return { struct };
    }`;
    const { data } = await callHooked({ hooks, tool: search, userParams: { q: 'tea' } });
    expect(data).toMatchObject({
      status: 200,
      ok: true,
      type: 'application/json',
      seen: { method: 'PUT', url: '/search?q=tea&limit=5', body: '{"a":"ü"}', headers: { 'x-own': '1' } },
    });
  });

  test('an answer that is an error is its own to judge', async () => {
    const hooks = `executeRequest: async ({ struct, payload }) => {
      const answer = await fetch(payload.url);
      if (!answer.ok) {
        struct.status = false;
        struct.messages.push('the API said ' + answer.status + ': ' + (await answer.text()));
      }
      return { struct };
    }`;
    const { status, messages, data, codes } = await callHooked({
      hooks,
      answer: () => ({ status: 418, body: 'short and stout' }),
    });
    expect({ status, data, codes }).toEqual({ status: false, data: null, codes: ['HANDLER_FAILED'] });
    expect(messages).toEqual(['the API said 418: short and stout']);
  });

  test('a failure without a message is one all the same', async () => {
    const hooks = `executeRequest: async ({ struct }) => ({ struct: { ...struct, status: false } })`;
    const { status, messages } = await callHooked({ hooks });
    expect({ status, messages }).toEqual({ status: false, messages: [expect.stringContaining('without a message')] });
  });

  test.each([
    ['{ response: [1] }', [1]],
    ['{ struct: { status: true, data: { a: 1 } } }', { a: 1 }],
    ["{ struct: { data: 'text' } }", 'text'],
    ['undefined', null],
    ['{}', null],
  ])('returning %s gives %j', async (value, data) => {
    expect(await dataOf({ hooks: `executeRequest: async () => (${value})` })).toEqual(data);
  });

  test('a struct that was changed counts, also where nothing is returned', async () => {
    const hooks = `executeRequest: async ({ struct }) => { struct.status = false; struct.messages.push('no luck'); }`;
    const { status, messages } = await callHooked({ hooks });
    expect({ status, messages }).toEqual({ status: false, messages: ['no luck'] });
  });

  test('needs no API at all', async () => {
    const hooks = `executeRequest: async ({ payload }) => ({ response: payload.q.length })`;
    expect(await dataOf({ hooks, tool: search, main: { root: 'local://shop' }, userParams: { q: 'tea' } })).toBe(3);
  });

  test('a composed execution: execute, poll, retrieve', async () => {
    const hooks = `executeRequest: async ({ struct, payload }) => {
      const root = payload.url.replace('/thing', '');
      const { execution_id } = await (await fetch(root + '/execute', { method: 'POST', body: JSON.stringify(payload.userParams) })).json();
      let state = '';
      while (state !== 'QUERY_STATE_COMPLETED') {
        const status = await (await fetch(root + '/execution/' + execution_id + '/status')).json();
        state = status.state;
        if (state === 'QUERY_STATE_FAILED') throw new Error('the query failed');
      }
      struct.data = await (await fetch(root + '/execution/' + execution_id + '/results')).json();
      return { struct };
    }`;
    const states = ['QUERY_STATE_PENDING', 'QUERY_STATE_EXECUTING', 'QUERY_STATE_COMPLETED'];
    const answer = ({ path, body }: ArrivedRequest, count: number): Reply => {
      if (path === '/execute')
        return { body: { execution_id: `run-${(JSON.parse(body) as { query: number }).query}` } };
      return { body: path.endsWith('/status') ? { state: states[count - 2] } : { rows: [{ path }] } };
    };
    const tool = { parameters: [parameter('query', 'insert', ['number()'])] };
    const { data, upstream } = await callHooked({ hooks, answer, tool, userParams: { query: 17 } });
    expect(data).toEqual({ rows: [{ path: '/execution/run-17/results' }] });
    expect(upstream.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /execute',
      'GET /execution/run-17/status',
      'GET /execution/run-17/status',
      'GET /execution/run-17/status',
      'GET /execution/run-17/results',
    ]);
  });
});

describe('postRequest', () => {
  const answer = () => ({ body: { items: [{ id: 1 }, { id: 2 }] } });

  test('makes the answer what it returns', async () => {
    const hooks = `postRequest: async ({ response }) => ({ response: { count: response.items.length } })`;
    const { data, dataAsString } = await callHooked({ hooks, answer });
    expect({ data, dataAsString }).toEqual({ data: { count: 2 }, dataAsString: '{"count":2}' });
  });

  test('sees the request and the parameters', async () => {
    const hooks = `postRequest: async ({ struct, payload, params, routeName, phaseType }) => ({
      response: { struct, payload, params, routeName, phaseType },
    })`;
    const { data, upstream } = await callHooked({
      hooks,
      answer: () => ({ body: [1] }),
      tool: search,
      userParams: { q: 'tea' },
    });
    expect(data).toEqual({
      struct: {
        url: `${upstream.origin}/search?q=tea&limit=5`,
        method: 'GET',
        headers: {},
        status: true,
        messages: [],
        data: [1],
      },
      payload: { q: 'tea', limit: 5 },
      params: { q: 'tea', limit: 5 },
      routeName: 'getThing',
      phaseType: 'post',
    });
  });

  test.each([
    ['application/xml', '<feed><id>1</id></feed>'],
    ['text/html', '<html><id>1</id></html>'],
    ['application/json', 'not json at all'],
  ])('reads %s as text', async (type, body) => {
    const hooks = `postRequest: async ({ response }) => {
      const text = typeof response === 'string' ? response : '';
      return { response: { id: /<id>(.*?)<.id>/.exec(text)?.[1] ?? text.length } };
    }`;
    const reply = { headers: { 'content-type': type }, body };
    expect(await dataOf({ hooks, answer: () => reply })).toEqual({ id: body.startsWith('<') ? '1' : body.length });
  });

  test.each([
    ['{ response: null }', null],
    ["{ response: 'text' }", 'text'],
    ['{ response: 0 }', 0],
    ['{ response: [] }', []],
    ['{ struct: { ...struct, data: { from: "struct" } } }', { from: 'struct' }],
    ['{ struct }', { items: [{ id: 1 }, { id: 2 }] }],
    ['undefined', { items: [{ id: 1 }, { id: 2 }] }],
    ['null', { items: [{ id: 1 }, { id: 2 }] }],
    ['{}', { items: [{ id: 1 }, { id: 2 }] }],
  ])('returning %s gives %j', async (value, data) => {
    expect(await dataOf({ hooks: `postRequest: async ({ response, struct }) => (${value})`, answer })).toEqual(data);
  });

  test.each([
    ['the struct', '{ struct }'],
    ['the struct and the answer', '{ response, struct }'],
    ['the answer alone', '{ response }'],
    ['nothing', 'undefined'],
  ])('a struct that says it failed is a failure, also when it returns %s', async (_name, value) => {
    const hooks = `postRequest: async ({ response, struct }) => {
      if (response.errors) {
        struct.status = false;
        struct.messages.push('GraphQL: ' + response.errors[0].message);
      }
      return ${value};
    }`;
    const { status, data, messages } = await callHooked({
      hooks,
      answer: () => ({ body: { errors: [{ message: 'bad field' }] } }),
    });
    expect({ status, data, messages }).toEqual({ status: false, data: null, messages: ['GraphQL: bad field'] });
  });

  test('does not run on an answer that is an error', async () => {
    const hooks = `postRequest: async () => ({ response: 'all is well' })`;
    const { status, messages } = await callHooked({
      hooks,
      answer: () => ({ status: 404, body: { message: 'gone' } }),
    });
    expect({ status, messages }).toEqual({ status: false, messages: [expect.stringContaining('gone')] });
  });
});

describe('preProcess and postProcess', () => {
  test('preProcess changes the parameters', async () => {
    const wrapped = `preProcess: async ({ params }) => ({ params: { ...params, q: params.q + '!' } })`;
    expect(await dataOf({ hooks: wrapped, tool: search, userParams: { q: 'tea' } })).toMatchObject({
      url: '/search?q=tea%21&limit=5',
    });
    const bare = `preProcess: ({ params }) => ({ ...params, q: params.q + '?' })`;
    expect(await dataOf({ hooks: bare, tool: search, userParams: { q: 'tea' } })).toMatchObject({
      url: '/search?q=tea%3F&limit=5',
    });
  });

  test.each([
    ['JSON.parse(data).a', 1],
    ['typeof data', 'string'],
    ['[data.length]', [7]],
    ['({ found: data })', { found: '{"a":1}' }],
    ['({ response: data.slice(0, 2) })', '{"'],
    ['undefined', { a: 1 }],
  ])('postProcess takes the raw answer as text; returning %s gives %j', async (value, data) => {
    const hooks = `postProcess: async ({ data }) => ${value}`;
    expect(await dataOf({ hooks, answer: () => ({ body: { a: 1 } }) })).toEqual(data);
  });
});

describe('several hooks of a tool', () => {
  test('run in order, each with what the one before left', async () => {
    const hooks = `
      preRequest: async ({ struct, payload }) => ({ struct: { ...struct, url: struct.url + '&step=pre' }, payload: { ...payload, pre: true } }),
      executeRequest: async ({ struct, payload }) => {
        const seen = await (await fetch(payload.url + '&step2=execute')).json();
        return { struct: { ...struct, data: { url: seen.url, pre: payload.userParams.pre } } };
      },
      postRequest: async ({ response, payload }) => ({ response: { ...response, post: payload.pre } })`;
    expect(await dataOf({ hooks, tool: search, userParams: { q: 'tea' } })).toEqual({
      url: '/search?q=tea&limit=5&step=pre&step2=execute',
      pre: true,
      post: true,
    });
  });

  test('a failure of one is the end', async () => {
    const hooks = `
      executeRequest: async ({ struct }) => ({ struct: { ...struct, status: false, messages: ['first'] } }),
      postRequest: async () => { throw new Error('second'); }`;
    expect(await callHooked({ hooks })).toMatchObject({ status: false, messages: ['first'] });
  });

  test('hooks that are null or absent are none', async () => {
    const hooks = `preRequest: null, executeRequest: undefined, postRequest: async ({ response }) => ({ response: response.path })`;
    expect(await dataOf({ hooks })).toBe('/thing');
  });

  test('are written as methods, plain functions or arrows, and may call one another', async () => {
    const hooks = `
      async preRequest({ struct }) { struct.url += '?by=' + this.name(); return { struct }; },
      name() { return 'method'; },
      postRequest: function ({ response }) { return { response: response.url }; }`;
    expect(await dataOf({ hooks })).toBe('/thing?by=method');
  });
});

describe('the factory', () => {
  test('closes over shared lists', async () => {
    const upstream = await startUpstream();
    const list = `export const list = {
      meta: { name: 'evmChains', version: '1.0.0', fields: [] },
      entries: [{ alias: 'ETH', slug: 'ethereum' }, { alias: 'BASE', slug: 'base-mainnet' }, { alias: 'OLD' }],
    };`;
    const handlers = `({ sharedLists }) => {
      const slugs = new Map(sharedLists.evmChains.filter(({ slug }) => slug !== undefined).map(({ alias, slug }) => [alias, slug]));
      return { getThing: { preRequest: async ({ struct, payload }) => {
        struct.url = struct.url.replace('--slug--', slugs.get(payload.chain) ?? 'none');
        return { struct };
      } } };
    }`;
    const main = mainWith({
      root: upstream.origin,
      sharedLists: [{ ref: 'evmChains', version: '1.0.0' }],
      tools: {
        getThing: {
          ...faultlessTool,
          path: '/--slug--/thing',
          parameters: [parameter('chain', 'insert', ['enum({{evmChains:alias}})'])],
          tests: faultlessTool.tests.map((test) => ({ ...test, chain: 'BASE' })),
        },
      },
    });
    const folder = await temporaryFolder({ '_lists/evm-chains.mjs': list, 'schema.mjs': moduleText(main, handlers) });
    const schema = await SchemaKit.loadSchema({ filePath: join(folder, 'schema.mjs') });
    expect(schema).toMatchObject({ status: true, messages: [] });
    const paths = await Promise.all(
      ['ETH', 'BASE', 'OLD'].map(
        async (chain) => (await SchemaKit.fetch({ schema, routeName: 'getThing', userParams: { chain } })).data,
      ),
    );
    expect(paths).toMatchObject([
      { path: '/ethereum/thing' },
      { path: '/base-mainnet/thing' },
      { path: '/none/thing' },
    ]);
  });

  test('closes over constants and functions of its module', async () => {
    const upstream = await startUpstream();
    const text = `const suffix = '-x';\nconst mark = (word) => word + suffix;\n${moduleText(
      mainWith({ root: upstream.origin }),
      '() => ({ getThing: { postRequest: async ({ response }) => ({ response: mark(response.path) }) } })',
    )}`;
    const folder = await temporaryFolder({ 'schema.mjs': text });
    const schema = await SchemaKit.loadSchema({ filePath: join(folder, 'schema.mjs') });
    expect(await SchemaKit.fetch({ schema, routeName: 'getThing' })).toMatchObject({ status: true, data: '/thing-x' });
  });

  test('gives its map in ways that only running it shows', async () => {
    const upstream = await startUpstream();
    const handlers = `() => Object.fromEntries(['getThing'].map((name) => [name, {
      postRequest: async ({ response }) => ({ response: name + ' ' + response.path }),
    }]))`;
    const schema = await loadLoopbackSchema({ root: upstream.origin, handlers });
    expect(await SchemaKit.fetch({ schema, routeName: 'getThing' })).toMatchObject({
      status: true,
      data: 'getThing /thing',
    });
  });

  test('has the libraries that it requires', async () => {
    const upstream = await startUpstream();
    const handlers = `({ libraries }) => ({ getThing: { postRequest: async () => ({
      response: libraries.crypto.createHash('sha256').update('tea').digest('hex').slice(0, 8),
    }) } })`;
    const schema = await loadLoopbackSchema({
      root: upstream.origin,
      handlers,
      tool: { output: undefined },
      main: { requiredLibraries: ['crypto'] },
    });
    const { data, messages } = await SchemaKit.fetch({ schema, routeName: 'getThing' });
    expect({ data, messages }).toEqual({
      data: createHash('sha256').update('tea').digest('hex').slice(0, 8),
      messages: [],
    });
  });
});

describe('hooks that fail', () => {
  test.each(['preRequest', 'executeRequest', 'postRequest', 'preProcess', 'postProcess'])('%s throws', async (hook) => {
    const { status, data, messages, codes, findings } = await callHooked({
      hooks: `${hook}: async () => { throw new Error('out of tea'); }`,
    });
    expect({ status, data, messages, codes }).toEqual({
      status: false,
      data: null,
      messages: [`${hook} error: out of tea`],
      codes: ['HANDLER_THREW'],
    });
    expect(findings[0]?.path).toBe('getThing');
  });

  test.each([
    ['null.x', 'Cannot read properties of null'],
    ["(() => { throw 'plain text'; })()", 'plain text'],
    ['(() => { throw { code: 7 }; })()', '{"code":7}'],
    ["Promise.reject(new TypeError('late'))", 'TypeError: late'],
    ['JSON.parse("{")', 'SyntaxError'],
  ])('%s', async (expression, words) => {
    const { status, messages } = await callHooked({
      hooks: `postRequest: async () => ({ response: await ${expression} })`,
    });
    expect({ status, messages }).toEqual({ status: false, messages: [expect.stringContaining(words)] });
  });

  test('one that throws is found by the line of its file', async () => {
    const upstream = await startUpstream();
    const handlers = '() => ({\n  getThing: {\n    postRequest: async ({ response }) => response.no.such,\n  },\n})';
    const text = moduleText(mainWith({ root: upstream.origin }), handlers);
    const filePath = join(await temporaryFolder({ 'schema.mjs': text }), 'schema.mjs');
    const schema = await SchemaKit.loadSchema({ filePath });
    const { findings } = await SchemaKit.fetch({ schema, routeName: 'getThing' });
    const line = text.split('\n').findIndex((words) => words.includes('no.such')) + 1;
    expect(findings).toEqual([expect.objectContaining({ code: 'HANDLER_THREW', file: filePath, line })]);
  });

  test('one that never answers is given up at the deadline', async () => {
    vi.stubEnv('SCHEMAKIT_HANDLER_TIMEOUT_MS', '300');
    for (const body of ['await new Promise(() => {});', 'while (true);', 'for (;;) await null;']) {
      const { status, codes, messages } = await callHooked({ hooks: `postRequest: async () => { ${body} }` });
      expect({ status, codes }, body).toEqual({
        status: false,
        codes: [expect.stringMatching(/^HANDLER_(TIMEOUT|CRASHED)$/)],
      });
      expect(messages).toEqual([expect.stringMatching(/^postRequest error: .*(within 300 ms|ended)/)]);
    }
    vi.unstubAllEnvs();
    expect(await dataOf({ hooks: `postRequest: async () => ({ response: 'the next call works' })` })).toBe(
      'the next call works',
    );
  });

  test('one that the caller gives up on', async () => {
    const controller = new AbortController();
    const hooks = `executeRequest: async ({ payload }) => { await fetch(payload.url); await new Promise(() => {}); }`;
    const answer = () => {
      setTimeout(() => controller.abort(), 20);
      return { body: 1 };
    };
    const { status, codes } = await callHooked({ hooks, answer, fetch: { signal: controller.signal } });
    expect({ status, codes }).toEqual({ status: false, codes: ['HANDLER_ABORTED'] });
  });

  test('an answer that is too large', async () => {
    for (const value of ["'x'.repeat(11 * 1024 * 1024)", 'Array.from({ length: 3e6 }, () => "word")']) {
      const { status, codes } = await callHooked({ hooks: `postRequest: async () => ({ response: ${value} })` });
      expect({ status, codes }, value).toEqual({ status: false, codes: ['HANDLER_RESULT_TOO_LARGE'] });
    }
  });

  test('memory without end ends the call and nothing else', async () => {
    const hooks = `postRequest: async () => { const all = []; for (;;) all.push(new Array(1e6).fill(0)); }`;
    const { status, codes } = await callHooked({ hooks });
    expect({ status, codes }).toEqual({ status: false, codes: ['HANDLER_CRASHED'] });
    expect(await dataOf({ hooks: `postRequest: async () => ({ response: 1 })` })).toBe(1);
  });

  test.each([
    ['new Date(0)', '1970-01-01T00:00:00.000Z'],
    ['new Map([["a", 1]])', { a: 1 }],
    ['new Set([1, 2])', [1, 2]],
    ['12345678901234567890n', '12345678901234567890'],
    ['new Uint8Array([1, 2, 3])', 'AQID'],
    ['new URL("https://a.example/b")', 'https://a.example/b'],
    ['{ a: undefined, b: () => 1, c: NaN }', { c: null }],
    ['new Error("inner")', { name: 'Error', message: 'inner' }],
  ])('%s is no plain data, and becomes some', async (value, data) => {
    expect(await dataOf({ hooks: `postRequest: async () => ({ response: ${value} })` })).toEqual(data);
  });

  test('a circle becomes a word', async () => {
    const hooks = `postRequest: async () => { const a = { b: 1 }; a.self = a; return { response: a }; }`;
    expect(await dataOf({ hooks })).toEqual({ b: 1, self: '[Circular]' });
  });
});

describe('fetch in a handler', () => {
  const fetching = (url: string) => `executeRequest: async ({ struct, payload }) => {
    const answer = await fetch(${url});
    return { struct: { ...struct, data: await answer.text() } };
  }`;

  test('another origin is refused, with the grant to give', async () => {
    const other = await startUpstream();
    const { status, messages, findings, upstream } = await callHooked({ hooks: fetching(`'${other.origin}/x'`) });
    expect(status).toBe(false);
    expect(messages).toEqual([
      expect.stringContaining(`tried to reach ${other.origin}, but may reach only ${upstream.origin}`),
    ]);
    expect(JSON.stringify(findings)).toContain('grants');
    expect(other.requests).toEqual([]);
  });

  test('another origin that was granted is reached', async () => {
    const other = await startUpstream(() => ({ body: 'from the other' }));
    const upstream = await startUpstream();
    const handlers = `() => ({ getThing: { ${fetching(`'${other.origin}/x'`)} } })`;
    const options = { grants: { network: [other.origin] } };
    const tool = { output: undefined };
    const schema = await loadLoopbackSchema({ root: upstream.origin, handlers, tool, options });
    const { messages, data } = await SchemaKit.fetch({ schema, routeName: 'getThing' });
    expect({ messages, data }).toEqual({ messages: [], data: 'from the other' });
  });

  test.each([
    "'file:///etc/passwd'",
    "'data:text/plain,x'",
    "'/relative'",
    "'http://169.254.169.254/latest'",
    "'http://localhost:1/'",
  ])('%s is refused', async (url) => {
    const { status, messages } = await callHooked({ hooks: fetching(url) });
    expect(status).toBe(false);
    expect(messages).toEqual([expect.stringMatching(/^executeRequest error: /)]);
  });

  test('a redirect to another origin is refused', async () => {
    const other = await startUpstream();
    const answer = () => ({ status: 302, headers: { location: `${other.origin}/x` } });
    const { status } = await callHooked({ hooks: fetching('payload.url'), answer });
    expect({ status, requests: other.requests }).toEqual({ status: false, requests: [] });
  });

  test('a redirect to a public origin that was not granted is refused before its name is looked up', async () => {
    const answer = () => ({ status: 302, headers: { location: 'https://no-such-host.invalid/' } });
    const { status, messages } = await callHooked({ hooks: fetching('payload.url'), answer });
    expect({ status, messages }).toEqual({ status: false, messages: [expect.stringContaining('ORIGIN_BLOCKED')] });
  });

  test('a handler may take a refusal for an answer', async () => {
    const hooks = `executeRequest: async () => {
      try { await fetch('http://10.0.0.1/'); } catch (error) { return { response: { name: error.name, refused: error.message.includes('may reach only') } }; }
    }`;
    expect(await dataOf({ hooks })).toEqual({ name: 'TypeError', refused: true });
  });

  test('many at once', async () => {
    const hooks = `executeRequest: async ({ payload }) => ({
      response: await Promise.all(Array.from({ length: 50 }, async (_, n) => (await (await fetch(payload.url + '?n=' + n)).json()).query.n)),
    })`;
    expect(await dataOf({ hooks })).toEqual(Array.from({ length: 50 }, (_, n) => String(n)));
  });

  test('too large an answer is an error of the handler', async () => {
    const { status, messages } = await callHooked({
      hooks: fetching('payload.url'),
      answer: () => ({ body: 'x'.repeat(11 * 1024 * 1024) }),
    });
    expect({ status, messages }).toEqual({ status: false, messages: [expect.stringContaining('TOO_LARGE')] });
  });
});

test('what handlers write to the console goes to onLog', async () => {
  const lines: string[] = [];
  const hooks = `postRequest: async ({ response }) => { console.log('seen', response.path); console.warn({ a: 1 }); return { response: 1 }; }`;
  await callHooked({ hooks, fetch: { onLog: (level: string, text: string) => lines.push(`${level} ${text}`) } });
  expect(lines).toEqual(['info seen /thing', expect.stringMatching(/^warn .*a.*1/)]);
});
