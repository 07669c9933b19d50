import { readFileSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { expect, test } from 'vitest';
import { catalogRegistry } from '../../docs/catalog-registry.ts';
import { catalogFolder } from './replayed-catalog.ts';

const registry = JSON.parse(readFileSync(`${catalogFolder}/registry.json`, 'utf8')) as {
  name: string;
  shared: { file: string }[];
  schemas: { namespace: string; file: string }[];
};

test('catalog/registry.json is up to date', async () => {
  expect(registry, 'run `npx node docs/generate-catalog-registry.ts`').toEqual(await catalogRegistry());
});

test('it names files of the catalog and no other', () => {
  const { name, shared, schemas } = registry;
  expect(name).toBe('catalog');
  const outside = [...shared, ...schemas].filter(
    ({ file }) => !resolve(catalogFolder, file).startsWith(catalogFolder + sep),
  );
  expect(outside).toEqual([]);
  expect(new Set(schemas.map(({ namespace }) => namespace)).size).toBe(schemas.length);
});
