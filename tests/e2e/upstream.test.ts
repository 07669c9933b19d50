import { gzipSync } from 'node:zlib';
import { SchemaKit } from '@schemakit/core';
import { describe, expect, test } from 'vitest';
import { loadLoopbackSchema } from './support/loopback-schema.ts';
import { parameter } from './support/schema-module.ts';
import { closedOrigin, type Reply, startUpstream } from './support/upstream.ts';

const SECRET = 'k3y-to-the-cellar/&=';

/** Calls the tool of a schema whose API answers as it is told. */
async function callWith(
  answer: Reply | ((count: number) => Reply | Promise<Reply>),
  {
    tool = {},
    main = {},
    fetch = {},
  }: { tool?: Record<string, unknown>; main?: Record<string, unknown>; fetch?: Record<string, unknown> } = {},
) {
  const upstream = await startUpstream((_request, count) => (typeof answer === 'function' ? answer(count) : answer));
  const schema = await loadLoopbackSchema({ root: upstream.origin, tool, main });
  const started = performance.now();
  const result = await SchemaKit.fetch({ schema, routeName: 'getThing', ...fetch });
  return { ...result, upstream, ms: performance.now() - started };
}

function canWrite(data: unknown): boolean {
  try {
    return JSON.stringify(data) !== undefined;
  } catch {
    return false;
  }
}

/** A tool that promises nothing about its answers. */
const noPromise = { output: undefined };
const promises = (mimeType: string) => ({ output: { mimeType, schema: { type: 'string' } } });

describe('no answer', () => {
  test('nothing listens there', async () => {
    const schema = await loadLoopbackSchema({ root: await closedOrigin() });
    const { status, messages, findings, data, dataAsString } = await SchemaKit.fetch({ schema, routeName: 'getThing' });
    expect({ status, data, dataAsString }).toEqual({ status: false, data: null, dataAsString: null });
    expect(messages).toEqual([expect.stringMatching(/^ECONNREFUSED: Target server not running \(127\.0\.0\.1:\d+\)/)]);
    expect(findings).toEqual([
      expect.objectContaining({
        code: 'ECONNREFUSED',
        hint: 'Start the server, or check host and port of the address.',
      }),
    ]);
  });

  test('the host does not exist', async () => {
    const schema = await loadLoopbackSchema({ root: 'https://no-such-host.invalid' });
    const { status, messages, findings } = await SchemaKit.fetch({ schema, routeName: 'getThing' });
    expect(status).toBe(false);
    expect(findings[0]?.code).toBe('ENOTFOUND');
    expect(messages).toEqual([expect.stringMatching(/^ENOTFOUND: Invalid host \(no-such-host\.invalid\)/)]);
  });

  test('the server is too slow', async () => {
    const { status, messages, findings, ms } = await callWith(() => new Promise<Reply>(() => {}), {
      fetch: { timeoutMs: 150 },
    });
    expect(status).toBe(false);
    expect(findings[0]?.code).toBe('ETIMEDOUT');
    expect(messages).toEqual([expect.stringMatching(/^ETIMEDOUT: Upstream request timed out .*150 ms/)]);
    expect(ms).toBeLessThan(10_000);
  });

  test('the caller gives up', async () => {
    const controller = new AbortController();
    const asked = Promise.withResolvers<void>();
    const answer = () => {
      asked.resolve();
      return new Promise<Reply>(() => {});
    };
    const called = callWith(answer, { fetch: { signal: controller.signal } });
    await asked.promise;
    controller.abort();
    const { status, findings, data } = await called;
    expect({ status, data, codes: findings.map(({ code }) => code) }).toEqual({
      status: false,
      data: null,
      codes: ['ABORTED'],
    });
  });

  test('the caller gave up before the call', async () => {
    const { findings, upstream } = await callWith({}, { fetch: { signal: AbortSignal.abort() } });
    expect(findings.map(({ code }) => code)).toEqual(['ABORTED']);
    expect(upstream.requests).toEqual([]);
  });

  test('the body has no end', async () => {
    const { status, findings } = await callWith({ body: new Uint8Array(11 * 1024 * 1024) });
    expect(status).toBe(false);
    expect(findings.map(({ code }) => code)).toEqual(['TOO_LARGE']);
  });

  test('a few bytes unfold to a body without end', async () => {
    const { findings } = await callWith({
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(new Uint8Array(50 * 1024 * 1024)),
    });
    expect(findings.map(({ code }) => code)).toEqual(['TOO_LARGE']);
  });
});

describe('an answer that is an error', () => {
  test.each([
    [401, 'Credentials rejected'],
    [403, 'do not allow'],
    [404, 'does not know'],
    [422, 'did not accept'],
    [500, 'try again later'],
  ])('%i: its JSON is in the message', async (status, advice) => {
    const body = { error: { code: 'nope', message: 'this thing is not yours' } };
    const result = await callWith({ status, body });
    expect(result).toMatchObject({ status: false, data: null, dataAsString: null });
    expect(result.messages).toEqual([expect.stringMatching(new RegExp(`^HTTP ${status}: .*this thing is not yours`))]);
    expect(result.findings).toEqual([
      expect.objectContaining({ code: `HTTP_${status}`, hint: expect.stringContaining(advice) }),
    ]);
  });

  test('503 with an HTML page: its title says more than its tags', async () => {
    const body = '<!doctype html><html><head><title>Down for the night</title></head><body><p>zzz</p></body></html>';
    const { messages } = await callWith({ status: 500, headers: { 'content-type': 'text/html' }, body });
    expect(messages).toEqual([expect.stringContaining('Down for the night')]);
    expect(messages.join()).not.toContain('<p>');
  });

  test('only the first part of a long body', async () => {
    const { messages } = await callWith({ status: 400, body: `first words ${'x'.repeat(100_000)} last words` });
    expect(messages).toEqual([expect.stringContaining('first words')]);
    expect(messages.join()).not.toContain('last words');
    expect(messages.join().length).toBeLessThan(1000);
  });

  test('429 with a short Retry-After: a GET is made again', async () => {
    const answer = (count: number): Reply =>
      count === 1 ? { status: 429, headers: { 'retry-after': '1' } } : { body: { ok: true } };
    const { status, data, upstream, ms } = await callWith(answer);
    expect({ status, data, requests: upstream.requests.length }).toEqual({
      status: true,
      data: { ok: true },
      requests: 2,
    });
    expect(ms).toBeGreaterThanOrEqual(990);
  });

  test('429 with a short Retry-After: a POST is not', async () => {
    const reply = { status: 429, headers: { 'retry-after': '1' }, body: { message: 'slow down' } };
    const { status, messages, upstream } = await callWith(reply, { tool: { method: 'POST' } });
    expect({ status, requests: upstream.requests.length }).toEqual({ status: false, requests: 1 });
    expect(messages).toEqual([expect.stringMatching(/^HTTP 429: .*Retry after 1 seconds?\..*slow down/)]);
  });

  test('429 with a long Retry-After: nobody waits for it', async () => {
    const { status, messages, upstream, ms } = await callWith({ status: 429, headers: { 'retry-after': '3600' } });
    expect({ status, requests: upstream.requests.length }).toEqual({ status: false, requests: 1 });
    expect(messages).toEqual([expect.stringContaining('Retry after 3600 seconds')]);
    expect(ms).toBeLessThan(20_000);
  });
});

describe('redirects', () => {
  test('within the API are followed', async () => {
    const upstream = await startUpstream(({ path }) =>
      path === '/thing' ? { status: 302, headers: { location: '/moved?a=1' } } : { body: { path } },
    );
    const schema = await loadLoopbackSchema({ root: upstream.origin });
    expect(await SchemaKit.fetch({ schema, routeName: 'getThing' })).toMatchObject({
      status: true,
      data: { path: '/moved' },
    });
  });

  test('in a circle end', async () => {
    const { status, findings, upstream } = await callWith({ status: 302, headers: { location: '/thing' } });
    expect({ status, codes: findings.map(({ code }) => code) }).toEqual({
      status: false,
      codes: ['TOO_MANY_REDIRECTS'],
    });
    expect(upstream.requests.length).toBeLessThan(10);
  });

  test.each([301, 302, 303, 307, 308])('%i to a private host of another origin is refused', async (status) => {
    const other = await startUpstream();
    const reply = { status, headers: { location: `${other.origin}/stolen` } };
    const { status: succeeded, findings } = await callWith(reply, {
      main: { headers: { 'X-Key': '{{KEY}}' }, requiredServerParams: ['KEY'] },
      fetch: { serverParams: { KEY: SECRET } },
    });
    expect({ succeeded, codes: findings.map(({ code }) => code) }).toEqual({
      succeeded: false,
      codes: ['ADDRESS_BLOCKED'],
    });
    expect(other.requests).toEqual([]);
  });

  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://localhost:1/',
    'http://[::1]:1/',
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
  ])('to %s is refused', async (location) => {
    const { status, findings } = await callWith({ status: 302, headers: { location } });
    expect(status).toBe(false);
    expect(findings.map(({ code }) => code)).toEqual([expect.stringMatching(/^(ADDRESS|PROTOCOL)_BLOCKED$/)]);
  });

  test('that would carry a secret elsewhere are refused, and the message does not hold it', async () => {
    const reply = {
      status: 307,
      headers: { location: `https://elsewhere.invalid/?key=${encodeURIComponent(SECRET)}` },
    };
    const { status, findings, messages } = await callWith(reply, {
      tool: { parameters: [parameter('key', 'query', ['string()'], '{{SERVER_PARAM:KEY}}')] },
      main: { requiredServerParams: ['KEY'] },
      fetch: { serverParams: { KEY: SECRET } },
    });
    expect({ status, codes: findings.map(({ code }) => code) }).toEqual({ status: false, codes: ['SECRET_BLOCKED'] });
    expect(messages.join()).not.toContain('cellar');
  });
});

describe('an answer that is not what the tool promises', () => {
  test('an HTML page in place of JSON', async () => {
    const body = '<!doctype html><html><head><title>Log in</title></head></html>';
    const { status, findings, messages } = await callWith({ headers: { 'content-type': 'text/html' }, body });
    expect({ status, codes: findings.map(({ code }) => code) }).toEqual({ status: false, codes: ['INVALID_JSON'] });
    expect(messages).toEqual([expect.stringMatching(/^Invalid JSON: .*text\/html.*Unexpected token.*"Log in"/)]);
  });

  test.each([
    ['without secrets', {}],
    ['with one', { serverParams: { API_KEY: SECRET } }],
  ])('JSON that is nested too deeply to be written again, %s', async (_, fetch) => {
    const body = `{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const main = 'serverParams' in fetch ? { requiredServerParams: ['API_KEY'] } : {};
    const { status, findings } = await callWith(
      { headers: { 'content-type': 'application/json' }, body },
      { tool: noPromise, main, fetch },
    );
    const tooDeep = expect.objectContaining({
      code: 'ANSWER_TOO_DEEP',
      hint: expect.stringContaining('postRequest'),
    });
    // Node.js 26 has no such limit.
    const written = canWrite(JSON.parse(body));
    expect({ status, findings }).toEqual({ status: written, findings: written ? [] : [tooDeep] });
  });

  test('an HTML page where nothing is promised', async () => {
    const reply = { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Log in</title>' };
    const { findings } = await callWith(reply, { tool: noPromise });
    expect(findings.map(({ code }) => code)).toEqual(['INVALID_JSON']);
  });

  test('an HTML page that is promised', async () => {
    const body = '<!doctype html><title>Thing</title>';
    const { status, data } = await callWith(
      { headers: { 'content-type': 'text/html' }, body },
      { tool: promises('text/html') },
    );
    expect({ status, data }).toEqual({ status: true, data: body });
  });

  test('JSON that is cut off', async () => {
    const { status, messages } = await callWith({
      headers: { 'content-type': 'application/json' },
      body: '{"a": [1, 2',
    });
    expect(status).toBe(false);
    expect(messages).toEqual([expect.stringMatching(/^Invalid JSON: .*application\/json/)]);
  });

  test('XML in place of JSON', async () => {
    const { status, messages } = await callWith({ headers: { 'content-type': 'text/xml' }, body: '<a>1</a>' });
    expect(status).toBe(false);
    expect(messages).toEqual([expect.stringMatching(/^Invalid JSON: .*text\/xml.*<a>1<\/a>/)]);
  });
});

describe('answers that differ from the output schema', () => {
  const output = {
    mimeType: 'application/json',
    schema: { type: 'object', properties: { price: { type: 'number' }, name: { type: 'string', nullable: true } } },
  };

  test('come as they are, with a warning for each place', async () => {
    const body = JSON.stringify({ price: 'cheap', name: null });
    const { status, data, findings, messages } = await callWith({ body }, { tool: { output } });
    expect({ status, data }).toEqual({ status: true, data: { price: 'cheap', name: null } });
    expect(findings).toEqual([expect.objectContaining({ code: 'OUT004', severity: 'warning', path: '$.price' })]);
    expect(messages).toEqual(['$.price: expected a number, got "cheap" (text)']);
  });

  test('and those that do not bring no warning', async () => {
    const { findings } = await callWith({ body: JSON.stringify({ price: 5, more: true }) }, { tool: { output } });
    expect(findings).toEqual([]);
  });
});

describe('integers that a number cannot hold', () => {
  const body = '{"id": 1234567890123456789, "supply": 123456789012345678901234567890, "count": 12}';
  const headers = { 'content-type': 'application/json' };

  test('keep their digits as text where they may be identifiers', async () => {
    const { data } = await callWith({ body, headers }, { tool: noPromise });
    expect(data).toEqual({ id: '1234567890123456789', supply: 1.2345678901234568e29, count: 12 });
  });
});

describe('answers of other kinds', () => {
  test('nothing at all', async () => {
    for (const reply of [{ status: 204 }, { headers: { 'content-type': 'application/json' }, body: '' }]) {
      const { status, data, dataAsString, messages } = await callWith(reply);
      expect({ status, data, dataAsString, messages }).toEqual({
        status: true,
        data: null,
        dataAsString: 'null',
        messages: [],
      });
    }
  });

  test.each([
    ['text/plain', 'just words\n'],
    ['text/plain; charset=utf-8', '[2024-01-01] a line of a log'],
    ['text/csv', 'a,b\n1,2\n'],
    ['application/xml', '<?xml version="1.0"?><a>1</a>'],
    ['application/rss+xml', '<rss/>'],
    ['image/svg+xml', '<svg/>'],
    ['application/x-unheard-of', 'something'],
  ])('%s is text', async (contentType, body) => {
    const reply = { headers: { 'content-type': contentType }, body };
    for (const tool of [noPromise, promises(contentType.split(';')[0] ?? '')]) {
      const { status, data, dataAsString } = await callWith(reply, { tool });
      expect({ status, data, dataAsString }).toEqual({ status: true, data: body, dataAsString: JSON.stringify(body) });
    }
  });

  test('text in another charset', async () => {
    const reply = {
      headers: { 'content-type': 'text/plain; charset=iso-8859-1' },
      body: Buffer.from('größe', 'latin1'),
    };
    expect((await callWith(reply, { tool: noPromise })).data).toBe('größe');
  });

  test.each(['image/png', 'application/pdf', 'audio/mpeg', 'application/octet-stream'])(
    '%s is base64',
    async (contentType) => {
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      const reply = { headers: { 'content-type': contentType }, body: bytes };
      for (const tool of [noPromise, promises(contentType)]) {
        const { status, data, mimeType } = await callWith(reply, { tool });
        expect({ status, data, mimeType }).toEqual({
          status: true,
          data: Buffer.from(bytes).toString('base64'),
          mimeType: contentType,
        });
      }
    },
  );

  test.each([
    'application/json; charset=utf-8',
    'application/problem+json',
    'application/vnd.api+json',
    'text/json',
    'text/plain',
    'text/html',
    'text/javascript',
    'binary/octet-stream',
    '',
  ])('JSON as %j is JSON', async (contentType) => {
    const reply = { headers: { 'content-type': contentType }, body: '{"deep":{"list":[1,2.5,null,true,"größe"]}}' };
    for (const tool of [{}, noPromise]) {
      const { status, data } = await callWith(reply, { tool });
      expect({ status, data }).toEqual({ status: true, data: { deep: { list: [1, 2.5, null, true, 'größe'] } } });
    }
  });

  test('JSON without a content type, and with a byte order mark', async () => {
    expect((await callWith({ body: '[1]' })).data).toEqual([1]);
    const reply = { headers: { 'content-type': 'application/json' }, body: '\ufeff{"a":1}' };
    expect((await callWith(reply)).data).toEqual({ a: 1 });
  });

  test.each(['42', '"word"', 'null', 'false'])('the JSON %s', async (body) => {
    const { status, data, dataAsString } = await callWith({ headers: { 'content-type': 'application/json' }, body });
    expect({ status, data, dataAsString }).toEqual({ status: true, data: JSON.parse(body), dataAsString: body });
  });

  test('gzip', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const { data, upstream } = await callWith({ headers, body: gzipSync('{"packed":true}') });
    expect(data).toEqual({ packed: true });
    expect(upstream.requests[0]?.headers['accept-encoding']).toContain('gzip');
  });

  test('a field called __proto__ is a field', async () => {
    const reply = { headers: { 'content-type': 'application/json' }, body: '{"__proto__":{"polluted":true},"a":1}' };
    const { data, dataAsString } = await callWith(reply, {
      main: { requiredServerParams: ['KEY'] },
      fetch: { serverParams: { KEY: SECRET } },
    });
    expect(dataAsString).toBe(reply.body);
    expect((data as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('the request', () => {
  test('has the root and the path, joined by one slash', async () => {
    const upstream = await startUpstream();
    for (const root of [`${upstream.origin}/v1`, `${upstream.origin}/v1/`]) {
      const schema = await loadLoopbackSchema({ root });
      await SchemaKit.fetch({ schema, routeName: 'getThing' });
    }
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/v1/thing', '/v1/thing']);
  });

  test('puts every value in its place', async () => {
    const upstream = await startUpstream();
    const schema = await loadLoopbackSchema({
      root: upstream.origin,
      tool: {
        method: 'POST',
        path: '/things/{{id}}/:part?fixed=1',
        parameters: [
          parameter('id', 'insert'),
          parameter('part', 'insert'),
          parameter('q', 'query'),
          parameter('sort', 'query', ['string()'], 'asc'),
          parameter('page', 'query', ['number()', 'default(1)']),
          parameter('absent', 'query', ['string()', 'optional()']),
          parameter('count', 'body', ['number()']),
          parameter('tags', 'body', ['array()']),
          parameter('deep', 'body', ['object()']),
          parameter('kind', 'body', ['number()'], '7'),
        ],
      },
      main: { headers: { Accept: 'application/json', 'X-Client': 'shop' } },
    });
    const userParams = { id: 'a b/c', part: '100%', q: 'x&y=#', count: 2, tags: ['a', 1], deep: { a: [{}] } };
    expect(await SchemaKit.fetch({ schema, routeName: 'getThing', userParams })).toMatchObject({ status: true });
    const [request] = upstream.requests;
    expect(request).toMatchObject({
      method: 'POST',
      url: '/things/a%20b/c/100%25?fixed=1&q=x%26y%3D%23&sort=asc&page=1',
    });
    expect(request?.headers).toMatchObject({
      accept: 'application/json',
      'x-client': 'shop',
      'content-type': 'application/json',
    });
    expect(JSON.parse(request?.body ?? '')).toEqual({ count: 2, tags: ['a', 1], deep: { a: [{}] }, kind: 7 });
  });

  test('is not made when an argument is wrong, and all wrong ones are named', async () => {
    const tool = {
      parameters: [
        parameter('a', 'query', ['number()', 'min(1)']),
        parameter('b', 'query'),
        parameter('c', 'query', ['enum(x,y)']),
      ],
    };
    const { status, findings, upstream } = await callWith({}, { tool, fetch: { userParams: { a: 0, c: 'z', d: 1 } } });
    expect(status).toBe(false);
    expect(findings.map(({ code, path }) => [code, path])).toEqual([
      ['INP003', 'a'],
      ['INP001', 'b'],
      ['INP004', 'c'],
      ['INP006', 'd'],
    ]);
    expect(upstream.requests).toEqual([]);
  });

  test('many at once all get their own answer', async () => {
    const upstream = await startUpstream(({ query }) => ({ body: query }));
    const schema = await loadLoopbackSchema({ root: upstream.origin, tool: { parameters: [parameter('n', 'query')] } });
    const numbers = Array.from({ length: 200 }, (_, index) => String(index));
    const results = await Promise.all(
      numbers.map((n) => SchemaKit.fetch({ schema, routeName: 'getThing', userParams: { n } })),
    );
    expect(results.map(({ data }) => data)).toEqual(numbers.map((n) => ({ n })));
  });
});

describe('a secret that an error could tell', () => {
  const spellings = [SECRET, encodeURIComponent(SECRET), btoa(SECRET), JSON.stringify(SECRET).slice(1, -1)];
  const inHeader = { headers: { 'X-Key': '{{KEY}}' }, requiredServerParams: ['KEY'] };
  const fetch = { serverParams: { KEY: SECRET } };

  test.each([400, 401, 500])('an answer %i that repeats it', async (status) => {
    const body = { message: `the key ${SECRET} is wrong`, seen: spellings };
    const result = await callWith({ status, body }, { main: inHeader, fetch });
    expect(result.messages.join()).toContain('is wrong');
    for (const spelling of spellings)
      expect(JSON.stringify([result.messages, result.findings])).not.toContain(spelling);
  });

  test('a message that is cut off in the middle of it', async () => {
    const cutOff = Array.from({ length: SECRET.length }, (_, index) => 'x'.repeat(500 - index));
    for (const before of cutOff) {
      const { messages } = await callWith(
        { status: 400, body: `${before}${SECRET} is wrong` },
        { main: inHeader, fetch },
      );
      expect(messages.join()).not.toContain(SECRET.slice(0, 6));
    }
  });

  test('a title that is cut off in the middle of it', async () => {
    const body = `<title>${'x'.repeat(190)}${SECRET} is wrong</title>`;
    const { messages } = await callWith({ status: 400, body }, { main: inHeader, fetch });
    expect(messages.join()).not.toContain(SECRET.slice(0, 6));
  });

  test('a page in place of JSON that repeats it', async () => {
    const reply = { headers: { 'content-type': 'text/html' }, body: `<title>${SECRET} is wrong</title>` };
    const { messages } = await callWith(reply, { main: inHeader, fetch });
    expect(messages).toEqual([expect.stringContaining('is wrong')]);
    expect(messages.join()).not.toContain('cellar');
  });

  test.each(['header', 'query', 'path', 'body'])(
    'a connection that fails, with the secret in the %s',
    async (place) => {
      const server = { requiredServerParams: ['KEY'] };
      const value = '{{SERVER_PARAM:KEY}}';
      const tools: Record<string, Record<string, unknown>> = {
        header: {},
        query: { parameters: [parameter('key', 'query', ['string()'], value)] },
        path: { path: `/${value}/thing` },
        body: { method: 'POST', parameters: [parameter('key', 'body', ['string()'], value)] },
      };
      const main = place === 'header' ? inHeader : server;
      const schema = await loadLoopbackSchema({ root: await closedOrigin(), tool: tools[place] ?? {}, main });
      const { status, messages, findings } = await SchemaKit.fetch({ schema, routeName: 'getThing', ...fetch });
      expect({ status, codes: findings.map(({ code }) => code) }).toEqual({ status: false, codes: ['ECONNREFUSED'] });
      for (const spelling of spellings) expect(JSON.stringify([messages, findings])).not.toContain(spelling);
    },
  );

  test('a header that cannot hold it', async () => {
    const { status, messages } = await callWith(
      {},
      { main: inHeader, fetch: { serverParams: { KEY: `${SECRET}\r\nX-More: 1` } } },
    );
    expect(status).toBe(false);
    expect(messages.join()).not.toContain('cellar');
  });
});
