import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SchemaKit } from '../schemakit.ts';

const KEY = 'pier-key-7f3a9c';
const PIN = '9134567890123456789';

/** Calls a tool whose API answers with this body, and whose file has this hook. */
async function call(body: string, hook: string, options: { names?: string[]; secret?: string } = {}) {
  return (await result(body, hook, options)).data;
}

interface ResultOptions {
  names?: string[];
  /** The value of each secret. */
  secret?: string;
  /** Those that the hook may read. */
  secrets?: string[];
  onLog?: (level: string, text: string) => void;
}

/** Makes that call, and returns the whole result. */
async function result(body: string, hook: string, { names = [], secret = KEY, onLog, ...grants }: ResultOptions = {}) {
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
  const schema = await SchemaKit.loadSchema({ filePath, source: 'tests', grants });
  const serverParams = Object.fromEntries(names.map((name) => [name, secret]));
  const answered = await SchemaKit.fetch({ schema, serverParams, routeName: 'getShips', onLog });
  expect(answered.messages).toEqual([]);
  return answered;
}

describe.each([
  ['without secrets', []],
  ['with a secret', ['KEY']],
])('what a hook after the request gets, %s', (_name, names) => {
  test('is the same object in both fields', async () => {
    const hook = `postRequest: async ({ response, struct }) => {
      response.ships.push('Gull');
      return { response: [response === struct.data, struct.data, Object.keys(struct).at(-1)] };
    }`;
    expect(await call('{"ships":["Tern"]}', hook, { names })).toEqual([true, { ships: ['Tern', 'Gull'] }, 'data']);
  });

  test('is a copy, and the answer is unchanged if the hook returns nothing', async () => {
    const hook = `postRequest: async ({ response }) => { response.ships.push('Gull'); }`;
    expect(await call('{"ships":["Tern"]}', hook, { names })).toEqual({ ships: ['Tern'] });
  });

  test('is text if the answer is not JSON', async () => {
    const hook = 'postRequest: async ({ response, struct }) => ({ response: [response, struct.data] })';
    expect(await call('{"ships":', hook, { names })).toEqual(['{"ships":', '{"ships":']);
    expect(await call('{"ships":', 'postRequest: async () => {}', { names })).toBe('{"ships":');
  });

  test('has names such as __proto__ as plain properties', async () => {
    const hook = `postRequest: async ({ response }) => ({ response: [Object.keys(response), response.toJSON] })`;
    const body = '{"__proto__":{"a":1},"toJSON":1,"2":0,"1":0}';
    expect(await call(body, hook, { names })).toEqual([['1', '2', '__proto__', 'toJSON'], 1]);
  });
});

describe.each([
  ['without secrets', []],
  ['with a secret', ['KEY']],
])('the text of an answer that a hook gave, %s', (_name, names) => {
  const said = '{"ships":[1.0,"\\u0054ern",{"2":0,"1":1e1}]}';
  test.each([
    ['as response', 'postRequest: async ({ response }) => ({ response })'],
    ['in its struct', 'postRequest: async ({ struct }) => ({ struct })'],
    ['in a struct that it only changed', 'postRequest: async ({ struct }) => { struct.data = { ...struct.data }; }'],
    ['by leaving it as it was', 'postRequest: async () => {}'],
    ['by returning the data itself', 'postProcess: async ({ data }) => JSON.parse(data)'],
    ['in place of the request', `executeRequest: async () => ({ response: ${said} })`],
    [
      'in two steps',
      `executeRequest: async () => ({ response: ${said} }),
      postRequest: async ({ response, struct }) => ({ response: response === struct.data ? response : 'two' })`,
    ],
    [
      'in a first step, which the second leaves unchanged',
      `executeRequest: async () => ({ response: ${said} }), postRequest: async () => {}`,
    ],
  ])('is that of its data: %s', async (_case, hook) => {
    const { data, dataAsString } = await result(said, hook, { names });
    expect(dataAsString).toBe('{"ships":[1,"Tern",{"1":10,"2":0}]}');
    expect(data).toEqual({ ships: [1, 'Tern', { 1: 10, 2: 0 }] });
  });

  test('works for plain values too', async () => {
    for (const value of ['"text"', '5', 'true', 'null', '[]']) {
      const { data, dataAsString } = await result('{}', `postRequest: async () => ({ response: ${value} })`, { names });
      expect(dataAsString).toBe(value);
      expect(data).toEqual(JSON.parse(value));
    }
  });
});

describe.each([
  ['the token that a hook sees', 'serverParams.KEY'],
  ['the value, however it came by it', `'${KEY}'`],
])('%s is masked in the data of an answer and in its text', (_name, secret) => {
  test.each([
    ['as it is', '[secret, 1]', ['[REDACTED]', 1]],
    ['as a key', '({ [secret]: 1 })', { '[REDACTED]': 1 }],
    ['as JSON in JSON in JSON', '[[1, 2, 3].reduce((text) => JSON.stringify(text), secret)]', undefined],
    ['spelled with JSON.rawJSON', '[JSON.rawJSON(JSON.stringify(secret).replace("p", "\\\\u0070"))]', ['[REDACTED]']],
  ])('%s', async (_case, value, expected) => {
    for (const hook of ['executeRequest', 'postRequest']) {
      const body = `${hook}: async ({ ${hook === 'postRequest' ? 'struct: { serverParams }' : 'serverParams'} }) => {
        const secret = ${secret};
        return { response: ${value} };
      }`;
      const { data, dataAsString } = await result('{}', body, { names: ['KEY'] });
      if (expected !== undefined) expect(data).toEqual(expected);
      expect(dataAsString).toBe(JSON.stringify(data));
      expect(dataAsString).toContain('[REDACTED]');
    }
  });
});

test('a secret that the API repeats is masked before a hook sees it, in any JSON escape', async () => {
  const hook = `postRequest: async ({ response }) => ({ response: [...response.said].join(' ') })`;
  const spelled = KEY.replace('p', '\\u0070');
  expect(await call(`{"said":"${spelled}"}`, hook, { names: ['KEY'] })).toBe([...'[REDACTED]'].join(' '));
});

describe('a secret of many digits that comes as a number', () => {
  const body = `{"pin":${PIN},"more":[1${PIN}7, ${PIN}e2],"id":8134567890123456789,"text":"id: ${PIN}"}`;

  test('does not reach a hook, and other numbers do', async () => {
    const hook = 'postRequest: async ({ response }) => ({ response: { ...response, id: String(response.id) } })';
    expect(await call(body, hook, { names: ['KEY'], secret: PIN })).toEqual({
      pin: '[REDACTED]',
      more: [expect.stringContaining('[REDACTED]'), expect.stringContaining('[REDACTED]')],
      id: '8134567890123457000',
      text: 'id: [REDACTED]',
    });
  });

  test('does not reach a caller either', async () => {
    const { pin, id } = (await call(body, '', { names: ['KEY'], secret: PIN })) as Record<string, unknown>;
    expect([pin, id]).toEqual(['[REDACTED]', '8134567890123456789']);
  });
});

test.each([
  ['one text', `console.log('x'.repeat(1990) + serverParams.KEY)`],
  ['the first of several', `console.log('x'.repeat(1990) + serverParams.KEY, 'more')`],
  ['an object', `console.log({ text: 'x'.repeat(1979) + serverParams.KEY })`],
])('console output is masked before it is cut: %s', async (_, print) => {
  const logged: string[] = [];
  const hook = `preRequest: async ({ struct, serverParams }) => { ${print}; return { struct }; }`;
  const onLog = (_level: string, text: string) => logged.push(text);
  await result('{}', hook, { names: ['KEY'], secrets: ['KEY'], onLog });
  expect(logged[0]).toMatch(/x\[REDACTED\]|x\[REDAC/);
  expect(logged[0]?.length).toBeLessThanOrEqual(2001);
  expect(logged[0]).not.toContain(KEY.slice(0, 4));
});
