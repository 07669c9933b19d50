import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnswerCache, createMemoryCache, SchemaKit } from '@schemakit/core';
import { describe, expect, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { loadLoopbackSchema } from './support/loopback-schema.ts';
import { faultlessTool, mainWith, moduleText, parameter } from './support/schema-module.ts';
import { startUpstream } from './support/upstream.ts';

const preload = { enabled: true, ttl: 60 };
const parameters = [parameter('q', 'query', ['string()', 'default(all)'])];
const secret = { requiredServerParams: ['SHOP_KEY'], headers: { 'x-key': '{{SHOP_KEY}}' } };

/** A cache that shows what is in it. */
function openCache(): { cache: AnswerCache; entries: Map<string, string> } {
  const entries = new Map<string, string>();
  const memory = createMemoryCache();
  const cache: AnswerCache = {
    ...memory,
    async write(key, text, expiresAt) {
      entries.set(key, text);
      return memory.write(key, text, expiresAt);
    },
  };
  return { cache, entries };
}

describe('answers of tools with preload', () => {
  test('are asked for once for an input, however it is written', async () => {
    const { origin, requests } = await startUpstream(({ query }, count) => ({ body: { count, query } }));
    const schema = await loadLoopbackSchema({ root: origin, tool: { preload, parameters } });
    const { cache } = openCache();
    const call = (userParams: object) => SchemaKit.fetch({ schema, routeName: 'getThing', userParams, cache });
    const first = await call({});
    expect(first).toMatchObject({ status: true, cache: { hit: false, stored: true } });
    const again = await call({ q: 'all' });
    const { fetchedAt, expiresAt } = again.cache as { fetchedAt: string; expiresAt: string };
    expect(again).toMatchObject({ data: first.data, dataAsString: first.dataAsString, cache: { hit: true } });
    expect(Date.parse(expiresAt) - Date.parse(fetchedAt)).toBeGreaterThan(59_000);
    expect((await call({ q: 'other' })).cache).toMatchObject({ hit: false });
    expect(requests).toHaveLength(2);
  });

  test('are warned of again where they do not fit the output', async () => {
    const { origin } = await startUpstream(() => ({ body: [1] }));
    const schema = await loadLoopbackSchema({ root: origin, tool: { preload } });
    const { cache } = openCache();
    const [first, again] = [
      await SchemaKit.fetch({ schema, routeName: 'getThing', cache }),
      await SchemaKit.fetch({ schema, routeName: 'getThing', cache }),
    ];
    expect(first.findings).not.toEqual([]);
    expect(again).toMatchObject({ findings: first.findings, cache: { hit: true } });
  });

  test('are asked for again with refresh, and kept', async () => {
    const { origin } = await startUpstream((_, count) => ({ body: { count } }));
    const schema = await loadLoopbackSchema({ root: origin, tool: { preload } });
    const { cache } = openCache();
    const call = (refresh: boolean) => SchemaKit.fetch({ schema, routeName: 'getThing', cache, refresh });
    await call(false);
    expect(await call(true)).toMatchObject({ data: { count: 2 }, cache: { hit: false, stored: true } });
    expect(await call(false)).toMatchObject({ data: { count: 2 }, cache: { hit: true } });
  });

  test('differ by the secrets they were got with, and none of these is kept', async () => {
    const { origin } = await startUpstream(({ headers }) => ({ body: { echo: headers['x-key'] } }));
    const schema = await loadLoopbackSchema({ root: origin, tool: { preload }, main: secret });
    const { cache, entries } = openCache();
    const call = (key: string) =>
      SchemaKit.fetch({ schema, routeName: 'getThing', serverParams: { SHOP_KEY: key }, cache });
    await call('first-secret-value');
    expect((await call('other-secret-value')).cache).toMatchObject({ hit: false, stored: true });
    expect((await call('first-secret-value')).cache).toMatchObject({ hit: true });
    expect([...entries].flat().join('\n')).not.toMatch(/secret-value/);
    // Too short to be masked, so that the whole answer is not kept.
    expect((await call('k&1')).cache).toEqual({ hit: false, stored: false });
    expect(entries.size).toBe(2);
  });

  test('differ by the API, by the ttl, and by the code of the handlers', async () => {
    const [one, other] = [await startUpstream(), await startUpstream()];
    const { cache, entries } = openCache();
    const handlers = (word: string) => `() => ({ getThing: { postRequest: async () => ({ response: '${word}' }) } })`;
    const schemas = [
      { root: one.origin, tool: { preload } },
      { root: other.origin, tool: { preload } },
      { root: one.origin, tool: { preload: { enabled: true, ttl: 61 } } },
      { root: one.origin, tool: { preload }, handlers: handlers('a') },
      { root: one.origin, tool: { preload }, handlers: handlers('b') },
    ];
    for (const parts of schemas) {
      const schema = await loadLoopbackSchema(parts);
      const { cache: use } = await SchemaKit.fetch({ schema, routeName: 'getThing', cache });
      expect(use).toMatchObject({ hit: false, stored: true });
    }
    expect(entries.size).toBe(schemas.length);
    // A file that says the same has the same answers.
    const last = schemas.at(-1);
    const schema = last && (await loadLoopbackSchema(last));
    expect(await SchemaKit.fetch({ schema, routeName: 'getThing', cache })).toMatchObject({
      data: 'b',
      cache: { hit: true },
    });
  });

  test.each([
    ['a POST', { method: 'POST', preload }],
    ['a tool without preload', {}],
    ['preload that is off', { preload: { enabled: false, ttl: 60 } }],
  ])('%s is always sent', async (_name, tool) => {
    const { origin, requests } = await startUpstream();
    const schema = await loadLoopbackSchema({ root: origin, tool });
    const { cache, entries } = openCache();
    const results = [
      await SchemaKit.fetch({ schema, routeName: 'getThing', cache }),
      await SchemaKit.fetch({ schema, routeName: 'getThing', cache }),
    ];
    expect(results.map((result) => result.cache)).toEqual([undefined, undefined]);
    expect([requests.length, entries.size]).toEqual([2, 0]);
  });

  test('that failed are not kept, nor those of hooks of the program', async () => {
    const { origin } = await startUpstream(({ path }) => ({ status: path === '/thing' ? 404 : 200, body: {} }));
    const { cache, entries } = openCache();
    const call = async (path: string, options: object = {}) => {
      const schema = await loadLoopbackSchema({ root: origin, tool: { preload, path } });
      return SchemaKit.fetch({ schema, routeName: 'getThing', cache, ...options });
    };
    expect(await call('/thing')).toMatchObject({ status: false, findings: [{ code: 'HTTP_404' }] });
    const handlerMap = { getThing: { postRequest: async () => ({ response: 'mine' }) } };
    expect(await call('/other', { handlerMap })).toMatchObject({ status: true, data: 'mine' });
    expect(entries.size).toBe(0);
  });

  test.each([
    ['damaged', () => '{"form":1,'],
    ['of another call', (text: string) => text.replace('/getThing/', '/getOther/')],
    ['expired', (text: string) => text.replace(/"expiresAt":"\d+/, '"expiresAt":"2001')],
    ['from the future', (text: string) => text.replace(/"fetchedAt":"\d+/, '"fetchedAt":"9001')],
    ['without data', (text: string) => text.replace('"data"', '"date"')],
  ])('an entry that is %s is fetched again', async (_name, damage) => {
    const { origin, requests } = await startUpstream();
    const schema = await loadLoopbackSchema({ root: origin, tool: { preload } });
    const memory = createMemoryCache();
    const read = async (key: string) => {
      const text = await memory.read(key);
      return text === undefined ? undefined : damage(text);
    };
    await SchemaKit.fetch({ schema, routeName: 'getThing', cache: memory });
    const again = await SchemaKit.fetch({ schema, routeName: 'getThing', cache: { ...memory, read } });
    expect(again).toMatchObject({ status: true, cache: { hit: false, stored: true } });
    expect(requests).toHaveLength(2);
  });

  test('a cache that throws fails no call', async () => {
    const { origin } = await startUpstream(() => ({ body: { a: 1 } }));
    const schema = await loadLoopbackSchema({ root: origin, tool: { preload } });
    const broken = async () => {
      throw new Error('broken');
    };
    const memory = createMemoryCache();
    const call = (cache: AnswerCache) => SchemaKit.fetch({ schema, routeName: 'getThing', cache });
    const kept = { hit: false, stored: false };
    expect(await call({ ...memory, read: broken, write: broken })).toMatchObject({ data: { a: 1 }, cache: kept });
    expect(await call({ ...memory, salt: broken })).toMatchObject({ status: true, data: { a: 1 } });
    expect(await call({} as AnswerCache)).toMatchObject({ status: false, findings: [{ code: 'ARG001' }] });
  });
});

test('the command keeps answers in the global folder, for all projects', async () => {
  const { origin, requests } = await startUpstream((_, count) => ({ body: { count } }));
  const file = moduleText(mainWith({ root: origin, tools: { getThing: { ...faultlessTool, preload } } }));
  const { start, home } = await cliProject({ 'project/shop.mjs': file });
  const call = (...flags: string[]) => start('call', 'shop.mjs::tool::getThing', ...flags);
  expect(await call()).toMatchObject({
    status: 0,
    json: { content: { count: 1 }, cache: { hit: false, stored: true } },
  });
  expect(await call()).toMatchObject({ json: { content: { count: 1 }, cache: { hit: true } } });
  expect(await call('--refresh')).toMatchObject({ json: { content: { count: 2 }, cache: { hit: false } } });
  const direct = await call('--no-cache');
  expect(direct.json).toEqual({ status: true, toolName: 'shop_getThing', content: { count: 3 } });
  expect(await call()).toMatchObject({ json: { content: { count: 2 }, cache: { hit: true } } });
  const folder = join(home, 'cache', 'answers');
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{');
  expect(await call()).toMatchObject({ status: 0, json: { content: { count: 4 }, cache: { stored: true } } });
  expect(requests).toHaveLength(4);
});
