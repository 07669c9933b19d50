import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { loadSchemas } from '@schemakit/core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ServerOptionsError } from './check-options.ts';
import { createCatalogServer } from './create-catalog-server.ts';
import { type CreateServerOptions, createServer } from './create-server.ts';
import { openQuotes, type Quotes } from './fixtures/quotes.ts';
import type { ListenOptions } from './http/http-server.ts';

let quotes: Quotes;
beforeAll(async () => {
  quotes = await openQuotes();
});
afterAll(() => quotes.close());

function errorOf(make: () => unknown): ServerOptionsError {
  try {
    make();
  } catch (error) {
    if (error instanceof ServerOptionsError) return error;
    throw error;
  }
  throw new Error('Nothing was refused');
}

const given = (options: unknown) => () => createServer(quotes.main, options as CreateServerOptions);
const mounted = (options: unknown) => () => createServer(quotes.main).middleware(options as ListenOptions);

describe('invalid options are refused', () => {
  test.each<[string, unknown, string]>([
    ['pageSize', 0, 'a whole number from 1, got 0'],
    ['pageSize', -5, 'got -5'],
    ['listTtlMs', -1, 'a whole number from 0, got -1'],
    ['timeoutMs', 0, 'milliseconds from 1 to 2147483647, got 0'],
    ['timeoutMs', Number.NaN, 'got NaN'],
    ['timeoutMs', Number.POSITIVE_INFINITY, 'got Infinity'],
    ['maxAnswerLength', -1, 'a number from 1, got -1'],
    ['structured', 'none', "'both' or 'only', got 'none'"],
    ['selectArgument', 'yes', "true or false, got 'yes'"],
    ['select', 'a', 'expressions by the MCP names of tools'],
    ['discovery', 'search', 'true, false or { pinned }'],
    ['discovery', { pinned: 'quotes__slow' }, 'got { pinned }'],
    ['serverParams', { KEY: 5 }, 'an object of strings by name, got { KEY }'],
    ['upstream', 'slow', 'an object of limits'],
    ['onCall', {}, 'a function'],
    ['name', '', 'a string, got an empty string'],
    ['auth', 'secret', 'there is no option auth'],
  ])('of createServer, %s: %j', (name, value, text) => expectRefusal(given({ [name]: value }), name, text));

  test.each<[string, unknown, string]>([
    ['sessionIdleMs', -1, 'more than 0, got -1'],
    ['maxBodyBytes', -1, 'a whole number from 1'],
    ['maxSessions', 1.5, 'a whole number from 0'],
    ['auth', 5, 'got 5'],
    ['auth', '', 'a token, a function, or a result of oauthResource, got an empty string'],
    ['paths', { mcp: 'mcp' }, 'begins with a slash'],
    ['paths', { foo: '/foo' }, 'got { foo }'],
    ['allowedHosts', 'tools.example.com', 'an array of host names'],
    ['groups', { work: ['a'] }, 'a Map of names and arrays'],
    ['groups', new Map([['work', 'a']]), 'got a Map of something else'],
    ['defaults', { group: 'work' }, 'groups, namespaces, tags and tools'],
    ['port', 80, 'there is no option port'],
  ])('of middleware, %s: %j', (name, value, text) => expectRefusal(mounted({ [name]: value }), name, text));

  test.each<[string, unknown, string]>([
    ['port', -1, 'a whole number from 0 to 65535, got -1'],
    ['host', '', 'a string, got an empty string'],
    ['tls', true, 'an object of cert and key'],
    ['isOpen', 'yes', "true or false, got 'yes'"],
    ['auth', '', 'a token, a function'],
    ['timeoutMs', 1, 'there is no option timeoutMs'],
  ])('of http, %s: %j', async (name, value, text) => {
    const error = await createServer(quotes.main)
      .http({ [name]: value })
      .catch((reason) => reason);
    expectRefusal(() => Promise.reject(error), name, text, error);
  });

  function expectRefusal(make: () => unknown, name: string, text: string, thrown?: ServerOptionsError) {
    const { findings, message } = thrown ?? errorOf(make);
    expect(findings).toEqual([
      {
        code: 'ARG001',
        severity: 'error',
        path: name,
        message: expect.stringContaining(text),
        hint: expect.stringMatching(/\w/),
      },
    ]);
    expect(message).toContain(text);
  }

  test('all in one error', () => {
    const { findings, message } = errorOf(given({ pageSize: 0, structured: '', timeoutMs: 10 }));
    expect(findings.map(({ path }) => path)).toEqual(['pageSize', 'structured']);
    expect(message).toMatchInlineSnapshot(`
      "Invalid createServer options:
      ARG001 pageSize must be a whole number from 1, got 0. Default: 1,000.
      ARG001 structured must be 'both' or 'only', got an empty string. Default: 'both'."
    `);
  });

  test.each<[string, unknown, string]>([
    ['concurrency', 0, 'upstream.concurrency must be a number from 1, got 0'],
    ['concurrency', '4', "got '4'"],
    ['requestsPerSecond', 0, 'a number above 0, got 0'],
    ['burst', Number.NaN, 'got NaN'],
    ['maxQueue', -1, 'a number from 0, got -1'],
    ['maxWaitMs', null, 'got null'],
    ['breaker', true, 'an object of limits, or false, got true'],
    ['singleFlight', 'no', 'true or false'],
    ['cache', { read() {} }, 'the functions salt, read and write, or false, got { read }'],
    ['onUpstream', 1, 'a function'],
    ['concurency', 4, 'there is no option upstream.concurency'],
  ])('of upstream, %s: %j', (name, value, text) => {
    const { findings } = errorOf(given({ upstream: { [name]: value } }));
    expect(findings).toMatchObject([
      { code: 'ARG001', path: `upstream.${name}`, message: expect.stringContaining(text), hint: expect.any(String) },
    ]);
  });

  test('of the breaker, with the others', () => {
    const { findings } = errorOf(given({ upstream: { breaker: { failures: 0, pause: 1 }, maxQueue: -1 } }));
    expect(findings.map(({ path }) => path)).toEqual([
      'upstream.breaker.failures',
      'upstream.breaker.pause',
      'upstream.maxQueue',
    ]);
  });

  test('but not infinite or omitted limits', () => {
    const cache = { salt: async () => '', read: async () => undefined, write: async () => false };
    const limits = { concurrency: Number.POSITIVE_INFINITY, maxQueue: 0, breaker: false, burst: undefined, cache };
    given({ upstream: limits })();
    given({ upstream: { cache: false, breaker: { pauseMs: 1.5 } } })();
  });

  test('two equal paths', () => {
    const { findings } = errorOf(mounted({ paths: { mcp: '/healthz' } }));
    expect(findings).toMatchObject([{ path: 'paths.mcp', message: expect.stringContaining('the path of health') }]);
  });

  test('names of unknown tools', () => {
    const select = { quotes__todai: 'text', quotes__slow: 'text' };
    const { findings } = errorOf(given({ select, discovery: { pinned: ['nope'] } }));
    expect(findings).toMatchObject([
      { code: 'ARG006', path: 'select', hint: 'Did you mean quotes__today?' },
      { code: 'ARG006', path: 'discovery.pinned' },
    ]);
  });

  test('invalid expressions, when the server starts', async () => {
    const server = createServer(quotes.main, { select: { quotes__today: 'a[' } });
    await expect(server.http()).rejects.toThrow('select of quotes__today:');
    await expect(server.stdio()).rejects.toThrow('select of quotes__today:');
  });

  test('those of createCatalogServer', () => {
    const make = (options: unknown) => () => createCatalogServer({ tools: [] }, options as CreateServerOptions);
    expect(errorOf(make({ version: '', serverParams: {}, upstream: { maxQueue: -1 } })).message).toMatchInlineSnapshot(`
      "Invalid createCatalogServer options:
      ARG001 version must be a string, got an empty string. It must not be empty.
      ARG001 there is no option serverParams. Options are name, version, description, instructions, discovery, maxAnswerLength, structured, select, selectArgument, pageSize, listTtlMs, confirmWrites, upstream, timeoutMs, apps, tasks, onCall, onError.
      ARG001 upstream.maxQueue must be a number from 0, got -1. Default: 1,000."
    `);
    expect(errorOf(make(null)).message).toContain('options must be an object, got null');
    expect(errorOf(given(null)).message).toContain('options must be an object, got null');
  });
});

describe('values that are not schemas are refused', () => {
  const broken = {
    namespace: 'x',
    name: 'X',
    description: 'x',
    version: '3.0.0',
    root: 'http://127.0.0.1:1',
    tools: { a: {} },
  };

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'there is no schema to serve'],
    ['an empty array', [], 'there is no schema to serve'],
    ['a string', 'schemas', 'schemas[0] cannot be served: a schema is required'],
    ['a broken main among others', [broken, broken], 'schemas[1] cannot be served'],
    [
      'the result of loadSchemas',
      { status: true, messages: [], findings: [], schemas: [] },
      'the result of loadSchemas',
    ],
    [
      'a file that failed to load',
      { status: false, main: null, findings: [{ severity: 'error', message: 'broken file' }] },
      'broken file',
    ],
  ])('%s', (_, schemas, text) => {
    const { findings, message } = errorOf(() => createServer(schemas as never));
    expect(new Set(findings.map(({ code }) => code))).toEqual(new Set(['ARG005']));
    expect(message).toContain(text);
  });

  test('but a file that failed to load is skipped and reported', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'served-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'good.mjs'), `export const main = ${JSON.stringify(quotes.main)};`);
    writeFileSync(join(folder, 'bad.mjs'), 'export const main = {');
    const { schemas } = await loadSchemas({ paths: [folder] });
    const errors: string[] = [];
    const server = createServer(schemas, { onError: ({ message }) => errors.push(message) });
    expect(server.catalog.current.tools.list.map(({ name }) => name)).toEqual(['quotes__today', 'quotes__slow']);
    expect(errors.join()).toContain('A schema is skipped: ');
  });
});

test('groups take names from any iterable', async () => {
  function* names() {
    yield 'quotes__slow';
  }
  const groups = new Map<string, Iterable<string>>([
    ['work', ['quotes__today']],
    ['play', names()],
  ]);
  const { url, close } = await createServer(quotes.main).http({ groups });
  onTestFinished(() => close());
  for (const [group, name] of [
    ['work', 'quotes__today'],
    ['play', 'quotes__slow'],
    ['play,none', undefined],
    ['play', 'quotes__slow'],
  ]) {
    const client = new Client({ name: 'test', version: '1.0.0' });
    onTestFinished(() => client.close());
    const connected = client.connect(new StreamableHTTPClientTransport(new URL(`/mcp?group=${group}`, url)));
    if (name === undefined) await expect(connected).rejects.toThrow('There is no group none');
    else await connected.then(async () => expect((await client.listTools()).tools).toMatchObject([{ name }]));
  }
});
