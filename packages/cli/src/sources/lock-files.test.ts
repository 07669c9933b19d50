import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './fixtures/source-home.ts';
import { importedFrom } from './lock-files.ts';

test('files and folders below a _source.json are imported', () => {
  const schemas = temporaryFolder();
  const source = join(schemas, 'tides');
  mkdirSync(join(source, 'more'), { recursive: true });
  mkdirSync(join(schemas, 'mine'));
  writeFileSync(join(source, '_source.json'), '{}');
  expect(importedFrom(source)).toEqual({ lockFile: undefined });
  expect(importedFrom(join(source, 'more', 'a.mjs'))).toEqual({ lockFile: undefined });
  expect(importedFrom(join(schemas, 'mine', 'a.mjs'))).toBeUndefined();
  expect(importedFrom(schemas)).toBeUndefined();
  const lockFile = join(schemas, 'schemakit.lock.json');
  writeFileSync(lockFile, '{}');
  expect(importedFrom(source)).toEqual({ lockFile });
});
