import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { readLock } from './lock-file.ts';

let folder: string;
let lockFile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'schemakit-lock-'));
  lockFile = join(folder, 'schemakit.lock.json');
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const codes = () => readLock({ lockFile }).findings.map(({ code }) => code);

test('a missing file is an error, or a lock without entries', () => {
  expect(codes()).toEqual(['LCK001']);
  expect(readLock({ lockFile, missing: 'empty' }).lock?.schemas.size).toBe(0);
});

test('a folder or a device is not a lock file', () => {
  expect(readLock({ lockFile: folder, missing: 'empty' }).messages).toEqual([
    'the lock file cannot be read: it is not a regular file',
  ]);
  expect(readLock({ lockFile: '/dev/zero' }).status).toBe(false);
});

test('a byte order mark is skipped', () => {
  writeFileSync(lockFile, '\uFEFF{ "lockVersion": 1, "schemas": {} }');
  expect(codes()).toEqual([]);
});

test('a file that changes is read again, at once and after a pause', async () => {
  const [good, other, broken] = ['{ "lockVersion": 1, "schemas": {} }', '{ "lockVersion": 2, "schemas": {} }', '{'];
  for (const [text, expected] of [
    [good, []],
    [other, ['LCK003']],
    [good, []],
  ] as const) {
    writeFileSync(lockFile, text);
    expect(codes()).toEqual(expected);
  }
  // From then on it is kept in memory.
  while (Date.now() - statSync(lockFile).ctimeMs <= 1100) await sleep(50);
  expect(codes()).toEqual([]);
  expect(codes()).toEqual([]);
  writeFileSync(lockFile, other);
  expect(codes()).toEqual(['LCK003']);
  writeFileSync(lockFile, broken);
  expect(codes()).toEqual(['LCK002']);
  rmSync(lockFile);
  expect(codes()).toEqual(['LCK001']);
});
