import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SchemaKit } from '../schemakit.ts';

const KEY = 'pier-key-7f3a9c';

/** Calls a tool whose API answers with this body, and whose file has this hook. */
async function call(body: string, hook: string, { names = [] }: { names?: string[] } = {}) {
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(body),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const folder = await mkdtemp(join(tmpdir(), 'answer-for-hook-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const filePath = join(folder, 'pier.mjs');
  const main = {
    namespace: 'pier',
    name: 'Pier',
    description: 'A pier',
    version: '3.0.0',
    root: `http://127.0.0.1:${port}`,
    requiredServerParams: names,
    requiredLibraries: [],
    headers: Object.fromEntries(names.map((name) => [`X-${name}`, `{{${name}}}`])),
    tools: { getShips: { method: 'GET', path: '/', description: 'Ships', parameters: [] } },
  };
  await writeFile(
    filePath,
    `export const main = ${JSON.stringify(main)};\nexport const handlers = () => ({ getShips: { ${hook} } });`,
  );
  const schema = await SchemaKit.loadSchema({ filePath });
  const serverParams = Object.fromEntries(names.map((name) => [name, KEY]));
  const { data, messages } = await SchemaKit.fetch({ schema, serverParams, routeName: 'getShips' });
  expect(messages).toEqual([]);
  return data;
}

describe.each([
  ['without secrets', []],
  ['with a secret', ['KEY']],
])('what a hook after the request gets, %s', (_name, names) => {
  test('is one object in both places', async () => {
    const hook = `postRequest: async ({ response, struct }) => {
      response.ships.push('Gull');
      return { response: [response === struct.data, struct.data, Object.keys(struct).at(-1)] };
    }`;
    expect(await call('{"ships":["Tern"]}', hook, { names })).toEqual([true, { ships: ['Tern', 'Gull'] }, 'data']);
  });

  test('is its own, and the answer stays what it was where it returns nothing', async () => {
    const hook = `postRequest: async ({ response }) => { response.ships.push('Gull'); }`;
    expect(await call('{"ships":["Tern"]}', hook, { names })).toEqual({ ships: ['Tern'] });
  });

  test('is text where the answer is no JSON', async () => {
    const hook = 'postRequest: async ({ response, struct }) => ({ response: [response, struct.data] })';
    expect(await call('{"ships":', hook, { names })).toEqual(['{"ships":', '{"ships":']);
    expect(await call('{"ships":', 'postRequest: async () => {}', { names })).toBe('{"ships":');
  });

  test('has names that mean something to the language as plain properties', async () => {
    const hook = `postRequest: async ({ response }) => ({ response: [Object.keys(response), response.toJSON] })`;
    const body = '{"__proto__":{"a":1},"toJSON":1,"2":0,"1":0}';
    expect(await call(body, hook, { names })).toEqual([['1', '2', '__proto__', 'toJSON'], 1]);
  });
});

test('a secret that the API repeats is masked before a hook sees it, however JSON spells it', async () => {
  const hook = `postRequest: async ({ response }) => ({ response: [...response.said].join(' ') })`;
  const spelled = KEY.replace('p', '\\u0070');
  expect(await call(`{"said":"${spelled}"}`, hook, { names: ['KEY'] })).toBe([...'[REDACTED]'].join(' '));
});
