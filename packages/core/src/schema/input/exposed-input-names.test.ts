import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Input } from '../schema.ts';
import { exposedInputNames } from './exposed-input-names.ts';

function inputs(names: readonly string[]): Input[] {
  return names.map((name) => ({ name, aliases: [], z: { primitive: 'string', optional: true } }));
}

test.each([
  ['limit', 'limit'],
  ['query.cond', 'query.cond'],
  ['filter[name]', 'filter_name'],
  ['$limit', 'limit'],
  ['größe', 'gro_e'],
  ['[]', 'input'],
  ['x'.repeat(80), 'x'.repeat(64)],
])('%s is seen as %s', (name, exposed) => expect(exposedInputNames(inputs([name])).get(name)).toBe(exposed));

test('a name or alias of another input is not used', () => {
  const [, ...rest] = inputs(['$limit', 'limit', '[limit]']);
  const first: Input = { name: '$limit', aliases: ['limit_2'], z: { primitive: 'string', optional: true } };
  expect([...exposedInputNames([first, ...rest])]).toEqual([
    ['limit', 'limit'],
    ['$limit', 'limit_3'],
    ['[limit]', 'limit_4'],
  ]);
});

test('all names are unique and accepted by every client, for any inputs', () => {
  const name = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('a', '$a', '[a]', 'a_2', 'a_'));
  fc.assert(
    fc.property(fc.uniqueArray(name), (names) => {
      const exposed = [...exposedInputNames(inputs(names)).values()];
      expect(new Set(exposed).size).toBe(names.length);
      for (const one of exposed) expect(one).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
    }),
  );
});
