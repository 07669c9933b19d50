import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleArguments } from './sample-arguments.ts';

type Json = Record<string, unknown>;

const DRAFT_07 = { $schema: 'http://json-schema.org/draft-07/schema#' };

/** As servers see it: by Ajv, in the dialect that the schema names, with formats. */
function isValid(schema: Json, value: unknown): boolean {
  return new AjvJsonSchemaValidator().getValidator(schema as never)(value).valid;
}

function expectValid(schema: Json): void {
  const { value, isValid: isClaimed } = sampleArguments(schema);
  expect(isClaimed, JSON.stringify({ schema, value })).toBe(true);
  expect(isValid(schema, value), JSON.stringify({ schema, value })).toBe(true);
}

/** A tool with the one input `p`. */
function input(schema: unknown, more: Json = {}): Json {
  return { type: 'object', properties: { p: schema }, required: ['p'], ...more };
}

const text = (pattern: string, more: Json = {}): Json => ({ type: 'string', pattern, ...more });
const object = (properties: Json, more: Json = {}): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
});
const list = (items: unknown, minItems: number, more: Json = {}): Json => ({
  type: 'array',
  items,
  minItems,
  uniqueItems: true,
  ...more,
});

/** Built from entries: an object with a `then` looks like a promise. */
const onlyIf = (condition: Json, then: Json, more: Json = {}): Json =>
  Object.fromEntries([...Object.entries(more), ['if', condition], ['then', then]]);

const FORMATS = [
  'date',
  'time',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'uri-template',
  'url',
  'uuid',
  'json-pointer',
  'relative-json-pointer',
  'regex',
  'byte',
  'iso-time',
];

/** Inputs for which arguments are found, by keyword. */
const INPUTS: Readonly<Record<string, readonly unknown[]>> = {
  type: [true, {}, { type: ['null', 'string'] }, { type: ['string', 'integer'], minLength: 3 }, { type: 'null' }],
  const: [{ const: null }, { const: { a: [1] } }, { enum: ['a', 'b'], not: { const: 'a' } }],
  enum: [
    { type: 'string', enum: [1, 'y'] },
    { enum: ['a', 'bb'], pattern: '^b' },
    { type: 'integer', enum: [5, 10], minimum: 7 },
  ],
  default: [
    { type: 'string', default: 'zz' },
    { type: 'integer', default: 'zz' },
    { type: 'integer', minimum: 5, default: 1 },
    { type: 'string', format: 'date', default: 'today' },
  ],
  examples: [
    { type: 'string', examples: ['london'] },
    { type: 'integer', examples: ['london', 7] },
  ],
  format: FORMATS.map((format) => ({ type: 'string', format })),
  length: [
    { type: 'string', minLength: 30, maxLength: 31 },
    { type: 'string', maxLength: 0 },
  ],
  pattern: [
    text('[0-9]', { minLength: 10 }),
    text('^[\\w-]{3,}$', { maxLength: 3 }),
    text('^[a-z]+(\\.[a-z]+)*$', { minLength: 40 }),
    text('^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$'),
    text('^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$'),
    text('^\\d{6}$', { minLength: 6 }),
    text('^0x[0-9a-fA-F]{40}$'),
    text('^[A-Z]{3}$'),
    text('^https://'),
    text('Z$', { format: 'date-time' }),
  ],
  numbers: [
    { type: 'integer', minimum: 5, maximum: 5 },
    { type: 'integer', exclusiveMinimum: 5, exclusiveMaximum: 7 },
    { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1e-10 },
    { type: 'integer', minimum: 0.5, maximum: 1.5 },
    { type: 'number', minimum: 1e308 },
    { allOf: [{ type: 'integer', minimum: 3 }, { maximum: 4 }] },
  ],
  multipleOf: [
    { type: 'number', multipleOf: 0.01, minimum: 0.005, maximum: 0.015 },
    { type: 'integer', multipleOf: 7, minimum: 1 },
    { type: 'integer', multipleOf: 7, maximum: -1 },
    { type: 'integer', multipleOf: 1.5, minimum: 1 },
  ],
  items: [
    { type: 'array', items: { type: 'string' }, minItems: 2 },
    { type: 'array', contains: { const: 5 } },
    { type: 'array', items: { type: 'integer' }, contains: { minimum: 100 } },
    { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true },
  ],
  choices: [
    { oneOf: [{ type: 'object' }, { type: 'object', required: ['a'] }] },
    { oneOf: [object({ k: { const: 'a' }, x: { type: 'string' } }), object({ k: { const: 'b' } })] },
    { anyOf: [{ type: 'null' }, { type: 'string', minLength: 5 }] },
    { anyOf: [{ type: 'string' }, { type: 'number' }], minimum: 5, minLength: 6 },
    { type: 'object', properties: { a: { type: 'string' }, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    { type: 'object', properties: { a: { type: 'string' }, b: {} }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    { type: 'object', properties: { a: { type: 'string' } }, not: { required: ['a'] } },
  ],
  properties: [
    { type: 'object', required: ['q'], additionalProperties: { type: 'integer', minimum: 9 } },
    { type: 'object', properties: { a: {}, b: { type: 'integer' } }, minProperties: 2, additionalProperties: false },
    JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__","constructor"]}'),
  ],
};

/** Inputs that some value satisfies, but not a simple one: the tool is called with a best guess. */
const GUESSED: Readonly<Record<string, readonly unknown[]>> = {
  'a pattern of its own': [text('^(ab|c)+$', { minLength: 7, maxLength: 7 }), text('^\\p{Lu}\\p{Script=Greek}$')],
  'a pattern that the engine lacks': [text('^(?=.*[0-9])(?=.*[a-z]).{8,}$'), text('^(a)\\1$')],
  'two patterns': [{ allOf: [text('^a'), { pattern: 'z$' }] }],
  'a format with a length or a pattern': [
    { type: 'string', format: 'email', minLength: 30 },
    { type: 'string', format: 'date', pattern: '^19' },
  ],
  'items that differ': [list({ type: 'integer' }, 3)],
  'more of `contains`': [{ type: 'array', items: { type: 'integer' }, contains: { minimum: 100 }, minContains: 2 }],
  not: [
    { type: 'string', not: { pattern: 'e' } },
    { type: 'array', not: { maxItems: 1 } },
  ],
  if: [onlyIf({ minLength: 1 }, { pattern: '^z' }, { type: 'string' })],
  'names that are not declared': [
    { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 2 },
    { type: 'object', required: ['n_1'], patternProperties: { '^n_': { type: 'boolean' } } },
  ],
  'names that depend on others': [object({ a: {} }, { dependentRequired: { a: ['b'] } })],
};

/** What only the newer dialect has. */
const NEWER: Readonly<Record<string, Json>> = {
  prefixItems: input({
    type: 'array',
    prefixItems: [{ type: 'string' }, { type: 'integer' }],
    items: false,
    minItems: 2,
  }),
  'prefixItems and items': input({
    type: 'array',
    prefixItems: [{ type: 'string' }],
    items: { type: 'integer' },
    minItems: 3,
  }),
  maxContains: input({
    type: 'array',
    items: { type: 'integer' },
    contains: { const: 0 },
    maxContains: 1,
    minItems: 3,
  }),
  unevaluatedItems: input({ type: 'array', prefixItems: [{ type: 'string' }], unevaluatedItems: false, minItems: 1 }),
  unevaluatedProperties: {
    type: 'object',
    allOf: [object({ a: { type: 'string' } })],
    unevaluatedProperties: false,
  },
  $anchor: input({ $ref: '#foo' }, { $defs: { x: { $anchor: 'foo', type: 'integer' } } }),
  $id: input({ $ref: 'item' }, { $id: 'http://x.test/root', $defs: { x: { $id: 'item', type: 'integer' } } }),
  'words beside $ref': input({ $ref: '#/$defs/x', maxLength: 4 }, { $defs: { x: { type: 'string', minLength: 4 } } }),
};

/** What only the older dialect has. */
const OLDER: Readonly<Record<string, Json>> = {
  'items as a tuple': input({
    type: 'array',
    items: [{ type: 'string' }, { type: 'number' }],
    additionalItems: false,
    minItems: 2,
  }),
  '$id as an anchor': input({ $ref: '#foo' }, { definitions: { x: { $id: '#foo', type: 'integer' } } }),
};

/** References, in either dialect. */
const REFERENCES: Readonly<Record<string, Json>> = {
  definitions: input({ $ref: '#/definitions/x' }, { definitions: { x: { type: 'integer' } } }),
  'escaped names': input({ $ref: '#/$defs/a~1b%25c' }, { $defs: { 'a/b%c': { type: 'integer' } } }),
  'all of the schema': { $ref: '#/definitions/t', definitions: { t: object({ a: { type: 'string' } }) } },
  'a schema that ends with null': input(
    { $ref: '#/$defs/n' },
    { $defs: { n: { anyOf: [object({ next: { $ref: '#/$defs/n' } }), { type: 'null' }] } } },
  ),
  'a schema that ends with an empty list': input(
    { $ref: '#/$defs/n' },
    { $defs: { n: object({ c: { type: 'array', items: { $ref: '#/$defs/n' } } }) } },
  ),
};

describe('arguments are valid by', () => {
  const cases = Object.entries(INPUTS).flatMap(([keyword, inputs]) =>
    inputs.map((schema) => [keyword, JSON.stringify(schema), schema] as const),
  );
  it.each(cases)('%s: %s', (_, _text, schema) => {
    expectValid(input(schema));
    expectValid(input(schema, DRAFT_07));
  });

  it.each(Object.entries(NEWER))('%s of 2020-12', (_, schema) => {
    expectValid(schema);
  });

  it.each(Object.entries(OLDER))('%s of draft-07', (_, schema) => {
    expectValid({ ...DRAFT_07, ...schema });
  });

  it.each(Object.entries(REFERENCES))('references to %s', (_, schema) => {
    expectValid(schema);
    expectValid({ ...DRAFT_07, ...schema });
  });
});

/** Schemas that a value satisfies. */
function schemaAround(value: unknown): fc.Arbitrary<Json> {
  const two = (): fc.Arbitrary<[Json, Json]> => fc.tuple(kindAround(value), kindAround(value));
  const one = (): fc.Arbitrary<Json> => kindAround(value);
  return fc.nat(11).chain((way) => {
    if (way === 0) return fc.constantFrom<Json>({ const: value }, { enum: ['x', value, 7] });
    if (way === 1) return one().map((schema) => ({ anyOf: [{ type: 'null' }, schema] }));
    if (way === 2) return two().map((allOf) => ({ allOf }));
    if (way === 3) return two().map(([condition, then]) => onlyIf(condition, then));
    if (way === 4) return one().map((schema) => ({ oneOf: [{ type: typeOf(value), not: schema }, schema] }));
    return one();
  });
}

function kindAround(value: unknown): fc.Arbitrary<Json> {
  if (typeof value === 'string') {
    return fc.tuple(fc.nat(value.length), fc.nat(9)).map(([minLength, more]) => ({
      type: 'string',
      minLength,
      maxLength: value.length + more,
    }));
  }
  if (typeof value === 'number') {
    return fc
      .tuple(fc.nat(9), fc.nat(9), fc.constantFrom(1, ...[2, 3, 5].filter((step) => value % step === 0)))
      .map(([less, more, multipleOf]) => ({
        type: 'integer',
        minimum: value - less,
        maximum: value + more,
        multipleOf,
      }));
  }
  if (Array.isArray(value)) {
    return fc
      .tuple(fc.tuple(...value.map(schemaAround)), fc.nat(value.length), fc.boolean())
      .map(([prefixItems, minItems, isClosed]) => ({
        type: 'array',
        prefixItems,
        minItems,
        ...(isClosed && { items: false }),
        // Where the list may be empty, Ajv is wrong about the two together.
        ...(minItems > 0 && { contains: prefixItems.at(-1) }),
      }));
  }
  return typeof value === 'object' && value !== null
    ? objectAround(value as Json)
    : fc.constant({ type: typeOf(value) });
}

function objectAround(value: Json): fc.Arbitrary<Json> {
  const names = Object.keys(value);
  return fc
    .tuple(fc.tuple(...Object.values(value).map(schemaAround)), fc.subarray(names), fc.nat(names.length), fc.boolean())
    .map(([schemas, required, minProperties, isClosed]) => ({
      type: 'object',
      properties: Object.fromEntries(names.map((name, index) => [name, schemas[index]])),
      required,
      minProperties,
      ...(isClosed && { additionalProperties: false }),
    }));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Ajv treats inherited members as properties, and finds a property with an empty name in every object. */
const name = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => !(text in {}));

const values: fc.Arbitrary<Json> = fc.letrec<{ value: unknown; object: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ maxLength: 12 }),
    fc.integer({ min: -99, max: 99 }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
})).object;

describe('sample arguments', () => {
  it('are valid, or marked as invalid', () => {
    fc.assert(
      fc.property(values.chain(objectAround), (schema) => {
        const { value, isValid: isClaimed } = sampleArguments(schema);
        if (isClaimed) expect(isValid(schema, value), JSON.stringify({ schema, value })).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('are found for nearly all satisfiable schemas', () => {
    const found = fc
      .sample(values.chain(objectAround), { numRuns: 500, seed: 1 })
      .map((schema) => sampleArguments(schema));
    expect(found.filter((args) => args.isValid).length).toBeGreaterThan(290);
  });

  it('are the same each time', () => {
    for (const schema of Object.values(INPUTS).flat())
      expect(sampleArguments(input(schema))).toEqual(sampleArguments(input(schema)));
  });

  it('are only the required ones', () => {
    expect(
      sampleArguments({
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'number' } },
        required: ['b'],
      }),
    ).toEqual({ value: { b: 1 }, isValid: true });
    expect(sampleArguments({})).toEqual({ value: {}, isValid: true });
  });

  it.each(Object.entries(GUESSED).flatMap(([name, inputs]) => inputs.map((schema) => [name, schema] as const)))(
    'are a guess for %s: %j',
    (_, schema) => {
      expect(sampleArguments(input(schema))).toMatchObject({ value: expect.objectContaining({}), isValid: false });
    },
  );

  it.each([
    ['nothing', false],
    ['an empty range', { type: 'integer', minimum: 5, maximum: 3 }],
    ['all but everything', { not: {} }],
    ['three booleans that differ', list({ type: 'boolean' }, 3)],
    ['a schema without end', { $ref: '#' }],
    ['a reference to nothing', { $ref: '#/nope' }],
    ['a pattern of two minds', { allOf: [text('^a$'), text('^b$')] }],
  ])('are said to be none where the schema allows %s, and come near', (_, schema) => {
    expect(sampleArguments(input(schema))).toMatchObject({ value: expect.objectContaining({}), isValid: false });
  });
});

describe('a hostile schema', () => {
  const many = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const named = (count: number, make: (index: number) => [string, unknown]): Json =>
    Object.fromEntries(many(count, make));
  const nested = (count: number, make: (inner: Json) => Json): Json =>
    many(count, (index) => index).reduce<Json>((inner) => make(inner), { type: 'string' });

  it.each<[name: string, schema: Json]>([
    ['a long enum without a valid member', input({ enum: many(100_000, (index) => `x${index}`), pattern: '^y' })],
    ['an enum of objects', input({ enum: many(20_000, (index) => ({ a: index, b: [index] })), not: {} })],
    [
      'more branches than a call has arguments',
      input({ anyOf: many(200_000, (index) => ({ const: index })), not: {} }),
    ],
    ['more parts than a call has arguments', input({ allOf: many(200_000, () => ({ minimum: 3 })) })],
    [
      'branches times branches',
      input({ allOf: many(20, () => ({ anyOf: many(10, (index) => ({ minimum: index })) })), maximum: -1 }),
    ],
    [
      'an endless tree',
      input({ $ref: '#/$defs/n' }, { $defs: { n: object({ l: { $ref: '#/$defs/n' }, r: { $ref: '#/$defs/n' } }) } }),
    ],
    [
      'circular references',
      input({ $ref: '#/$defs/a' }, { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }),
    ],
    ['itself, more than once', { allOf: [{ $ref: '#' }, { $ref: '#' }], not: { $ref: '#' } }],
    ['a long text and repeats in repeats', input(text('^(a|aa)+$', { minLength: 5000, not: { pattern: 'a' } }))],
    ['a long text and stars', input(text('(.*.*.*.*.*)*x(?=(.*.*)*y)', { minLength: 9000 }))],
    ['repeats that multiply', input(text('((((a{1,1000}){1,1000}){1,1000}){1,1000}){1000}'))],
    ['open groups', input(text('('.repeat(2000)))],
    ['references to groups', input(text('^(.*)(.*)(.*)\\1\\2\\3z$', { minLength: 200 }))],
    ['a look back over all of a long text', input(text('(?<=.*a.*)b(?<=.*)c', { minLength: 3000 }))],
    ['a text without end', input({ type: 'string', minLength: 1e9 })],
    ['a list without end', input({ type: 'array', minItems: 1e9, contains: {}, minContains: 1e9 })],
    ['lists of lists of lists', input(list(list(list({}, 100), 100), 100))],
    ['names without end', { type: 'object', minProperties: 1e9 }],
    ['very many names', { type: 'object', required: many(100_000, (index) => `k${index}`) }],
    [
      'very many patterns of names',
      { type: 'object', required: ['a'], patternProperties: named(5000, (index) => [`^(a|b)+${index}`, {}]) },
    ],
    [
      'very many definitions',
      { $ref: '#/$defs/d', $defs: named(50_000, (index) => [`d${index}`, { $anchor: `a${index}` }]) },
    ],
    ['a deep list', input(nested(500, (items) => ({ type: 'array', minItems: 1, items })))],
    ['deep parts', input(nested(1000, (inner) => ({ allOf: [inner] })))],
    ['a long default', input({ uniqueItems: true, default: many(50_000, (index) => index) })],
    [
      'objects that are no numbers',
      { minProperties: { valueOf: 1, toString: 1 }, maxProperties: { valueOf: 1, toString: 1 } },
    ],
    ['a very long default', input({ default: 'a'.repeat(1_000_000), pattern: '(a*)*b' })],
  ])('of %s comes to an end', (_, schema) => {
    expect(sampleArguments(schema)).toEqual({ value: expect.any(Object), isValid: expect.any(Boolean) });
  });

  it('of any other kind is handled', () => {
    const keyword = fc.constantFrom(
      ...[
        'type',
        'properties',
        'required',
        'items',
        'allOf',
        'anyOf',
        'oneOf',
        'not',
        'if',
        'then',
        '$ref',
        '$id',
        'pattern',
      ],
      ...[
        'minItems',
        'minLength',
        'enum',
        'prefixItems',
        'minProperties',
        'multipleOf',
        'contains',
        'dependencies',
        'format',
      ],
      ...[
        'patternProperties',
        'propertyNames',
        'additionalProperties',
        'minimum',
        'maximum',
        'uniqueItems',
        '__proto__',
      ],
    );
    fc.assert(
      fc.property(
        fc.dictionary(keyword, fc.oneof(fc.jsonValue(), fc.dictionary(keyword, fc.jsonValue()))),
        (schema) => {
          expect(sampleArguments(schema)).toEqual({ value: expect.any(Object), isValid: expect.any(Boolean) });
        },
      ),
    );
  });
});
