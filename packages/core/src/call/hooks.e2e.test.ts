import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEchoApi } from '../schema/legacy/fixtures/echo-api.ts';
import { SchemaKit } from '../schemakit.ts';
import { readPreRequest } from './hooks.ts';
import type { RequestPlan } from './plan-request.ts';

const plan: RequestPlan = { url: 'https://api.example.com/things', method: 'GET', headers: {} };

describe('changes made by a hook before the request', () => {
  const read = (value: unknown, changes: Record<string, unknown> = {}) =>
    readPreRequest({ value, changes }, plan, { bare: false });

  test.each([
    ['nothing', undefined, {}],
    ['a struct that says nothing', { struct: { ...plan } }, {}],
    ['a status that is true', { struct: { status: true, messages: [] } }, {}],
    ['messages alone', undefined, { messages: ['slow today'] }],
  ])('%s is no failure', (_name, value, changes) => {
    expect(read(value, changes)).toMatchObject({ status: true, plan, replan: false });
  });

  test.each([
    ['in the struct that it returned', { struct: { ...plan, status: false, messages: ['closed'] } }, {}],
    ['in its argument', undefined, { status: false, messages: ['closed'] }],
    ['in its argument, with other words returned', { params: { a: 1 } }, { status: false, messages: ['closed'] }],
    ['with hidden messages', { struct: { ...plan, status: false } }, { messages: ['closed'] }],
  ])('a status of false counts %s', (_name, value, changes) => {
    expect(read(value, changes)).toMatchObject({ status: false, messages: ['closed'] });
  });
});

describe('a hook before the request that reports a failure', () => {
  const mainOf = (root: string) => ({
    namespace: 'desk',
    name: 'Desk',
    description: 'A desk',
    version: '3.0.0',
    root,
    requiredServerParams: [],
    requiredLibraries: [],
    headers: {},
    tools: { get: { method: 'GET', path: '/', description: 'Get', parameters: [] } },
  });

  const failures: [string, string, string[]][] = [
    [
      'returns a struct',
      "return { struct: { ...struct, status: false, messages: ['closed', 'until nine'] } }",
      ['closed', 'until nine'],
    ],
    [
      'changes and returns its struct',
      "struct.status = false; struct.messages.push('closed'); return { struct }",
      ['closed'],
    ],
    ['changes its struct only', "struct.status = false; struct.messages.push('closed')", ['closed']],
    ['replaces its messages', "struct.status = false; struct.messages = ['closed']; return { struct }", ['closed']],
    ['says no more', 'struct.status = false; return { struct }', ['the handler reported a failure without a message']],
  ];

  test.each(failures)('%s: the call fails with its messages and nothing is sent', async (_name, body, messages) => {
    const api = await startEchoApi();
    const folder = await mkdtemp(join(tmpdir(), 'hooks-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const filePath = join(folder, 'desk.mjs');
    const handlers = `() => ({ get: { preRequest: async ({ struct }) => { ${body} } } })`;
    await writeFile(
      filePath,
      `export const main = ${JSON.stringify(mainOf(api.origin))};\nexport const handlers = ${handlers};`,
    );
    const schema = await SchemaKit.loadSchema({ filePath, source: 'tests' });
    const result = await SchemaKit.fetch({ schema, routeName: 'get' });
    expect(result).toMatchObject({ status: false, data: null, messages });
    expect(result.findings).toMatchObject(messages.map(() => ({ code: 'HANDLER_FAILED', path: 'get' })));
    expect(api.arrived).toEqual([]);
  });

  test('also in a hook of the program itself', async () => {
    const api = await startEchoApi();
    const main = mainOf(api.origin);
    const handlersFn = () => ({
      get: {
        preRequest: async ({ struct }: { struct: { status?: boolean; messages: string[] } }) => {
          struct.status = false;
          struct.messages.push('closed');
          return { struct };
        },
      },
    });
    const { handlerMap } = SchemaKit.createHandlers({ handlersFn, routeNames: ['get'] });
    const { status, messages } = await SchemaKit.fetch({ main, handlerMap, routeName: 'get' });
    expect({ status, messages, arrived: api.arrived }).toEqual({ status: false, messages: ['closed'], arrived: [] });
  });
});
