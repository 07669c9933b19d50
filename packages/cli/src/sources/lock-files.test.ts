import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from './fixtures/source-home.ts';
import { importedFrom, isOwn } from './lock-files.ts';

afterEach(() => vi.unstubAllEnvs());

test('files and folders below a _source.json are imported', () => {
  const schemas = temporaryFolder();
  const source = join(schemas, 'tides');
  mkdirSync(join(source, 'more'), { recursive: true });
  mkdirSync(join(schemas, 'mine'));
  writeFileSync(join(source, '_source.json'), '{}');
  expect(importedFrom(source)).toEqual({ source: 'tides', lockFile: undefined });
  expect(importedFrom(join(source, 'more', 'a.mjs'))).toEqual({ source: 'tides', lockFile: undefined });
  expect(importedFrom(join(schemas, 'mine', 'a.mjs'))).toBeUndefined();
  // A folder of sources is not the user's own either.
  expect(importedFrom(schemas)).toEqual({ source: basename(schemas), lockFile: undefined });
  const lockFile = join(schemas, 'schemakit.lock.json');
  writeFileSync(lockFile, '{}');
  expect(importedFrom(source)).toEqual({ source: 'tides', lockFile });
});

test('a source cannot have another one, and what a link leads to counts', () => {
  const schemas = temporaryFolder();
  const inner = join(schemas, 'tides', 'inner');
  mkdirSync(inner, { recursive: true });
  for (const folder of [inner, join(schemas, 'tides')]) writeFileSync(join(folder, '_source.json'), '{}');
  writeFileSync(join(schemas, 'tides', 'schemakit.lock.json'), '{}');
  const lockFile = join(schemas, 'schemakit.lock.json');
  writeFileSync(lockFile, '{}');
  const link = join(temporaryFolder(), 'link');
  symlinkSync(inner, link);
  for (const folder of [inner, link]) {
    expect(importedFrom(join(folder, 'a.mjs'))).toEqual({ source: 'tides', lockFile });
    expect(isOwn(folder)).toBe(false);
  }
});

test("what the original runtime imported is not the user's own either, and the global folder is a folder of sources", () => {
  const home = temporaryFolder();
  vi.stubEnv('HOME', home);
  vi.stubEnv('SCHEMAKIT_HOME', '');
  const legacy = join(home, '.flowmcp', 'schemas');
  for (const source of ['leg', 'given']) {
    mkdirSync(join(legacy, source), { recursive: true });
    writeFileSync(join(legacy, source, '_registry.json'), '{}');
  }
  writeFileSync(join(home, '.flowmcp', 'config.json'), '{"sources":{"given":{"type":"builtin"}}}');
  expect(importedFrom(join(legacy, 'leg', 'a.mjs'))).toEqual({ source: 'leg', lockFile: undefined });
  expect(isOwn(join(legacy, 'given', 'a.mjs'))).toBe(true);
  const schemas = join(home, '.schemakit', 'schemas');
  mkdirSync(join(schemas, 'tides'), { recursive: true });
  writeFileSync(join(schemas, 'tides', '_source.json'), '{}');
  writeFileSync(join(schemas, 'schemakit.lock.json'), '{}');
  const lockFile = join(schemas, 'schemakit.lock.json');
  expect(importedFrom(join(home, '.schemakit'))).toEqual({ source: 'schemas', lockFile });
  expect(isOwn(join(home, '.schemakit'))).toBe(true);
});
