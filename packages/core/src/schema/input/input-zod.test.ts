import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z as zod } from 'zod';
import type { Input } from '../schema.ts';
import { parseZExpression } from '../z/parse-z-expression.ts';
import { createInputCheck } from './check-input.ts';
import { inputsJsonSchema } from './input-json-schema.ts';
import { inputsZodShape } from './input-zod.ts';

function input(name: string, primitive: string, options: readonly string[] = []): Input {
  const z = parseZExpression({ primitive, options }, { path: 'z', report: () => {} });
  if (z === undefined) throw new Error(primitive);
  return { name, aliases: [], z };
}

const bound = fc.integer({ min: 0, max: 6 });
const option = fc.oneof(
  fc.constantFrom('optional()', 'default(2)', 'default(true)', 'default([1])', 'default(b)', 'regex(^[a-c]+$)'),
  fc.constantFrom('regex((a+)+$)', 'enum(a,1)', 'values(true,false)', 'describe(Some words.)'),
  fc.tuple(fc.constantFrom('min', 'max', 'length'), bound).map(([name, number]) => `${name}(${number})`),
);
const primitive = fc.constantFrom(
  'string()',
  'number()',
  'boolean()',
  'array()',
  'object()',
  'enum(a,b)',
  'enum(1,2,10)',
  'enum(true,false)',
  'enum({{list:field}})',
  'enum()',
);
const anyInput = fc.tuple(primitive, fc.array(option, { maxLength: 4 }));
const inputs = fc
  .oneof(fc.array(anyInput, { minLength: 1, maxLength: 1 }), fc.array(anyInput, { maxLength: 4 }))
  .map((blocks) => blocks.map(([kind, options], index) => input(`input${index}`, kind, options)));

const value = fc.oneof(
  fc.constantFrom(undefined, null, '', 'a', 'b', 'abc', '1', '2', ' 3', '1e3', '0x1', 'true', 'False', true, false),
  fc.constantFrom(0, 1, 2, 5, 10, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e308, '1e999'),
  fc.constantFrom(
    [],
    [1, 2],
    ['a', [null]],
    [undefined],
    {},
    { a: { b: 1 } },
    { a: undefined },
    new Date(0),
    new Map(),
  ),
  fc.jsonValue(),
);
const given = fc.oneof(
  fc.dictionary(fc.constantFrom('input0', 'input1', 'input2', 'input3', 'other'), value, { noNullPrototype: true }),
  // Most of those are refused for several reasons at once; alone, each reason counts.
  value.map((only) => ({ input0: only })),
);

describe('inputsZodShape', () => {
  it('accepts the same values as the check, with the same results', () => {
    fc.assert(
      fc.property(inputs, given, (list, args) => {
        const ours = createInputCheck(list)(args);
        const theirs = zod.strictObject(inputsZodShape(list)).safeParse(args);
        expect(theirs.success).toBe(ours.ok);
        if (ours.ok) expect(dropAbsent(theirs.data)).toEqual(dropAbsent(ours.values));
      }),
      { numRuns: 4000 },
    );
  });

  it('accepts everything that the JSON Schema allows', () => {
    fc.assert(
      fc.property(inputs, given, (list, values) => {
        const args: unknown = JSON.parse(JSON.stringify(values));
        const schema = zod.fromJSONSchema(JSON.parse(JSON.stringify(inputsJsonSchema(list))));
        if (schema.safeParse(args).success) expect(createInputCheck(list)(args)).toMatchObject({ ok: true });
      }),
      { numRuns: 2000 },
    );
  });

  it('can be converted to JSON Schema by servers that use Zod', () => {
    const shape = inputsZodShape([
      input('symbol', 'string()', ['min(1)', 'describe(Pair.)', 'regex(^[A-Z]+$)']),
      input('interval', 'enum(1m,1h)', ['default(1h)']),
      input('limit', 'number()', ['optional()', 'min(1)', 'max(100)']),
      input('points', 'object()', ['optional()']),
    ]);
    expect(zod.toJSONSchema(zod.object(shape), { io: 'input' })).toMatchInlineSnapshot(`
      {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {
          "interval": {
            "enum": [
              "1m",
              "1h",
            ],
            "type": "string",
          },
          "limit": {
            "maximum": 100,
            "minimum": 1,
            "type": "number",
          },
          "points": {
            "type": [
              "object",
              "array",
            ],
          },
          "symbol": {
            "description": "Pair.",
            "minLength": 1,
            "type": "string",
          },
        },
        "required": [
          "symbol",
        ],
        "type": "object",
      }
    `);
  });

  it('has the names that MCP clients see', () => {
    const list = [
      input('filter[name]', 'string()'),
      input('$limit', 'number()', ['default(5)']),
      input('page', 'number()'),
    ];
    const shape = inputsZodShape(list);
    expect(Object.keys(shape)).toEqual(Object.keys(Object(inputsJsonSchema(list).properties)));
    const values = zod.object(shape).parse({ filter_name: 'a', page: 1 });
    expect(createInputCheck(list)(values)).toEqual({ ok: true, values: { 'filter[name]': 'a', $limit: 5, page: 1 } });
  });

  it('runs patterns in linear time', () => {
    const { x } = inputsZodShape([input('x', 'string()', ['regex(^(a+)+$)'])]);
    expect(x?.safeParse(`${'a'.repeat(50_000)}!`).success).toBe(false);
  });

  it('gives each call its own default', () => {
    const { x } = inputsZodShape([input('x', 'array()', ['default([[1]])'])]);
    expect(x?.parse(undefined)).toEqual([[1]]);
    expect(x?.parse(undefined)).not.toBe(x?.parse(null));
  });
});

function dropAbsent(values: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value !== undefined));
}
