import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** The product's own source: no tests, no fixtures, no tables of cases, nothing generated. */
const sources = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/\.test\.ts$|\/fixtures\/|-cases\.ts$|\.generated\.ts$/.test(file));

test('no folder has more than 25 source files', () => {
  const folders = Map.groupBy(sources, dirname);
  expect([...folders].filter(([, files]) => files.length > 25).map(([folder]) => folder)).toEqual([]);
});

test('no source file has more than 400 lines', () => {
  const lines = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
  expect(sources.filter((file) => lines(file) > 400)).toEqual([]);
});
