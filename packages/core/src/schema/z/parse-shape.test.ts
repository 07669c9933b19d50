import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z as zod } from 'zod';
import type { Finding } from '../finding.ts';
import { createInputCheck } from '../input/check-input.ts';
import { checkValue } from '../input/check-value.ts';
import { inputJsonSchema } from '../input/input-json-schema.ts';
import { inputsZodShape } from '../input/input-zod.ts';
import { createJsonSchemaChecker } from '../json-schema/check-json-schema.ts';
import { printShape, shape, valueNear } from './fixtures/shapes.ts';
import { parseZExpression } from './parse-z-expression.ts';
import type { ZExpression } from './z-expression.ts';

function parse(primitive: string, options: string[] = []): { z: ZExpression | undefined; findings: Finding[] } {
  const findings: Finding[] = [];
  const z = parseZExpression({ primitive, options }, { path: 'z', report: (finding) => findings.push(finding) });
  return { z, findings };
}

function shapeOf(primitive: string, options?: string[]): ZExpression {
  const { z, findings } = parse(primitive, options);
  expect(findings).toEqual([]);
  if (z === undefined) throw new Error(primitive);
  return z;
}

const input = (z: ZExpression) => ({ name: 'lines', aliases: [], z });
const lines = 'array(object({ isbn: string(), count: integer().min(1) }))';

describe('a shape', () => {
  it('says what is inside arrays and objects', () => {
    const { findings, z } = parse(lines, ['max(3)', 'optional()', 'describe(What to order)']);
    expect(findings).toEqual([]);
    expect(z && inputJsonSchema(input(z))).toEqual({
      type: 'array',
      items: {
        type: 'object',
        properties: { isbn: { type: 'string' }, count: { type: 'integer', minimum: 1 } },
        required: ['isbn', 'count'],
        additionalProperties: false,
      },
      maxItems: 3,
      description: 'What to order',
    });
  });

  it.each([
    ['object({ a: string().regex(/^[)/]+\\/$/i) })', { pattern: '(?i)^[)/]+\\/$' }],
    ['object({ a: string().regex(^(a|b)$) })', { pattern: '^(a|b)$' }],
    ["object({ a: string().regex('\\\\d\\d\\b') })", { pattern: '\\d\\d\\b' }],
    ["object({ a: string().describe(Don't (ever)) })", { description: "Don't (ever)" }],
    [String.raw`object({ a: string().describe('It\'s "\u0041"') })`, { description: `It's "A"` }],
    ['object({ a: string().default() })', { default: '', optional: true }],
    ['object({ a: object().default({ "b": ")" }) })', { default: { b: ')' }, optional: true }],
    ['object({ a: union(string(), number()).default(5) })', { default: 5, optional: true }],
    [
      "object({ a: enum(['a,b', c d, {{list:field}}]) })",
      { members: ['a,b', 'c d', { list: 'list', field: 'field' }] },
    ],
    ['object({ a: enum($list) })', { members: [{ list: 'list', field: '' }] }],
    ['object({ a: file().max(9).type(image/*, "text/CSV") })', { max: 9, types: ['image/*', 'text/csv'] }],
  ])('reads the constraints in %s', (primitive, expected) => {
    expect(shapeOf(primitive).properties?.a).toMatchObject(expected);
  });

  it('takes constraints of the block and of the chain', () => {
    expect(shapeOf('integer().min(1)', ['max(3)', 'default(2)'])).toEqual({
      ...{ primitive: 'number', integer: true, optional: true },
      ...{ default: 2, min: 1, max: 3 },
    });
  });

  it('prints to a text that is read as the same', () => {
    fc.assert(
      fc.property(shape, (z) => {
        expect(parse(printShape(z))).toEqual({ z, findings: [] });
      }),
      { numRuns: 1000 },
    );
  });
});

describe('what a shape is not', () => {
  it.each([
    ['record(strng())', 8, 'expected string(), number(), integer()'],
    ['record()', 8, 'expected string()'],
    ['integer', 8, 'expected ( after integer'],
    ['integer() now', 11, 'expected the end'],
    ['integer().min', 11, 'expected a constraint such as min(1)'],
    ['integer(5)', 9, 'expected ) to close integer('],
    ['record(object({ a: string() b: string() }))', 29, 'expected , or } after a member'],
    ['record(object({ odd-key: string() }))', 20, 'expected : after the member "odd"'],
    ['record(object({ a: string(), a: number() }))', 30, 'the member "a" is given twice'],
    ['record(string().describe("open))', 26, 'a quote is not closed'],
    ['record(string().describe(open)', 31, 'expected ) to close record('],
    ['record(string().regex(/open))', 23, 'a pattern has no closing slash'],
    ['record(enum())', 13, 'an enum has values'],
    ['union(string())', 7, 'a union has at least two variants'],
    ["union('kind', object({ kind: enum(a) }), object({ kind: enum(a) }))", 7, 'each variant must be an object'],
    ["union('kind', object({ kind: enum(a) }), object({ kind: enum(b).optional() }))", 7, 'each variant must be'],
    [`${'record('.repeat(9)}string()${')'.repeat(9)}`, 64, 'at most 8 levels'],
    [`union(${Array(500).fill('string()').join()})`, 4498, 'at most 500 parts'],
    [`record(enum(${'a'.repeat(20_000)}))`, 1, 'at most 20000 characters'],
  ])('%s', (primitive, at, problem) => {
    const { z, findings } = parse(primitive);
    expect(z).toBeUndefined();
    const message = expect.stringContaining(`z.primitive: at character ${at}, `);
    expect(findings).toMatchObject([{ code: 'VAL044', severity: 'error', path: 'z.primitive', message }]);
    expect(findings[0]?.message).toContain(problem);
  });

  it.each([
    ['array(strings)', 'array'],
    ['object({ a })', 'object'],
    ['array(string()', 'array'],
  ])('reads %s of an older file as %s(), with a warning', (primitive, name) => {
    const { z, findings } = parse(primitive, ['optional()']);
    expect(z).toEqual({ primitive: name, optional: true });
    expect(findings).toMatchObject([{ code: 'VAL044', severity: 'warning' }]);
    expect(findings[0]?.message).toContain(`it is read as ${name}()`);
  });

  it('leaves out constraints that do not fit, and says where', () => {
    const { z, findings } = parse('array(boolean().min(1).nullabel().default(7)).nullable()');
    expect(z).toEqual({ primitive: 'array', optional: false, items: { primitive: 'boolean', optional: true } });
    expect(findings.map(({ code, severity, message, hint = '' }) => `${code} ${severity}: ${message} ${hint}`)).toEqual(
      [
        'VAL045 warning: unknown option nullabel(); it is ignored (z.primitive, before character 34) Did you mean nullable()?',
        'VAL045 warning: option min() does not apply to boolean(); it is ignored (z.primitive, before character 45) ',
        'VAL045 warning: default(7) is not a valid boolean(); it is ignored (z.primitive, before character 45) ',
        'VAL045 warning: null counts as left out here; nullable() is ignored (z.primitive) Write optional().',
      ],
    );
  });

  it('takes time in proportion to the text', () => {
    const hostile = [
      'record(',
      'object({a:',
      'union(string(),',
      "enum('",
      '"',
      '/[',
      '(',
      'string().regex(/[',
      '.min(',
      '\\',
      ' ',
    ];
    for (const piece of hostile) {
      for (const start of ['', 'record(', 'array(string().default(', 'array(string().regex(/', 'array(enum([']) {
        const primitive = (start + piece.repeat(20_000 / piece.length)).slice(0, 20_000);
        const from = performance.now();
        parse(primitive);
        expect(performance.now() - from, primitive.slice(0, 60)).toBeLessThan(500);
      }
    }
  });

  it('is said of any text, without an exception', () => {
    const pieces = fc.constantFrom(
      'array',
      'object',
      'union',
      'record',
      'string',
      'enum',
      ...'(){}[].,:/\\\'" a1$'.split(''),
    );
    fc.assert(
      fc.property(
        fc.constantFrom('array(', 'object(', 'record('),
        fc.array(pieces, { maxLength: 20 }),
        (start, rest) => {
          const { z, findings } = parse(start + rest.join(''));
          if (z === undefined) expect(findings).toMatchObject([{ severity: 'error' }]);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe('a value', () => {
  const check = (primitive: string, value: unknown) => {
    const result = createInputCheck([input(shapeOf(primitive))])({ lines: value });
    return result.ok ? result.values.lines : result.findings.map(({ code, message }) => `${code} ${message}`);
  };
  const event =
    "union('kind', object({ kind: enum(mail), to: string() }), object({ kind: enum(call), number: string().min(3) }))";

  it.each([
    [lines, [{ isbn: 9780000, count: '2' }], [{ isbn: '9780000', count: 2 }]],
    ['object({ a: integer().default(3), b: string().optional() })', { b: null }, { a: 3 }],
    ['object({ a: string().nullable() })', { a: null }, { a: null }],
    ['array(union(number(), string()))', [1, '1', true], ['INP002 lines[2]: expected a number, or text, got true.']],
    ['array(union(number(), string()))', [1, '1'], [1, '1']],
    ['record(boolean())', { a: 'true', b: false }, { a: true, b: false }],
    [event, { kind: 'mail', to: 'me' }, { kind: 'mail', to: 'me' }],
  ])('of %s: %j is %j', (primitive, given, expected) => {
    expect(check(primitive, given)).toEqual(expected);
  });

  it.each([
    [lines, [{ isbn: 'a', count: 1 }, 5], 'INP002 lines[1]: expected an object with "isbn", "count", got 5.'],
    [lines, [{ isbn: 'a', count: 0 }], 'INP003 lines[0].count: expected a whole number of at least 1, got 0.'],
    [
      lines,
      [{ isbn: 'a' }],
      'INP001 lines[0].count: required member is missing, expected a whole number of at least 1.',
    ],
    [lines, [{ isbn: 'a', count: 1, cuont: 2 }], 'INP006 lines[0].cuont: unknown member. Did you mean "count"?'],
    [lines, { isbn: 'a' }, 'INP002 lines: expected a list, each an object with "isbn", "count", got an object.'],
    ['record(integer())', { 'a b': 'x' }, 'INP002 lines["a b"]: expected a whole number, got "x" (text).'],
    ['record(integer())', [], 'INP002 lines: expected an object, each a whole number, got a list of 0 items.'],
    [
      'record(integer()).min(1)',
      {},
      'INP003 lines: expected an object of at least 1 member, each a whole number, got an object.',
    ],
    [
      'array(enum(red,green))',
      ['gren'],
      'INP004 lines[0]: expected one of "red", "green", got "gren" (text). Did you mean "green"?',
    ],
    [
      'array(string().regex(^a$).nullable())',
      ['b'],
      'INP005 lines[0]: expected text that matches ^a$ or null, got "b" (text).',
    ],
    [
      event,
      { kind: 'call', number: '1' },
      'INP003 lines.number: expected text of at least 3 characters, got "1" (text).',
    ],
    [
      event,
      { kind: 'mails' },
      'INP004 lines.kind: expected one of "mail", "call", got "mails" (text). Did you mean "mail"?',
    ],
    [event, {}, 'INP001 lines.kind: required member is missing, expected one of "mail", "call".'],
    [event, 5, 'INP002 lines: expected an object whose "kind" is one of "mail", "call", got 5.'],
    [
      'union(string(), object({ a: object({ b: boolean() }) }))',
      { a: { b: 2 } },
      'INP002 lines.a.b: expected true or false, got 2.',
    ],
    ['integer()', '12345678901234567890', 'INP002 lines: expected a whole number, got "12345678901234567890" (text).'],
  ])('of %s is refused: %j', (primitive, given, message) => {
    expect(check(primitive, given)).toEqual([message]);
  });

  it('has at most 20 findings', () => {
    expect(check('array(integer())', Array(1000).fill('x'))).toHaveLength(20);
  });

  it.each([
    ['aGVsbG8=', true],
    ['aGVsbG8', true],
    ['data:image/png;name=x.png;base64,aGVsbG8=', true],
    ['data:text/plain;base64,aGVsbG8=', false],
    ['data:image/png,hello', false],
    ['aGVs bG8=\n', true],
    ['not base64!', false],
    ['aGVsb', false],
    ['aGVsbG8gd29ybGQ=', false],
    [5, false],
  ])('of a file is %j: %s', (given, fits) => {
    expect(checkValue(shapeOf('file().max(5).type(image/*)'), given).faults.length === 0).toBe(fits);
  });

  it('fits the JSON Schema exactly if the check takes it unchanged, or with defaults', () => {
    const outcomes = { fits: 0, refused: 0 };
    const shapes = shape.filter(({ primitive }) => primitive !== 'file');
    const cases = shapes.chain((z) => fc.tuple(fc.constant(z), fc.array(valueNear(z), { minLength: 1, maxLength: 5 })));
    fc.assert(
      fc.property(cases, ([z, values]) => {
        const schema = JSON.parse(JSON.stringify(inputJsonSchema(input(z))));
        const ajv = new AjvJsonSchemaValidator().getValidator(schema);
        for (const value of values) {
          const { value: checked, faults } = checkValue(z, value);
          const { valid } = ajv(value);
          expect(createJsonSchemaChecker(schema).check(value)).toBe(valid ? 'fits' : 'misfit');
          if (valid) expect(faults).toEqual([]);
          if (faults.length === 0) expect(ajv(checked)).toMatchObject({ valid: true });
          outcomes[faults.length === 0 ? 'fits' : 'refused'] += 1;
        }
      }),
      { numRuns: 500 },
    );
    expect(Math.min(outcomes.fits, outcomes.refused)).toBeGreaterThan(200);
  });

  it('may not be left out because a variant of a union is optional', () => {
    const z = shapeOf('object({ a: union(string().optional(), number()) })');
    expect(zod.strictObject(inputsZodShape([input(z)])).safeParse({ lines: {} }).success).toBe(false);
  });

  it('is taken by Zod if the check takes it, with the same result', () => {
    const cases = shape.chain((z) => fc.tuple(fc.constant(z), valueNear(z)));
    fc.assert(
      fc.property(cases, ([z, value]) => {
        const ours = createInputCheck([input(z)])({ lines: value });
        const theirs = zod.strictObject(inputsZodShape([input(z)])).safeParse({ lines: value });
        expect(theirs.success).toBe(ours.ok);
        if (ours.ok) expect(theirs.data).toEqual({ ...ours.values });
      }),
      { numRuns: 1000 },
    );
  });
});
