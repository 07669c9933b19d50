import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { loadSchemas } from '@schemakit/core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openQuotes, type Quotes } from '../fixtures/quotes.ts';
import { createHttpServer } from '../http/create-http-server.ts';
import { type CreateServerOptions, createServer } from '../http/create-server.ts';
import { serveStdio } from '../stdio/serve-stdio.ts';
import { ServerOptionsError } from './check-options.ts';

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

describe('an option that a server cannot use is refused', () => {
  test.each<[string, unknown, string]>([
    ['pageSize', 0, 'a whole number from 1, got 0'],
    ['pageSize', -5, 'got -5'],
    ['listTtlMs', -1, 'a whole number from 0, got -1'],
    ['timeoutMs', 0, 'milliseconds from 1 to 2147483647, got 0'],
    ['timeoutMs', Number.NaN, 'got NaN'],
    ['timeoutMs', Number.POSITIVE_INFINITY, 'got Infinity'],
    ['sessionIdleMs', -1, 'more than 0, got -1'],
    ['maxBodyBytes', -1, 'a whole number from 1'],
    ['maxSessions', 1.5, 'a whole number from 0'],
    ['maxAnswerLength', -1, 'a number from 1, got -1'],
    ['auth', 5, 'got 5'],
    ['auth', '', 'a token that is not empty, a function, or what oauthResource gives, got empty text'],
    ['structured', 'none', "'both' or 'only', got 'none'"],
    ['selectArgument', 'yes', "true or false, got 'yes'"],
    ['select', 'a', 'expressions by the MCP names of tools'],
    ['discovery', 'search', 'true, false or { pinned }'],
    ['discovery', { pinned: 'quotes__slow' }, 'got { pinned }'],
    ['paths', { mcp: 'mcp' }, 'begins with a slash'],
    ['paths', { foo: '/foo' }, 'got { foo }'],
    ['allowedHosts', 'tools.example.com', 'an array of host names'],
    ['groups', { work: ['a'] }, 'a Map of names and arrays'],
    ['groups', new Map([['work', 'a']]), 'got a Map of something else'],
    ['defaults', { group: 'work' }, 'groups, namespaces, tags and tools'],
    ['serverParams', { KEY: 5 }, 'an object of text by name, got { KEY }'],
    ['upstream', 'slow', 'an object of limits'],
    ['onCall', {}, 'a function'],
    ['name', '', 'text, got empty text'],
    ['unknown', 1, 'has no option unknown'],
  ])('%s: %j', (name, value, text) => {
    const { findings, message } = errorOf(given({ [name]: value }));
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
  });

  test('with all others that are wrong, in one error', () => {
    const { findings, message } = errorOf(given({ pageSize: 0, auth: '', timeoutMs: 10 }));
    expect(findings.map(({ path }) => path)).toEqual(['pageSize', 'auth']);
    expect(message).toMatchInlineSnapshot(`
      "createServer cannot make a server of this.
      ARG001 createServer takes as pageSize a whole number from 1, got 0. Leave it out for 1,000.
      ARG001 createServer takes as auth a token that is not empty, a function, or what oauthResource gives, got empty text. Leave it out where everyone may call."
    `);
  });

  test.each<[string, unknown, string]>([
    ['concurrency', 0, 'upstream.concurrency a number from 1, got 0'],
    ['concurrency', '4', "got '4'"],
    ['requestsPerSecond', 0, 'a number above 0, got 0'],
    ['burst', Number.NaN, 'got NaN'],
    ['maxQueue', -1, 'a number from 0, got -1'],
    ['maxWaitMs', null, 'got null'],
    ['breaker', true, 'an object of limits, or false, got true'],
    ['singleFlight', 'no', 'true or false'],
    ['cache', { read() {} }, 'the functions salt, read and write, or false, got { read }'],
    ['onUpstream', 1, 'a function'],
    ['concurency', 4, 'has no option upstream.concurency'],
  ])('among the limits of APIs, %s: %j', (name, value, text) => {
    const { findings } = errorOf(given({ upstream: { [name]: value } }));
    expect(findings).toMatchObject([
      { code: 'ARG001', path: `upstream.${name}`, message: expect.stringContaining(text), hint: expect.any(String) },
    ]);
  });

  test('among the limits of the breaker, with the others', () => {
    const { findings } = errorOf(given({ upstream: { breaker: { failures: 0, pause: 1 }, maxQueue: -1 } }));
    expect(findings.map(({ path }) => path)).toEqual([
      'upstream.breaker.failures',
      'upstream.breaker.pause',
      'upstream.maxQueue',
    ]);
  });

  test('but not limits that are as large as can be, or left out', async () => {
    const cache = { salt: async () => '', read: async () => undefined, write: async () => false };
    const limits = { concurrency: Number.POSITIVE_INFINITY, maxQueue: 0, breaker: false, burst: undefined, cache };
    await given({ upstream: limits })().close();
    await given({ upstream: { cache: false, breaker: { pauseMs: 1.5 } } })().close();
  });

  test('where two paths are one', () => {
    const { findings } = errorOf(given({ paths: { mcp: '/healthz' } }));
    expect(findings).toMatchObject([{ path: 'paths.mcp', message: expect.stringContaining('that of health') }]);
  });

  test('where it names a tool that there is not', () => {
    const select = { quotes__todai: 'text', quotes__slow: 'text' };
    const { findings } = errorOf(given({ select, discovery: { pinned: ['nope'] } }));
    expect(findings).toMatchObject([
      { code: 'ARG006', path: 'select', hint: 'Did you mean quotes__today?' },
      { code: 'ARG006', path: 'discovery.pinned' },
    ]);
  });

  test('where it has an expression that is none, before the server listens', async () => {
    const server = createServer(quotes.main, { select: { quotes__today: 'a[' } });
    onTestFinished(() => server.close());
    await expect(server.listen()).rejects.toThrow('select of quotes__today:');
  });

  test('by createHttpServer too', () => {
    expect(errorOf(() => createHttpServer({ name: 'a', version: '1', pageSize: 0 })).message).toContain(
      'createHttpServer takes as pageSize',
    );
    expect(errorOf(() => createHttpServer({} as never)).findings).toMatchObject([
      { path: 'name', message: 'createHttpServer needs name, text' },
      { path: 'version' },
    ]);
    expect(errorOf(() => createServer(quotes.main, null as never)).message).toContain('an object of options, got null');
  });

  test('by serveStdio too, which has those alone that are not of HTTP', () => {
    const options = { version: '', pageSize: 0, auth: 'secret', upstream: { maxQueue: -1 } };
    expect(errorOf(() => serveStdio(options as never)).message).toMatchInlineSnapshot(`
      "serveStdio cannot make a server of this.
      ARG001 serveStdio needs name, text.
      ARG001 serveStdio takes as version text, got empty text. Give text that is not empty.
      ARG001 serveStdio takes as pageSize a whole number from 1, got 0. Leave it out for 1,000.
      ARG001 serveStdio has no option auth. There are name, version, instructions, tools, prompts, resources, offer, discovery, maxAnswerLength, structured, select, selectArgument, pageSize, listTtlMs, upstream, timeoutMs, onCall, onError.
      ARG001 serveStdio takes as upstream.maxQueue a number from 0, got -1. Leave it out for 1,000."
    `);
  });
});

describe('what cannot be served is refused', () => {
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
    ['no schema', [], 'there is no schema to serve'],
    ['a text', 'schemas', 'schemas[0] cannot be served: a schema is required'],
    ['a main that is broken, with others', [broken, broken], 'schemas[1] cannot be served'],
    ['the answer of loadSchemas', { status: true, messages: [], findings: [], schemas: [] }, 'what loadSchemas gave'],
    [
      'a file that did not load',
      { status: false, main: null, findings: [{ severity: 'error', message: 'broken file' }] },
      'broken file',
    ],
  ])('%s', (_, schemas, text) => {
    const { findings, message } = errorOf(() => createServer(schemas));
    expect(new Set(findings.map(({ code }) => code))).toEqual(new Set(['ARG005']));
    expect(message).toContain(text);
  });

  test('but a file that did not load is left out, with a word', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'served-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'good.mjs'), `export const main = ${JSON.stringify(quotes.main)};`);
    writeFileSync(join(folder, 'bad.mjs'), 'export const main = {');
    const { schemas } = await loadSchemas({ paths: [folder] });
    const errors: string[] = [];
    const server = createServer(schemas, { onError: ({ message }) => errors.push(message) });
    expect(server.offer.current.tools.list.map(({ name }) => name)).toEqual(['quotes__today', 'quotes__slow']);
    expect(errors.join()).toContain('A schema is left out: ');
  });
});

test('groups take names from anything that gives them', async () => {
  function* names() {
    yield 'quotes__slow';
  }
  const groups = new Map<string, Iterable<string>>([
    ['work', ['quotes__today']],
    ['play', names()],
  ]);
  const server = createServer(quotes.main, { groups });
  const { url, stop } = await server.listen();
  onTestFinished(async () => {
    await server.close();
    await stop();
  });
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
