import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { LockEntry } from './lock-file.ts';
import { formatLock, readLock, updateLock } from './lock-file.ts';
import { findLockFile } from './lock-paths.ts';

const entry: LockEntry = {
  source: null,
  revision: null,
  main: `sha256:${'a'.repeat(64)}`,
  handlers: null,
  lists: {},
  grants: { network: [], secrets: [] },
  seen: { root: '', secrets: [], libraries: [], hooks: [], hosts: [], parts: {} },
};

let folder: string;
let lockFile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'schemakit-lock-'));
  lockFile = join(folder, 'schemakit.lock.json');
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const add = (path: string) =>
  updateLock(lockFile, ({ schemas }) => ({ schemas: new Map([...schemas, [path, entry]]) }));
const paths = () => [...(readLock({ lockFile }).lock?.schemas.keys() ?? [])];

/** Runs a program that has `updateLock`, `withFileLock` and `entry` at hand. */
function program(text: string): ChildProcess {
  const names = { entry, lockFile };
  const source = `
    import { updateLock } from ${JSON.stringify(new URL('./lock-file.ts', import.meta.url).href)};
    import { withFileLock } from ${JSON.stringify(new URL('./file-lock.ts', import.meta.url).href)};
    const { entry, lockFile } = ${JSON.stringify(names)};
    ${text}`;
  const flags = ['--conditions=@schemakit/source', '--input-type=module', '-e', source];
  return spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
}

test('many concurrent processes lose nothing', async () => {
  const writers = Array.from({ length: 8 }, (_, writer) =>
    program(`for (let index = 0; index < 5; index += 1) {
      const { status, messages } = await updateLock(lockFile, ({ schemas }) =>
        ({ schemas: new Map([...schemas, ['${writer}-' + index + '.mjs', entry]]) }));
      if (!status) throw new Error(messages.join());
    }`),
  );
  const ends = await Promise.all(writers.map((writer) => once(writer, 'exit')));
  expect(ends.map(([code]) => code)).toEqual(writers.map(() => 0));
  expect(paths()).toHaveLength(40);
  expect(readdirSync(folder)).toEqual(['schemakit.lock.json']);
});

test('a process that was killed while it held the lock does not block others', async () => {
  const holder = program(`await withFileLock(lockFile + '.held', async () => {
    console.log('held');
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  });`);
  if (holder.stdout) await once(holder.stdout, 'data');
  expect(readdirSync(folder)).toEqual(['schemakit.lock.json.held']);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const results = await Promise.all([add('a.mjs'), add('b.mjs'), add('c.mjs')]);
  expect(results.map(({ messages }) => messages)).toEqual([[], [], []]);
  expect(paths()).toEqual(['a.mjs', 'b.mjs', 'c.mjs']);
  expect(readdirSync(folder)).toEqual(['schemakit.lock.json']);
});

test('a file that is not a lock file is left unchanged', async () => {
  writeFileSync(lockFile, '{ "lockVersion": 1, ');
  const { status, findings } = await add('a.mjs');
  expect(status).toBe(false);
  expect(findings[0]).toMatchObject({ code: 'LCK002', file: lockFile });
  expect(readFileSync(lockFile, 'utf8')).toBe('{ "lockVersion": 1, ');
});

test('an entry that could not be parsed again is not written', async () => {
  const { messages } = await add('../outside.mjs');
  expect(messages).toEqual([expect.stringContaining('must be a path with forward slashes')]);
  expect(readdirSync(folder)).toEqual([]);
});

test('a link to the lock file stays one', async () => {
  const real = join(folder, 'real.json');
  writeFileSync(real, formatLock({ file: real, schemas: new Map() }));
  symlinkSync('real.json', lockFile);
  await add('a.mjs');
  expect(readFileSync(real, 'utf8')).toContain('a.mjs');
  expect(paths()).toEqual(['a.mjs']);
});

test('a link to a missing file is no lock without entries', async () => {
  symlinkSync('gone.json', lockFile);
  for (const { status, messages } of [readLock({ lockFile, missing: 'empty' }), await add('a.mjs')]) {
    expect(status).toBe(false);
    expect(messages).toEqual([expect.stringContaining('is a link to a missing file')]);
  }
  expect(findLockFile(folder)).toBe(lockFile);
  expect(readdirSync(folder)).toEqual(['schemakit.lock.json']);
});

test.skipIf(process.getuid?.() === 0)('a folder that cannot be written is a finding', async () => {
  chmodSync(folder, 0o500);
  const { findings } = await add('a.mjs');
  chmodSync(folder, 0o700);
  expect(findings).toMatchObject([{ code: 'LCK007', message: expect.stringContaining('EACCES') }]);
});

test('a missing folder is a finding', async () => {
  const { findings } = await updateLock(join(folder, 'none', 'x.json'), () => ({ schemas: new Map() }));
  expect(findings).toMatchObject([{ code: 'LCK007', message: expect.stringContaining('ENOENT') }]);
});
