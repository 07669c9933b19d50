import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SchemaKit } from '@schemakit/core';
import { checkLock, readLock, trustSchemas } from '@schemakit/core/lock';
import { describe, expect, test } from 'vitest';
import { hasTerminal, runAtTerminal, runCommand, startCommand } from './support/command.ts';
import { mainWith, moduleText } from './support/schema-module.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { startUpstream } from './support/upstream.ts';

const sign = `() => ({
  getThing: {
    preRequest: async ({ struct, serverParams }) => {
      struct.headers['X-Sign'] = [...serverParams.SHOP_KEY].reverse().join('');
      return { struct };
    },
  },
})`;
const nobody = 65_534;

/** A cloned project: its lock file lets the handlers of `shop.mjs` read a secret. */
async function clone() {
  const upstream = await startUpstream(() => ({ body: { ok: true } }));
  const main = (namespace: string) =>
    mainWith({ namespace, root: upstream.origin, requiredServerParams: ['SHOP_KEY'] });
  const folder = await temporaryFolder({
    'work/shop.mjs': moduleText(main('shop'), sign),
    'work/other.mjs': moduleText(main('other')),
    'home/.keep': '',
  });
  const cwd = join(folder, 'work');
  const lockFile = join(cwd, 'schemakit.lock.json');
  /** What the stranger commits. */
  async function commit(name: string, grants = {}) {
    const schema = await SchemaKit.loadSchema({ filePath: join(cwd, name) });
    const { lock } = readLock({ lockFile, missing: 'empty' });
    const check = lock && checkLock({ lock, schema });
    if (check) expect((await trustSchemas({ lockFile, schemas: [{ check, grants }] })).status).toBe(true);
  }
  await commit('shop.mjs', { secrets: ['SHOP_KEY'] });
  const env = { HOME: folder, SCHEMAKIT_HOME: join(folder, 'home'), SHOP_KEY: 'abc-secret-def' };
  const options = { cwd, env };
  return {
    ...{ upstream, folder, cwd, lockFile, options, commit },
    run: (...args: string[]) => runCommand(args, options),
    call: (flags: string[] = [], more: Record<string, string> = {}) =>
      startCommand(['call', 'shop.mjs::tool::getThing', ...flags], { cwd, env: { ...env, ...more } }),
  };
}

describe('the grants of a lock file that came with a project', () => {
  test('wait until the user accepts them, and its pins hold', async () => {
    const { call, run, cwd, upstream } = await clone();
    const refused = await call();
    expect(refused).toMatchObject({ status: 6, json: { fix: expect.stringContaining('trust shop.mjs --secret') } });
    expect(refused.stderr).toContain(
      'LCK008: the grants of shop.mjs wait until you accept them: handlers may read SHOP_KEY',
    );
    expect(upstream.requests).toEqual([]);
    expect(run('trust', 'shop.mjs')).toMatchObject({ status: 1 });
    expect(run('trust', 'shop.mjs', '--yes')).toMatchObject({ status: 0 });
    expect(await call()).toMatchObject({ status: 0, stderr: '' });
    const file = join(cwd, 'shop.mjs');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"/thing"', '"/other"'));
    expect(await call()).toMatchObject({ status: 1, json: { error: expect.stringContaining('was trusted') } });
  });

  test('are looked up for the schemas that are used only', async () => {
    const { call, lockFile } = await clone();
    const document = JSON.parse(readFileSync(lockFile, 'utf8'));
    const entry = JSON.stringify(document.schemas['shop.mjs']);
    const others = Array.from({ length: 7000 }, (_, index) => [`a/b/c/d/e/f/g/h/${index}.mjs`, JSON.parse(entry)]);
    const schemas = { ...document.schemas, ...Object.fromEntries(others) };
    writeFileSync(lockFile, JSON.stringify({ ...document, schemas }));
    const refused = await call();
    expect(refused.status).toBe(6);
    expect(refused.stderr).toContain('the grants of shop.mjs wait');
    expect(refused.stderr).not.toContain('a/b/c');
    writeFileSync(lockFile, `${' '.repeat(9 * 1024 * 1024)}{}`);
    expect(await call()).toMatchObject({ status: 1, json: { error: expect.stringContaining('more than 8388608') } });
  });

  test('count where the file is named', async () => {
    const { call, lockFile, upstream } = await clone();
    expect((await call(['--lock', lockFile])).status).toBe(0);
    expect((await call([], { SCHEMAKIT_LOCK: lockFile })).status).toBe(0);
    expect((await call()).status).toBe(6);
    expect(upstream.requests).toHaveLength(2);
  });

  test('stay accepted while only pins change, and wait again once they change', async () => {
    const { call, run, commit, cwd } = await clone();
    run('trust', 'shop.mjs', '--yes');
    const file = join(cwd, 'shop.mjs');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"/thing"', '"/other"'));
    await commit('shop.mjs');
    await commit('other.mjs', { network: 'any' });
    expect(await call()).toMatchObject({ status: 0, stderr: '' });
    await commit('shop.mjs', { network: ['https://evil.example'] });
    const refused = await call();
    expect(refused.status).toBe(6);
    expect(refused.stderr).toContain('handlers may reach https://evil.example');
  });

  test('that the user leaves after taking others away stay accepted', async () => {
    const { call, run } = await clone();
    run('trust', 'shop.mjs', '--network', 'https://a.example', '--yes');
    expect(run('trust', 'shop.mjs', '--network', 'https://a.example', '--revoke').status).toBe(0);
    expect((await call()).status).toBe(0);
  });

  test.runIf(hasTerminal)('are shown at a terminal, and accepted there once', async () => {
    const { options, call } = await clone();
    const no = await runAtTerminal(['call', 'shop.mjs::tool::getThing'], 'n\n', options);
    expect(no.status).toBe(6);
    const yes = await runAtTerminal(['call', 'shop.mjs::tool::getThing'], 'y\n', options);
    expect(yes.screen).toMatch(/handlers may read +SHOP_KEY/);
    expect(yes.status).toBe(0);
    expect((await call()).status).toBe(0);
  });
});

describe('a lock file that others may have put there is refused', () => {
  test.runIf(process.getuid?.() === 0)('if it belongs to another user, also in a parent folder', async () => {
    const { call, run, cwd, lockFile } = await clone();
    chownSync(lockFile, nobody, nobody);
    const refused = await call();
    expect(refused).toMatchObject({ status: 1, json: { error: expect.stringContaining('belongs to another user') } });
    expect(run('list-tools').status).not.toBe(0);
    expect(run('trust', 'shop.mjs', '--yes').json.error).toContain('belongs to another user');
    mkdirSync(join(cwd, 'below'));
    const below = { cwd: join(cwd, 'below'), env: { HOME: cwd } };
    expect(runCommand(['validate', '../shop.mjs'], below).status).toBe(1);
    expect((await call(['--lock', lockFile])).status).toBe(0);
  });

  test('if it lies in a folder that others can write, unless only its owner can replace it', async () => {
    const { call, run, cwd } = await clone();
    run('trust', 'shop.mjs', '--yes');
    chmodSync(cwd, 0o777);
    expect(await call()).toMatchObject({
      status: 1,
      json: { error: expect.stringContaining('other users can replace') },
    });
    expect(run('validate', '.')).toMatchObject({ status: 1, json: { error: expect.stringContaining('can replace') } });
    expect(run('run', '.')).toMatchObject({ status: 1, stderr: expect.stringContaining('LCK009') });
    chmodSync(cwd, 0o1777);
    expect((await call()).status).toBe(0);
  });

  test('if it is a link to nothing', async () => {
    const folder = await temporaryFolder({ 'work/shop.mjs': moduleText(mainWith()) });
    const cwd = join(folder, 'work');
    symlinkSync('gone.json', join(cwd, 'schemakit.lock.json'));
    const { status, json } = runCommand(['call', 'list-tools', '.'], { cwd, env: { HOME: folder } });
    expect({ status, error: json.error }).toEqual({
      status: 3,
      error: expect.stringContaining('link to a missing file'),
    });
  });
});
