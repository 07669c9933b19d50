import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { findLockFile, lockPaths } from './lock-paths.ts';

let folder: string;
let lockFile: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'schemakit-lock-')));
  lockFile = join(folder, 'project', 'schemakit.lock.json');
  mkdirSync(join(folder, 'project', 'schemas'), { recursive: true });
  writeFileSync(join(folder, 'project', 'schemas', 'shop.mjs'), '');
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

test('a file has the path from the folder of the lock file', () => {
  expect(lockPaths(lockFile, join(folder, 'project/schemas/../schemas/shop.mjs'))[0]).toBe('schemas/shop.mjs');
});

test('a file that is gone keeps its path', () => {
  expect(lockPaths(lockFile, join(folder, 'project/gone/old.mjs'))[0]).toBe('gone/old.mjs');
});

test('a file outside has its absolute path', () => {
  expect(lockPaths(lockFile, join(folder, 'other.mjs'))).toEqual([join(folder, 'other.mjs')]);
});

test('a link has its own path first, then that of its file', () => {
  const link = join(folder, 'project/link.mjs');
  symlinkSync('schemas/shop.mjs', link);
  expect(lockPaths(lockFile, link).slice(0, 2)).toEqual(['link.mjs', 'schemas/shop.mjs']);
});

test('a folder that was reached through a link makes no difference', () => {
  symlinkSync(join(folder, 'project'), join(folder, 'alias'));
  expect(lockPaths(lockFile, join(folder, 'alias/schemas/shop.mjs'))[0]).toBe('schemas/shop.mjs');
  expect(lockPaths(join(folder, 'alias/schemakit.lock.json'), join(folder, 'project/schemas/shop.mjs'))[0]).toBe(
    'schemas/shop.mjs',
  );
});

test('the nearest lock file above is found', () => {
  writeFileSync(lockFile, '');
  expect(findLockFile(join(folder, 'project/schemas'))).toBe(lockFile);
  writeFileSync(join(folder, 'project/schemas/schemakit.lock.json'), '');
  expect(findLockFile(join(folder, 'project/schemas'))).toBe(join(folder, 'project/schemas/schemakit.lock.json'));
});
