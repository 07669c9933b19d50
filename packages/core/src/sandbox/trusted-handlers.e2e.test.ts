import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hashForms } from '../schema/hash.ts';
import { createTimeBudget, runHook } from './run-hook.ts';
import { type TrustedFile, type TrustedHandlers, trustedHandlers } from './trusted-handlers.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trusted-handlers-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Writes a schema file and imports its handlers, with the pin of what was written unless told otherwise. */
async function open(handlers: string, rest: Partial<TrustedFile> = {}): Promise<TrustedHandlers> {
  const file = join(folder, 'schema.mjs');
  const bytes = Buffer.from(`export const main = {};\n${handlers}`);
  await writeFile(file, bytes);
  const pin = hashForms({ file: bytes }).plain ?? undefined;
  return trustedHandlers({ file, bytes, pin, namespace: 'demo', sharedLists: {}, libraries: {}, ...rest });
}

async function hookOf(body: string, rest: Partial<TrustedFile> = {}) {
  const opened = await open(
    `export const handlers = ({ sharedLists, libraries }) => ({ tool: { executeRequest: async (context) => {${body}} } });`,
    rest,
  );
  if (!opened.ok) throw new Error(opened.failure.message);
  const hook = opened.hooks.tool?.executeRequest;
  if (hook === undefined) throw new Error('no hook');
  return hook;
}

describe('trustedHandlers', () => {
  test('runs handlers in this process, with its libraries and lists', async () => {
    const body = `
      const { readFileSync } = await import('node:fs');
      return [process.pid, libraries.native(2), sharedLists.chains, typeof readFileSync, import.meta.filename]`;
    const run = await hookOf(body, {
      libraries: { native: (x: number) => x * 2 },
      sharedLists: { chains: [{ a: 1 }] },
    });
    expect(await run({})).toEqual([process.pid, 4, [{ a: 1 }], 'function', join(folder, 'schema.mjs')]);
  });

  test('shows the pin to write if there is none', async () => {
    const bytes = Buffer.from('export const handlers = () => ({})');
    const pin = hashForms({ file: bytes }).plain;
    expect(await open('', { bytes, pin: undefined })).toMatchObject({
      ok: false,
      failure: { code: 'PIN_MISSING', hint: expect.stringContaining(`isolation: 'trusted' and pin: '${pin}'`) },
    });
  });

  test.each(['sha256:1234', '', `sha256:${'0'.repeat(64)}`])(
    'runs nothing of a file with another hash than %j',
    async (pin) => {
      const opened = await open(`globalThis.ranAnyway = true; export const handlers = () => ({})`, { pin });
      expect(opened).toMatchObject({ ok: false, failure: { code: 'PIN_MISMATCH' } });
      expect('ranAnyway' in globalThis).toBe(false);
    },
  );

  test('runs the pinned bytes, even if the file has changed', async () => {
    // In a process of its own: the test runner has another way to import.
    const file = join(folder, 'changed.mjs');
    const handlers = (text: string) => `export const handlers = () => ({ tool: { executeRequest: () => '${text}' } })`;
    await writeFile(file, handlers('changed'));
    const bytes = handlers('pinned');
    const trusted = { file, pin: hashForms({ file: bytes }).plain, namespace: 'demo', sharedLists: {}, libraries: {} };
    const script = `
      import { trustedHandlers } from ${JSON.stringify(new URL('./trusted-handlers.ts', import.meta.url).href)};
      const bytes = Buffer.from(${JSON.stringify(bytes)});
      const { hooks } = await trustedHandlers({ ...${JSON.stringify(trusted)}, bytes });
      console.log(await hooks.tool.executeRequest({}));`;
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script];
    expect((await promisify(execFile)(process.execPath, args)).stdout).toBe('pinned\n');
  });

  test('names the hooks of queries by resource and query', async () => {
    const opened = await open(
      'export const handlers = () => ({ shops: { byCity: { postRequest: ({ response }) => ({ response: response.length }) } } });',
    );
    expect(opened.ok && Object.keys(opened.hooks)).toEqual(['shops', 'shops.byCity']);
    expect(opened.ok && (await opened.hooks['shops.byCity']?.postRequest?.({ response: [1, 2] }))).toEqual({
      response: 2,
    });
  });

  test.each([
    ['no handlers', '', 'FACTORY_INVALID'],
    ['an array', 'export const handlers = () => [];', 'FACTORY_INVALID'],
    ['an async factory', 'export const handlers = async () => ({});', 'FACTORY_INVALID'],
    ['a factory that throws', `export const handlers = () => { throw new Error('no') };`, 'FACTORY_THREW'],
    ['a syntax error', 'export const handlers = () => {', 'FACTORY_THREW'],
  ])('reports %s', async (_, handlers, code) => {
    expect(await open(handlers)).toMatchObject({ ok: false, failure: { code } });
  });
});

describe('a trusted hook', () => {
  const environment = {
    fetch: async () => {
      throw new Error('no network');
    },
    timeBudget: createTimeBudget(),
  };

  test('returns plain data, as in the sandbox', async () => {
    const run = await hookOf(
      `return { big: 10n, at: new Date(0), map: new Map([['a', 1]]), f() {}, toJSON: () => 'never' }`,
    );
    expect(await run({})).toEqual({ big: '10', at: '1970-01-01T00:00:00.000Z', map: { a: 1 } });
    const large = await hookOf(`return 'x'.repeat(11 * 1024 * 1024)`);
    await expect(large({})).rejects.toMatchObject({ code: 'HANDLER_RESULT_TOO_LARGE', schema: 'demo', tool: 'tool' });
  });

  test('is aborted with the call', async () => {
    const run = await hookOf('await new Promise(() => {})');
    const controller = new AbortController();
    const outcome = runHook(run, { visible: {}, hidden: [] }, { ...environment, signal: controller.signal });
    controller.abort();
    await expect(outcome).rejects.toMatchObject({ code: 'HANDLER_ABORTED', tool: 'tool', hook: 'executeRequest' });
  });

  test('fails at its deadline', async () => {
    vi.stubEnv('SCHEMAKIT_HANDLER_TIMEOUT_MS', '50');
    const run = await hookOf('await new Promise(() => {})');
    await expect(runHook(run, { visible: {}, hidden: [] }, environment)).rejects.toMatchObject({
      code: 'HANDLER_TIMEOUT',
    });
    vi.unstubAllEnvs();
  });
});

test('the deadline of a call comes from the environment', () => {
  vi.stubEnv('SCHEMAKIT_HANDLER_TIMEOUT_MS', '1234');
  expect(createTimeBudget()).toEqual({ limitMs: 1234, leftMs: 1234 });
  vi.unstubAllEnvs();
  expect(createTimeBudget()).toEqual({ limitMs: 30_000, leftMs: 30_000 });
});
