import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameResources, type ResourcePart } from './resource-uri.ts';

const name = (parts: readonly ResourcePart[]) => [...nameResources(parts).values()];
const document = (file: string, namespace = 'shop', resource = 'guide'): ResourcePart => ({
  place: { namespace, name: resource, file, queries: [] },
});

test('a document has an address, and each query of a database one below it', () => {
  const place = { namespace: 'shop', name: 'goods', queries: ['find', 'runSql'] };
  expect(name([document('a.mjs'), { place, query: 'find' }, { place, query: 'runSql' }])).toEqual([
    'schemakit://shop/guide',
    'schemakit://shop/goods/find',
    'schemakit://shop/goods/runSql',
  ]);
});

test('of two resources with the same name, the first by file keeps it, in any order', () => {
  const [a, b] = [document('a.mjs'), document('b.mjs')];
  expect(name([a, b])).toEqual(['schemakit://shop/guide', 'schemakit://shop/guide_2']);
  expect(name([b, a])).toEqual(['schemakit://shop/guide_2', 'schemakit://shop/guide']);
  expect(name([a, document('b.mjs', 'other')])).toEqual(['schemakit://shop/guide', 'schemakit://other/guide']);
});

test('the queries of a database stay together', () => {
  const database = (file: string) => ({ namespace: 'shop', name: 'goods', file, queries: ['find', 'list'] });
  const [a, b] = [database('a.mjs'), database('b.mjs')];
  const parts = [a, b].flatMap((place) => place.queries.map((query) => ({ place, query })));
  expect(name(parts)).toEqual([
    'schemakit://shop/goods/find',
    'schemakit://shop/goods/list',
    'schemakit://shop/goods_2/find',
    'schemakit://shop/goods_2/list',
  ]);
});

const anyName = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', 'a b', 'a_b', 'a/b', '.', '..', '%61'));
const anyPlace = fc
  .record({ namespace: anyName, name: anyName, queries: fc.uniqueArray(anyName, { maxLength: 4 }) })
  .map((place) =>
    place.queries.length === 0 ? [{ place }] : place.queries.map((query): ResourcePart => ({ place, query })),
  );

test('addresses are unique for any names, and no client changes them', () => {
  fc.assert(
    fc.property(fc.array(anyPlace, { maxLength: 8 }), (places) => {
      const uris = name(places.flat());
      expect(new Set(uris).size).toBe(uris.length);
      for (const uri of uris) {
        expect(uri).toMatch(/^schemakit:(?:\/\/[A-Za-z0-9_-]+)(?:\/[A-Za-z0-9_-]+){1,2}$/);
        expect(new URL(uri).href).toBe(uri);
      }
    }),
  );
});
