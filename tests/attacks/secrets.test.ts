import { createHash } from 'node:crypto';
import { SchemaKit } from '@schemakit/core';
import { describe, expect, test, vi } from 'vitest';
import { loadLoopbackSchema } from '../e2e/support/loopback-schema.ts';
import { parameter } from '../e2e/support/schema-module.ts';
import { startUpstream, type Upstream } from '../e2e/support/upstream.ts';
import { echoes, handlers, typed } from './secrets.ts';

const secret = 'k3y/Kx+7Qz9w"LmT4v=RbN2sY8';

describe.each(typed)('a caller who $name', ({ text, outcome }) => {
  test('gets the secret where placeholders are replaced one after the other', async () => {
    const { origin, requests } = await startUpstream();
    const body = JSON.stringify({ q: text }).replaceAll(/\{\{(?:SERVER_PARAM:)?KEY\}\}/g, () =>
      JSON.stringify(secret).slice(1, -1),
    );
    await fetch(origin, { method: 'POST', body });
    expect(tells(JSON.stringify(requests))).toBe(true);
  });

  test.each(['query', 'body', 'insert'] as const)(`${outcome}: %s`, async (place) => {
    if (place !== 'body' && typeof text === 'object') return;
    const upstream = await startUpstream();
    const { main } = await loadLoopbackSchema({
      root: upstream.origin,
      tool: {
        method: 'POST',
        path: place === 'insert' ? '/thing/{{q}}' : '/thing',
        parameters: [
          parameter('q', place, [typeof text === 'string' ? 'string()' : Array.isArray(text) ? 'array()' : 'object()']),
        ],
      },
      main: { requiredServerParams: ['KEY'], headers: { 'X-Key': '{{KEY}}' } },
    });
    const params = { main, routeName: 'getThing', userParams: { q: text }, serverParams: { KEY: secret } };
    const { status, data, messages } = await SchemaKit.fetch(params);
    expect(status, messages.join()).toBe(true);
    const [request] = upstream.requests;
    expect(request?.headers['x-key']).toBe(secret);
    expect(tells(`${request?.url} ${request?.body} ${JSON.stringify(data)}`)).toBe(false);
    const sent = {
      query: request?.query.q,
      insert: decodeURIComponent(request?.path.slice(7) ?? ''),
      body: JSON.parse(request?.body || '{}').q,
    };
    expect(sent[place]).toEqual(text);
  });
});

describe.each(handlers)('a handler that $name', ({ hook, outcome, broken, secret: key = secret }) => {
  test('tells the secret where handlers have it', async () => {
    const [own, other] = await startApis();
    const written = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const run = new Function('KEY', 'ROOT', 'OTHER', `return (async () => { ${hook} })();`);
    const answer = await run(key, own.origin, other.origin).catch(String);
    const logged = written.mock.calls;
    written.mockRestore();
    expect(tells(JSON.stringify([answer, logged, other.requests]), key)).toBe(true);
  });

  const isTold = async (): Promise<boolean> => {
    const [own, other] = await startApis();
    const { main } = await loadLoopbackSchema({
      root: own.origin,
      main: { requiredServerParams: ['KEY'], requiredLibraries: [] },
      handlers: `() => ({ getThing: { executeRequest: async ({ payload }) => {
        const { KEY } = payload.serverParams, ROOT = '${own.origin}', OTHER = '${other.origin}';
        const answer = await (async () => { ${hook} })();
        return answer?.struct ? answer : { response: answer };
      } } })`,
      options: { grants: { network: [other.origin] }, scan: 'report' },
    });
    const logged: string[] = [];
    const onLog = (_level: string, text: string): void => void logged.push(text);
    const { status: _, ...result } = await SchemaKit.fetch({
      main,
      routeName: 'getThing',
      serverParams: { KEY: key },
      onLog,
    });
    if (/^[A-Z_]+$/.test(outcome)) expect(JSON.stringify(result)).toMatch(/secret/);
    return tells(JSON.stringify([result, result.dataAsString, logged, other.requests]), key);
  };
  testTold(outcome, broken, isTold);
});

describe.each(echoes)('an API that $name', ({ spell, outcome, broken }) => {
  test('tells the secret where answers are passed on', async () => {
    const { origin } = await startUpstream(() => ({ body: { echo: spell(secret) } }));
    const { echo } = (await (await fetch(origin)).json()) as { echo: string };
    expect(echo).toBe(spell(secret));
  });

  const isTold = async (): Promise<boolean> => {
    const { origin } = await startUpstream(() => ({ body: { echo: spell(secret), other: 'kept' } }));
    const { main } = await loadLoopbackSchema({
      root: origin,
      main: { requiredServerParams: ['KEY'], headers: { 'X-Key': '{{KEY}}' } },
    });
    const { data, dataAsString } = await SchemaKit.fetch({
      main,
      routeName: 'getThing',
      serverParams: { KEY: secret },
    });
    expect(data).toMatchObject({ other: 'kept' });
    return JSON.stringify([data, dataAsString]).includes(JSON.stringify(spell(secret)).slice(1, -1));
  };
  testTold(outcome, broken, isTold);
});

/** What does not hold is red as soon as it does; a test that cannot be run counts as such. */
function testTold(outcome: string, broken: string | undefined, isTold: () => Promise<boolean>): void {
  if (broken === undefined) test(outcome, async () => expect(await isTold()).toBe(false));
  else test.fails(`does not hold, ${broken}`, async () => expect(await isTold().catch(() => false)).toBe(false));
}

/** The API of the schema, which does what it is asked to do with the key, and another that keeps what it gets. */
async function startApis(): Promise<[Upstream, Upstream]> {
  const other = await startUpstream(() => ({ body: {} }));
  const own = await startUpstream(({ path, headers }) => {
    const key = String(headers['x-key'] ?? '');
    if (path === '/redirect')
      return { status: 307, headers: { location: `${other.origin}/?key=${encodeURIComponent(key)}` } };
    if (path === '/utf16')
      return { headers: { 'content-type': 'text/plain; charset=utf-16le' }, body: Buffer.from(key, 'utf16le') };
    if (path === '/utf16be') return { body: Buffer.concat([Buffer.of(255), Buffer.from(key, 'utf16le').swap16()]) };
    if (path.startsWith('/piece/')) return { body: key.slice(Number(path.slice(7)), Number(path.slice(7)) + 4) };
    if (path === '/reverse') return { body: [...key].reverse().join('') };
    return { body: { echo: key }, headers: { 'x-echo': key } };
  });
  return [own, other];
}

/** Whether somebody who reads a text can tell the secret from it. */
function tells(text: string, key: string = secret): boolean {
  const letters = [...key];
  const half = key.length / 2;
  const spellings = [
    key,
    letters.toReversed().join(''),
    letters.join(' '),
    letters.join('-'),
    btoa(key),
    Buffer.from(key).toString('hex'),
    createHash('sha256').update(key).digest('hex'),
    JSON.stringify(letters),
    JSON.stringify(letters.map((letter) => letter.charCodeAt(0))),
    key.slice(0, half),
    key.match(/.{1,4}/g)?.join(' ') ?? '',
  ];
  const forms = spellings.flatMap((form) => [form, encodeURIComponent(form), JSON.stringify(form).slice(1, -1)]);
  // Escaped once more where it is JSON in JSON.
  return forms.some((form) => text.includes(form) || text.includes(JSON.stringify(form).slice(1, -1)));
}
