import fc from 'fast-check';
import { expect, test } from 'vitest';
import { registerDistinct } from './register-schemas.ts';
import { takenName } from './registrar.ts';

const entry = (name: string) => ({ listing: { name } });

/** A server that has these names. */
function serverWith(names: readonly string[]) {
  const table = new Set(names);
  return ({ listing: { name } }: ReturnType<typeof entry>) => {
    if (table.has(name)) throw takenName('Tool', name);
    table.add(name);
    return `the ${name}`;
  };
}

test('a taken name gets a number, and never the name of another entry', () => {
  const result = registerDistinct(['a', 'a_2', 'b'].map(entry), serverWith(['a', 'a_3']));
  expect(result.registered).toEqual({ a_4: 'the a_4', a_2: 'the a_2', b: 'the b' });
  expect(result.renamed).toEqual([{ from: 'a', entry: entry('a_4') }]);
});

test('any other error stops the registration and is reported', () => {
  const register = () => {
    throw new Error('Cannot register after connecting');
  };
  expect(registerDistinct([entry('a')], register)).toEqual({
    registered: {},
    entries: [],
    renamed: [],
    problem: 'Cannot register after connecting',
  });
});

test('all entries get unique names, for any existing ones', () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[ab](_[234])?$/));
  fc.assert(
    fc.property(names, names, (there, added) => {
      const { registered, problem } = registerDistinct(added.map(entry), serverWith(there));
      expect(problem).toBeUndefined();
      const got = Object.keys(registered);
      expect(got).toHaveLength(added.length);
      expect(got.filter((name) => there.includes(name))).toEqual([]);
    }),
  );
});
