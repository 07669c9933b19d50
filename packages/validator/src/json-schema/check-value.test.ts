import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkOf } from './check.ts';
import { isValid } from './check-value.ts';

type Json = Record<string, unknown>;

/** No empty lists: Ajv finds that they contain what a tuple says of its items. */
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
    pattern: fc.constantFrom('a', '^b?$', '^(?=.*b)a'),
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

/** Ajv throws at a few mixtures of `patternProperties` and `oneOf`; then it says nothing. */
function answerOf(validate: () => boolean): boolean | undefined {
  try {
    return validate();
  } catch {
    return undefined;
  }
}

it('says of values what Ajv says', () => {
  fc.assert(
    fc.property(schemas, fc.array(values, { minLength: 5, maxLength: 10 }), (schema, several) => {
      const whole: Json = { allOf: [schema], $defs: { shared: { type: ['string', 'integer', 'object'] } } };
      const validate = new AjvJsonSchemaValidator().getValidator(whole as never);
      for (const value of several) {
        const found = isValid(whole, value, checkOf(whole, { left: 100_000 }));
        expect(found, JSON.stringify({ whole, value })).toBe(answerOf(() => validate(value).valid) ?? found);
      }
    }),
    { numRuns: 400 },
  );
});

it.each<[schema: Json, value: unknown, expected: boolean]>([
  [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1 }, true],
  [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { b: 1 }, false],
  [{ anyOf: [{ required: ['b'], properties: { b: {} } }, {}], unevaluatedProperties: false }, { b: 1 }, true],
  [{ not: { not: { properties: { a: {} } } }, unevaluatedProperties: false }, { a: 1 }, false],
  [{ if: { properties: { a: { const: 1 } } }, unevaluatedProperties: { type: 'string' } }, { a: 1, b: 'x' }, true],
  [{ allOf: [{ prefixItems: [{}] }], unevaluatedItems: false }, [1], true],
  [{ allOf: [{ prefixItems: [{}] }], unevaluatedItems: false }, [1, 2], false],
  [{ contains: { const: 1 }, unevaluatedItems: { type: 'string' } }, [1, 'x', 1], true],
])('by %j, %j is valid: %s', (schema, value, expected) => {
  expect(isValid(schema, value, checkOf(schema, { left: 1000 }))).toBe(expected);
});
