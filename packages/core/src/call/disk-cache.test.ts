import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDiskCache, createMemoryCache } from './answer-cache.ts';

const later = new Date(Date.now() + 3_600_000);
const key = (digest: string) => `shop/getThing/${digest}`;

async function cacheFolder(): Promise<string> {
  const base = await mkdtemp(join(tmpdir(), 'schemakit-cache-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  return join(base, 'answers');
}

test('an entry has its own file, readable only by the user', async () => {
  const folder = await cacheFolder();
  const cache = createDiskCache({ folder });
  await cache.salt();
  expect(await cache.read(key('ab'))).toBeUndefined();
  expect(await cache.write(key('ab'), 'text', later)).toBe(true);
  expect(await createDiskCache({ folder }).read(key('ab'))).toBe('text');
  expect(readdirSync(folder).sort()).toEqual(['salt', 'shop_getThing-ab.json']);
  if (process.platform !== 'win32') {
    expect(statSync(join(folder, 'shop_getThing-ab.json')).mode & 0o077).toBe(0);
    expect(statSync(folder).mode & 0o077).toBe(0);
  }
});

test('names of tools cannot lead out of the folder', async () => {
  const folder = await cacheFolder();
  const cache = createDiskCache({ folder });
  await cache.salt();
  await cache.write('../../x/../../y/ab', 'text', later);
  expect(readdirSync(folder)).toContain('_x_y-ab.json');
});

test('all caches of a folder share one salt, and a damaged one is replaced', async () => {
  const folder = await cacheFolder();
  const salts = await Promise.all(Array.from({ length: 8 }, () => createDiskCache({ folder }).salt()));
  const known = readFileSync(join(folder, 'salt'), 'utf8');
  expect(new Set([...salts, known]).size).toBe(1);
  writeFileSync(join(folder, 'salt'), 'x');
  expect(await createDiskCache({ folder }).salt()).toMatch(/^[0-9a-f]{64}$/);
  expect(readdirSync(folder)).toEqual(['salt']);
});

test('a folder that cannot be written caches nothing and causes no errors', async () => {
  const folder = await cacheFolder();
  mkdirSync(join(folder, '..'), { recursive: true });
  writeFileSync(folder, 'a file');
  expect(await createDiskCache({ folder }).write(key('ab'), 'text', later)).toBe(false);
});

test('a full cache removes expired entries, then those that expire first', async () => {
  const folder = await cacheFolder();
  const cache = createDiskCache({ folder, maxEntries: 2, maxBytes: 1000 });
  await cache.salt();
  await cache.write(key('01'), 'a', new Date(Date.now() - 1000));
  await cache.write(key('02'), 'b', new Date(later.getTime() + 2000));
  await cache.write(key('03'), 'c', later);
  await cache.write(key('04'), 'd', new Date(later.getTime() + 1000));
  expect(
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort(),
  ).toEqual(['shop_getThing-02.json', 'shop_getThing-04.json']);
  expect(await cache.write(key('05'), 'x'.repeat(251), later)).toBe(false);
});

test('leftovers of ended processes are removed', async () => {
  const folder = await cacheFolder();
  const cache = createDiskCache({ folder });
  await cache.salt();
  for (const name of ['old.tmp', 'new.tmp']) writeFileSync(join(folder, name), '');
  const longAgo = new Date(Date.now() - 86_400_000);
  utimesSync(join(folder, 'old.tmp'), longAgo, longAgo);
  await cache.write(key('01'), 'a', later);
  expect(readdirSync(folder).sort()).toEqual(['new.tmp', 'salt', 'shop_getThing-01.json']);
});

test('a cache in memory evicts the least recently used entry', async () => {
  const cache = createMemoryCache({ maxEntries: 2, maxCharacters: 100 });
  await cache.write('a', '1', later);
  await cache.write('b', '2', later);
  await cache.read('a');
  await cache.write('c', '3', later);
  expect(await Promise.all(['a', 'b', 'c'].map((name) => cache.read(name)))).toEqual(['1', undefined, '3']);
  expect(await cache.write('d', 'x'.repeat(26), later)).toBe(false);
  for (const name of ['e', 'f']) await cache.write(name, 'x'.repeat(25), later);
  expect(await cache.read('c')).toBeUndefined();
  expect(await cache.salt()).not.toBe(await createMemoryCache().salt());
});
