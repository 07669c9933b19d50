import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fetchTool } from '../call/fetch-tool.ts';
import { closeHandlerHosts } from '../handlers/run-in-host.ts';
import { loadSchema } from './load-schema.ts';

let server: Server;
let root: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const { url, headers } = request;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ url, key: headers['x-key'] ?? null, rows: [{ id: 1 }, { id: 2 }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await closeHandlerHosts();
});

const mainText = (more = '') => `export const main = {
  namespace: 'rows', name: 'Rows', description: 'Rows of a table.', version: '3.0.0', root: '${root}',
  requiredServerParams: ['KEY'], requiredLibraries: [], headers: { 'x-key': '{{SERVER_PARAM:KEY}}' }, ${more}
  tools: { getRows: { method: 'GET', path: '/rows', description: 'Get rows.', parameters: [
    { position: { key: 'from', value: '{{USER_PARAM}}', location: 'query' }, z: { primitive: 'number()', options: ['default(1)'] } },
  ] } },
};\n`;

async function load(handlers: string, main = mainText()) {
  const folder = await mkdtemp(join(tmpdir(), 'schemakit-wasm-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const filePath = join(folder, 'rows.mjs');
  await writeFile(filePath, main + handlers);
  return loadSchema({ filePath, isolation: 'wasm' });
}

async function call(handlers: string, main?: string) {
  const schema = await load(handlers, main);
  expect(schema.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return fetchTool({ schema, routeName: 'getRows', userParams: {}, serverParams: { KEY: 'value-of-the-key' } });
}

describe('a schema that is loaded for WebAssembly', () => {
  test('shapes its requests and answers, and asks its API for more', async () => {
    const { data, messages } = await call(`export const handlers = () => ({ getRows: {
      preRequest: async ({ struct, payload }) => ({ struct: { ...struct, url: struct.url + '&more=1' }, payload }),
      postRequest: async ({ response }) => {
        const other = await (await fetch('${root}/other')).json();
        return { response: { asked: response.url, ids: response.rows.map(({ id }) => id), other: other.url } };
      },
    } });`);
    expect(messages).toEqual([]);
    expect(data).toEqual({ asked: '/rows?from=1&more=1', ids: [1, 2], other: '/other' });
  });

  test('reaches no other origin, and no secret', async () => {
    const { data } = await call(`export const handlers = () => ({ getRows: { postRequest: async ({ response }) => ({
      response: [response.key, await fetch('http://127.0.0.1:9').catch((error) => error.message)],
    }) } });`);
    const [key, refused] = data as [string, string];
    expect(key).not.toContain('value-of-the-key');
    expect(refused).toMatch(/^fetch failed: /);
  });

  test('is told on which line it failed', async () => {
    const { findings } = await call(
      `export const handlers = () => ({ getRows: {\npostRequest: async () => {\n throw new Error('no rows') } } });`,
    );
    const lines = mainText().split('\n').length;
    expect(findings).toMatchObject([
      { code: 'HANDLER_THREW', message: expect.stringContaining('no rows'), line: lines + 2 },
    ]);
  });

  test('may compute its main and its handlers', async () => {
    const main = mainText().replace(
      `description: 'Rows of a table.'`,
      `description: ['Rows', 'of', 'a', 'table.'].reduce((a, b) => a + ' ' + b)`,
    );
    const { data } = await call(
      `const made = Object.fromEntries(['getRows'].map((name) => [name, { postRequest: async () => ({ response: 5 }) }]));
       export const handlers = () => made;`,
      main,
    );
    expect(data).toBe(5);
  });

  test.each([
    ['Buffer', `Buffer.from('x')`, 'HANDLER_UNSUPPORTED', 'Handlers in WebAssembly have no Buffer'],
    ['Intl', `new Intl.NumberFormat('de').format(1)`, 'HANDLER_UNSUPPORTED', 'Handlers in WebAssembly have no Intl'],
    [
      'a library',
      `(await import('crypto')).randomUUID()`,
      'LIBRARY_UNUSABLE',
      `Handlers in WebAssembly have no libraries, and this schema uses 'crypto'`,
    ],
  ])('is refused where it uses %s, by name and line', async (_, use, code, message) => {
    const { status, findings } = await load(
      `export const handlers = () => ({ getRows: { postRequest: async () => ({ response: ${use} }) } });`,
    );
    const line = mainText().split('\n').length;
    expect(status).toBe(false);
    expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code, message, line, path: 'handlers', hint: expect.stringContaining(`isolation: 'process'`) },
    ]);
  });

  test('is refused with required libraries, where it has handlers', async () => {
    const main = mainText().replace('requiredLibraries: []', `requiredLibraries: ['crypto']`);
    const { findings } = await load(
      `export const handlers = ({ libraries }) => ({ getRows: { postRequest: async () => ({ response: libraries.crypto.randomUUID() }) } });`,
      main,
    );
    expect(findings.filter(({ code }) => code === 'LIBRARY_UNUSABLE')).toMatchObject([
      { path: 'main.requiredLibraries[0]', severity: 'error' },
    ]);
    expect((await load('', main)).status).toBe(true);
  });

  test('may ask whether a name is there', async () => {
    const { data } = await call(`export const handlers = () => ({ getRows: { postRequest: async () => ({
      response: typeof Buffer === 'undefined' ? btoa('hi') : Buffer.from('hi').toString('base64'),
    }) } });`);
    expect(data).toBe('aGk=');
  });
});
