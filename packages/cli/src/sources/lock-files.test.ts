import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './fixtures/source-home.ts';
import { importedFrom } from './lock-files.ts';

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
