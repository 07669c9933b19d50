import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { accept, unaccepted } from './accepted.ts';
import { settingsPaths } from './settings-paths.ts';

let folder: string;
let file: string;
let paths: ReturnType<typeof settingsPaths>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'schemakit-accepted-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = join(folder, 'schemakit.lock.json');
  writeFileSync(file, '{}');
  paths = settingsPaths({ env: { SCHEMAKIT_HOME: join(folder, 'home') }, cwd: folder });
});

const shop = () => ({ file, part: 'shop.mjs', contents: { secrets: ['KEY'], network: [] } });
const isAccepted = (one: Parameters<typeof unaccepted>[0][number]) => unaccepted([one], paths).length === 0;

test('a part counts once it is accepted, and no longer once it changes', async () => {
  expect(isAccepted(shop())).toBe(false);
  expect(await accept([shop()], paths)).toEqual({ ok: true });
  expect(isAccepted(shop())).toBe(true);
  expect(isAccepted({ ...shop(), contents: { network: [], secrets: ['KEY'] } })).toBe(true);
  expect(isAccepted({ ...shop(), contents: { network: [], secrets: ['KEY', 'OTHER'] } })).toBe(false);
  expect(isAccepted({ ...shop(), part: 'other.mjs' })).toBe(false);
});

test('a file is known by its real path', async () => {
  await accept([shop()], paths);
  symlinkSync(file, join(folder, 'link.json'));
  expect(isAccepted({ ...shop(), file: join(folder, 'link.json') })).toBe(true);
  writeFileSync(join(folder, 'other.json'), '{}');
  expect(isAccepted({ ...shop(), file: join(folder, 'other.json') })).toBe(false);
});

test('parts with names of object members are parts like any other', async () => {
  const parts = ['__proto__', 'constructor'].map((part) => ({ ...shop(), part }));
  expect(unaccepted(parts, paths)).toEqual(parts);
  await accept(parts, paths);
  expect(unaccepted(parts, paths)).toEqual([]);
});

test('with an unreadable record nothing is accepted, and nothing is overwritten', async () => {
  mkdirSync(join(folder, 'home'));
  writeFileSync(paths.home.accepted, '{ "half');
  expect(isAccepted(shop())).toBe(false);
  expect(await accept([shop()], paths)).toMatchObject({ ok: false, finding: { code: 'SET006' } });
});
