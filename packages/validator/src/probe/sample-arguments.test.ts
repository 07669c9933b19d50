import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleArguments } from './sample-arguments.ts';

type Json = Record<string, unknown>;

function isValid(schema: Json, value: unknown): boolean {
  return new AjvJsonSchemaValidator().getValidator(schema as never)(value).valid;
}

/** Schemas of the kind that tools have, which some value satisfies. */
const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.tuple(fc.nat(20), fc.nat(20)).map(([min, more]) => ({ type: 'string', minLength: min, maxLength: min + more })),
  fc
    .constantFrom('date', 'date-time', 'email', 'uri', 'uuid', 'ipv4', 'ipv6', 'hostname', 'time')
    .map((format) => ({ type: 'string', format })),
  fc
    .constantFrom(
      '^[A-Z]{3}$',
      '^0x[0-9a-fA-F]{40}$',
      '^\\d{4}-\\d{2}$',
      '^(a|b)+c?$',
      '[^a-z]',
      '^\\+?[1-9]\\d{1,14}$',
      '^[\\w.-]+@[\\w-]+\\.\\w{2,}$',
    )
    .map((pattern) => ({ type: 'string', pattern })),
  fc
    .tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 3, max: 60 }))
    .map(([minimum, more]) => ({ type: 'integer', minimum, maximum: minimum + more })),
  fc
    .tuple(fc.integer({ min: -50, max: 50 }), fc.constantFrom(5, 10))
    .map(([exclusiveMinimum, multipleOf]) => ({ type: 'number', exclusiveMinimum, multipleOf })),
  fc.constant({ type: ['null', 'boolean'] }),
  fc.array(fc.string(), { minLength: 1 }).map((values) => ({ enum: values })),
  fc.constant({ const: { fixed: true } }),
  fc.constant({ $ref: '#/$defs/shared' }),
);

const schemas: fc.Arbitrary<Json> = fc.letrec<{ node: Json; object: Json }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    leaf,
    tie('object'),
    fc.tuple(tie('node'), fc.nat(4)).map(([items, minItems]) => ({ type: 'array', items, minItems })),
    tie('node').map((branch) => ({ anyOf: [{ type: 'null' }, branch] })),
    tie('node').map((branch) => ({ oneOf: [branch] })),
    tie('object').map((part) => ({ allOf: [part, { type: 'object' }] })),
  ),
  object: fc
    .dictionary(fc.string(), tie('node'), { maxKeys: 4 })
    .map((properties) => ({ type: 'object', properties, required: Object.keys(properties) })),
})).object;

describe('sample arguments', () => {
  it('are valid', () => {
    fc.assert(
      fc.property(schemas, (schema) => {
        const whole = { ...schema, $defs: { shared: { type: 'string', minLength: 3 } } };
        const args = sampleArguments(whole);
        expect(isValid(whole, args), JSON.stringify({ whole, args })).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('are only those that are needed', () => {
    expect(
      sampleArguments({
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'number' } },
        required: ['b'],
      }),
    ).toEqual({ b: 1 });
    expect(sampleArguments({})).toEqual({});
  });

  it('come for any schema at all, and soon', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(
            'type',
            'properties',
            'required',
            'items',
            'allOf',
            'anyOf',
            '$ref',
            'pattern',
            'minItems',
            'minLength',
            'enum',
            'prefixItems',
            'minProperties',
            'multipleOf',
            '__proto__',
          ),
          fc.jsonValue(),
        ),
        (schema) => {
          expect(typeof sampleArguments(schema)).toBe('object');
        },
      ),
    );
    const evil = {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string', pattern: '^(a+)+$', minLength: 5000 } },
    };
    expect(sampleArguments(evil)).toEqual({ a: expect.any(String) });
  });
});
