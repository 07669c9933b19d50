import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../tests/e2e/support/temporary-folder.ts';
import { removeLeftovers, replaceFiles } from './replace-files.ts';

test('a file that cannot be replaced leaves the others as they were', async () => {
  const folder = await temporaryFolder({ 'a.mjs': 'old', 'gone.md': 'old' });
  mkdirSync(join(folder, 'import.json'));
  const at = (name: string) => join(folder, name);
  const files = [
    { path: at('a.mjs'), text: 'new' },
    { path: at('gone.md'), text: null },
    { path: at('fresh.mjs'), text: 'new' },
    { path: at('import.json'), text: 'new' },
  ];
  await expect(replaceFiles(files)).rejects.toThrow('import.json');
  expect(readdirSync(folder).toSorted()).toEqual(['a.mjs', 'gone.md', 'import.json']);
  expect([at('a.mjs'), at('gone.md')].map((path) => readFileSync(path, 'utf8'))).toEqual(['old', 'old']);
});

test('only what a killed update left is removed', async () => {
  const folder = await temporaryFolder({ 'a.mjs': 'old' });
  const left = 'a.mjs.0f6b1a52-8a34-4c8e-9d2f-2a4c5f6e7d80.tmp';
  for (const name of [left, 'notes.tmp']) writeFileSync(join(folder, name), '');
  await removeLeftovers(folder);
  expect(readdirSync(folder).toSorted()).toEqual(['a.mjs', 'notes.tmp']);
});
