import { describe, expect, it } from 'vitest';
import type { Input } from '../schema.ts';
import { parseZExpression } from '../z/parse-z-expression.ts';
import { inputJsonSchema, inputsJsonSchema } from './input-json-schema.ts';

function input(name: string, primitive: string, options: string[] = [], rest: Partial<Input> = {}): Input {
  const z = parseZExpression({ primitive, options }, { path: 'z', report: () => {} });
  if (z === undefined) throw new Error(primitive);
  return { name, aliases: [], z, ...rest };
}

describe('inputsJsonSchema', () => {
  it('describes the arguments of a tool', () => {
    const schema = inputsJsonSchema([
      input('symbol', 'string()', ['min(1)', 'max(20)'], { aliases: ['SYMBOL', 'coin'] }),
      input('interval', 'enum(1m,1h)', ['default(1h)']),
      input('limit', 'number()', ['optional()', 'default(20)', 'min(1)', 'max(100)'], { description: 'How many.' }),
    ]);
    expect(JSON.stringify(schema, null, 1)).toMatchInlineSnapshot(`
      "{
       "type": "object",
       "properties": {
        "symbol": {
         "type": "string",
         "minLength": 1,
         "maxLength": 20,
         "description": "Also accepted as SYMBOL, coin."
        },
        "interval": {
         "type": "string",
         "enum": [
          "1m",
          "1h"
         ],
         "default": "1h"
        },
        "limit": {
         "type": "number",
         "minimum": 1,
         "maximum": 100,
         "default": 20,
         "description": "How many."
        }
       },
       "required": [
        "symbol"
       ],
       "additionalProperties": false
      }"
    `);
  });

  it('uses names that strict clients accept', () => {
    const { properties, required } = inputsJsonSchema([
      input('filter[x]', 'string()', ['describe(A filter.)'], { aliases: ['FILTER'] }),
      input('$limit', 'number()', ['optional()']),
      input('limit', 'number()', ['optional()']),
    ]);
    expect({ properties, required }).toEqual({
      properties: {
        filter_x: { type: 'string', description: 'A filter. Also accepted as filter[x], FILTER.' },
        limit_2: { type: 'number', description: 'Also accepted as $limit.' },
        limit: { type: 'number' },
      },
      required: ['filter_x'],
    });
  });

  it('requires nothing for a tool without inputs', () => {
    expect(inputsJsonSchema([])).toEqual({ type: 'object', properties: {}, additionalProperties: false });
  });

  it('keeps hostile names as plain keys', () => {
    const schema = inputsJsonSchema([input('__proto__', 'string()'), input('constructor', 'number()')]);
    expect(JSON.parse(JSON.stringify(schema))).toEqual(
      JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},' +
          '"required":["__proto__","constructor"],"additionalProperties":false}',
      ),
    );
  });
});

describe('inputJsonSchema', () => {
  it.each([
    ['string()', [], { type: 'string' }],
    ['string()', ['length(2)'], { type: 'string', minLength: 2, maxLength: 2 }],
    ['string()', ['length(2)', 'max(9)'], { type: 'string', minLength: 2, maxLength: 2 }],
    ['string()', ['min(0)', 'default()'], { type: 'string', default: '' }],
    ['string()', ['regex(^0x[a-f]+$)'], { type: 'string', pattern: '^0x[a-f]+$' }],
    ['number()', ['min(0)', 'default(0)'], { type: 'number', minimum: 0, default: 0 }],
    ['boolean()', ['default(false)'], { type: 'boolean', default: false }],
    ['array()', ['min(1)', 'max(5)'], { type: 'array', items: {}, minItems: 1, maxItems: 5 }],
    ['object()', ['describe(Coordinates.)'], { type: ['object', 'array'], description: 'Coordinates.' }],
    ['enum(1,10)', [], { type: 'string', enum: ['1', '10'] }],
    ['enum(a,{{l:f}})', [], { type: 'string', description: 'A value of f in the shared list l.' }],
    ['enum($l)', [], { type: 'string', description: 'A value of the shared list l.' }],
  ])('compiles %s with %j', (primitive, options, schema) => {
    expect(inputJsonSchema(input('x', primitive, options))).toEqual(schema);
  });

  it('leaves out a pattern that other programs would interpret differently', () => {
    expect(inputJsonSchema(input('x', 'string()', ['regex(/^btc$/i)']))).toEqual({ type: 'string' });
  });

  it('is the same text for any order of the options', () => {
    const options = ['optional()', 'default(2)', 'max(3)', 'min(1)', 'describe(x)'];
    expect(JSON.stringify(inputJsonSchema(input('x', 'number()', options.toReversed())))).toBe(
      JSON.stringify(inputJsonSchema(input('x', 'number()', options))),
    );
  });
});
