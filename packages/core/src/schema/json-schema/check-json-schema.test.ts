import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJsonSchemaChecker } from './check-json-schema.ts';
import type { SchemaFit } from './evaluation.ts';

type Json = Record<string, unknown>;

/** The engine has no look-around. */
const lookAhead = '^(?=.*b)a';

/** No empty lists: Ajv disagrees about `contains` with a tuple. */
const leaf: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom('', 'a', 'ab', 'abc', 0, 1, 2, 3, 1.5, -4, true, false, null),
  fc.constant({}),
);
const name = fc.constantFrom('a', 'b', 'c', 'ab');
const values: fc.Arbitrary<unknown> = fc.oneof(
  leaf,
  fc.array(leaf, { minLength: 1, maxLength: 4 }),
  fc.dictionary(name, leaf, { noNullPrototype: true }),
  fc.dictionary(name, fc.array(leaf, { minLength: 1, maxLength: 3 }), { noNullPrototype: true }),
);
const count = fc.nat(3);
const names = fc.uniqueArray(name, { maxLength: 2 });

/** Any mixture of keywords, whether a value satisfies it or not; `unevaluated…` has cases of its own. */
const schemas: fc.Arbitrary<unknown> = fc.letrec((tie) => {
  const inner = tie('schema');
  const some = fc.array(inner, { minLength: 1, maxLength: 2 });
  const byName = fc.dictionary(name, inner, { maxKeys: 2, noNullPrototype: true });
  const keywords = {
    type: fc.constantFrom('string', 'integer', 'number', 'array', 'object', ['null', 'boolean'], ['integer', 'array']),
    const: values,
    enum: fc.uniqueArray(leaf, { minLength: 1, maxLength: 3, selector: (value) => JSON.stringify(value) }),
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom('a', '^b?$', lookAhead),
    minimum: count,
    exclusiveMaximum: count,
    multipleOf: fc.constantFrom(1, 2, 0.5),
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    prefixItems: some,
    items: inner,
    contains: inner,
    required: names,
    minProperties: count,
    maxProperties: count,
    properties: byName,
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$'), inner, { maxKeys: 2, noNullPrototype: true }),
    additionalProperties: inner,
    propertyNames: inner,
    dependentRequired: fc.dictionary(name, names, { maxKeys: 2, noNullPrototype: true }),
    dependentSchemas: byName,
    allOf: some,
    anyOf: some,
    oneOf: some,
    not: inner,
    if: inner,
    else: inner,
    $ref: fc.constant('#/$defs/shared'),
  };
  const entries = [...Object.entries(keywords), ['then', inner] as const].map(([keyword, of]) =>
    of.map((value: unknown) => [keyword, value] as const),
  );
  return {
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.boolean(),
      fc.array(fc.oneof(...entries), { maxLength: 3 }).map((fields) => Object.fromEntries(fields)),
    ),
  };
}).schema;

/** Ajv throws at a few mixtures of `patternProperties` and `oneOf`; then the case is skipped. */
function answerOf(validate: () => boolean): boolean | undefined {
  try {
    return validate();
  } catch {
    return undefined;
  }
}

it('agrees with Ajv, and is unsure only if a pattern cannot be run', () => {
  fc.assert(
    fc.property(schemas, fc.array(values, { minLength: 5, maxLength: 10 }), (schema, several) => {
      const whole: Json = { allOf: [schema], $defs: { shared: { type: ['string', 'integer', 'object'] } } };
      const validate = new AjvJsonSchemaValidator().getValidator(whole as never);
      for (const value of several) {
        const found = createJsonSchemaChecker(whole).check(value);
        const text = JSON.stringify({ whole, value });
        if (found === 'unknown') expect(text).toContain(lookAhead);
        else expect(found === 'fits', text).toBe(answerOf(() => validate(value).valid) ?? found === 'fits');
      }
    }),
    { numRuns: 400 },
  );
});

const unsure = { pattern: lookAhead };

it.each<[schema: unknown, value: unknown, expected: SchemaFit]>([
  [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1 }, 'fits'],
  [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { b: 1 }, 'misfit'],
  [{ anyOf: [{ required: ['b'], properties: { b: {} } }, {}], unevaluatedProperties: false }, { b: 1 }, 'fits'],
  [{ not: { not: { properties: { a: {} } } }, unevaluatedProperties: false }, { a: 1 }, 'misfit'],
  [{ if: { properties: { a: { const: 1 } } }, unevaluatedProperties: { type: 'string' } }, { a: 1, b: 'x' }, 'fits'],
  [{ allOf: [{ prefixItems: [{}] }], unevaluatedItems: false }, [1], 'fits'],
  [{ allOf: [{ prefixItems: [{}] }], unevaluatedItems: false }, [1, 2], 'misfit'],
  [{ contains: { const: 1 }, unevaluatedItems: { type: 'string' } }, [1, 'x', 1], 'fits'],
  [{ prefixItems: [{}] }, [1, 2], 'fits'],
  [false, 1, 'misfit'],
  [true, 1, 'fits'],
  [{ pattern: '(a)\\1' }, 'aa', 'unknown'],
  [{ pattern: '[' }, 'a', 'unknown'],
  [unsure, 'ab', 'unknown'],
  [unsure, 1, 'fits'],
  [{ ...unsure, maxLength: 1 }, 'ab', 'misfit'],
  [{ not: unsure }, 'ab', 'unknown'],
  [{ anyOf: [unsure, { type: 'string' }] }, 'ab', 'fits'],
  [{ anyOf: [unsure, { type: 'number' }] }, 'ab', 'unknown'],
  [{ oneOf: [unsure, { type: 'string' }] }, 'ab', 'unknown'],
  [{ oneOf: [unsure, true, true] }, 'ab', 'misfit'],
  [{ if: unsure, else: false }, 'ab', 'unknown'],
  [
    Object.fromEntries([
      ['if', unsure],
      ['then', false],
      ['else', false],
    ]),
    'ab',
    'misfit',
  ],
  [{ patternProperties: { [lookAhead]: {} }, additionalProperties: false }, { ab: 1 }, 'unknown'],
  [{ anyOf: [{ properties: { a: unsure } }, {}], unevaluatedProperties: false }, { a: 'x' }, 'unknown'],
  [{ contains: unsure }, ['ab'], 'unknown'],
  [{ contains: unsure }, [], 'misfit'],
  [{ $ref: '#' }, 1, 'unknown'],
  [{ $ref: '#/nope' }, 1, 'misfit'],
  [{ $ref: 'https://elsewhere.example/schema' }, 1, 'fits'],
  [{ properties: { __proto__: { type: 'string' } }, required: ['constructor'] }, {}, 'misfit'],
])('by %j, %j is told as %s', (schema, value, expected) => {
  expect(createJsonSchemaChecker(schema).check(value)).toBe(expected);
});

it('checks parts of a schema, with references of the whole', () => {
  const part = { $ref: '#/$defs/name' };
  const { check, referred } = createJsonSchemaChecker({ properties: { a: part }, $defs: { name: { maxLength: 2 } } });
  expect(check('abc', part)).toBe('misfit');
  expect(referred(part)).toEqual([{ maxLength: 2 }]);
});

describe('a check that would take too long is unknown:', () => {
  const many = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const nested = (count: number, make: (inner: unknown) => unknown): unknown =>
    many(count, (index) => index).reduce<unknown>((inner) => make(inner), {});
  const twice = { allOf: [{ $ref: '#' }, { $ref: '#' }], not: { $ref: '#' } };

  it.each<[name: string, schema: unknown, value: unknown]>([
    ['many branches', { anyOf: many(200_000, (index) => ({ const: index })) }, -1],
    ['branches of branches', nested(20, (inner) => ({ anyOf: [inner, inner], not: {} })), 1],
    ['a schema that refers to itself twice', twice, 1],
    ['deep parts', nested(1000, (inner) => ({ allOf: [inner] })), 1],
    ['a long list of unique items', { uniqueItems: true }, many(50_000, (index) => index)],
    ['many large patterns', { allOf: many(500, (at) => ({ pattern: `^(.{1,99}){1,9}|${at}` })) }, 'a'.repeat(500)],
    ['a match that takes many steps', { pattern: '^(a{1,99}){1,9}$' }, 'a'.repeat(100_000)],
    ['equal values nested deeper than calls go', { const: nested(50_000, (a) => [a]) }, nested(50_000, (a) => [a])],
  ])('%s', (_, schema, value) => {
    expect(createJsonSchemaChecker(schema).check(value)).toBe('unknown');
  });

  it.each(['^(a+)+$', '(x+x+)+y', '^(a|aa)+$'])('but not %s, which blocks other engines', (pattern) => {
    expect(createJsonSchemaChecker({ pattern }).check(`${'a'.repeat(50)}!`)).toBe('misfit');
  });
});
