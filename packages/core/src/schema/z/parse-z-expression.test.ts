import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../finding.ts';
import { parseZExpression } from './parse-z-expression.ts';
import type { ZExpression } from './z-expression.ts';

function parse(primitive: unknown, options: unknown = []): { z: ZExpression | undefined; findings: Finding[] } {
  const findings: Finding[] = [];
  const z = parseZExpression({ primitive, options }, { path: 'z', report: (finding) => findings.push(finding) });
  return { z, findings };
}

function messagesOf({ findings }: { findings: Finding[] }): string[] {
  return findings.map(({ code, severity, message }) => `${code} ${severity}: ${message}`);
}

describe('primitives', () => {
  it.each(['string', 'number', 'boolean', 'array', 'object'])('reads %s()', (name) => {
    expect(parse(`${name}()`)).toEqual({ z: { primitive: name, optional: false }, findings: [] });
  });

  it.each([
    ['enum(day,week)', [], ['day', 'week']],
    ['enum( day , week )', [], ['day', 'week']],
    ['enum([day,week])', [], ['day', 'week']],
    [`enum(['day', "week"])`, [], ['day', 'week']],
    [`enum('a,b', c)`, [], ['a,b', 'c']],
    ['enum(1,10,8453)', [], ['1', '10', '8453']],
    ['enum(a,b,a)', [], ['a', 'b']],
    ['enum()', ['values(day,week)'], ['day', 'week']],
    ['enum()', [`values(['day','week'])`], ['day', 'week']],
    ['string()', ['enum(day,week)'], ['day', 'week']],
    ['boolean()', ['enum(yes,no)'], ['yes', 'no']],
    ['enum({{chains:slug}})', [], [{ list: 'chains', field: 'slug' }]],
    ['enum(other, {{ chains:slug }})', [], ['other', { list: 'chains', field: 'slug' }]],
    ['enum()', ['values({{chains:slug}})'], [{ list: 'chains', field: 'slug' }]],
    [`enum('$chains')`, [], [{ list: 'chains', field: '' }]],
    ['enum()', ['$chains'], [{ list: 'chains', field: '' }]],
    ['enum($gt,$lt)', [], ['$gt', '$lt']],
  ])('reads the values of %s with %j', (primitive, options, members) => {
    expect(parse(primitive, options)).toEqual({ z: { primitive: 'enum', members, optional: false }, findings: [] });
  });

  it('accepts a boolean that lists its two values', () => {
    expect(parse('boolean()', ['enum(true,false)']).z).toEqual({ primitive: 'boolean', optional: false });
  });

  it.each(['int()', 'date()', 'String()', 'z.string()', '', 'enum(a', 7, null, undefined, ['string()']])(
    'refuses %j, and lists the known ones',
    (primitive) => {
      const { z, findings } = parse(primitive);
      expect(z).toBeUndefined();
      expect(findings).toMatchObject([{ code: 'VAL044', severity: 'error', path: 'z.primitive' }]);
      expect(findings[0]?.hint).toContain(
        'integer(), boolean(), enum(a,b), array(…), object({…}), record(…), union(…) or file()',
      );
    },
  );

  it('reports an enum or a list in the wrong place', () => {
    expect(
      [
        parse('enum()'),
        parse('string({{chains:slug}})'),
        parse('string()', ['default({{chains:slug}})']),
        parse('number()', ['$chains']),
        parse('enum(eth-{{chains:slug}})'),
        parse('enum(a)', ['values(b)']),
        parse('string().min(1)'),
      ].flatMap(messagesOf),
    ).toMatchInlineSnapshot(`
      [
        "VAL046 error: enum() must not be empty (z.primitive)",
        "VAL044 warning: z.primitive "string({{chains:slug}})" is read as string(); constraints belong in options (z.primitive)",
        "VAL047 error: the shared list {{chains:slug}} can only be used in an enum (z.primitive)",
        "VAL047 error: the shared list {{chains:slug}} can only be used in an enum (z.options[0])",
        "VAL047 error: the shared list $chains can only be used in an enum (z.options[0])",
        "VAL047 error: {{chains:slug}} must be a separate value, not part of "eth-{{chains:slug}}" (z.primitive)",
        "VAL045 warning: the values in z.primitive are used; this option is ignored (z.options[0])",
        "VAL044 warning: z.primitive "string().min(1)" is read as string(), without .min(1) (z.primitive)",
      ]
    `);
  });
});

it.each([
  ['string().optional()', 'string()', '.optional()', { primitive: 'string', optional: false }, "['optional()']"],
  [
    'number() .min(1).max(5)',
    'number()',
    '.min(1).max(5)',
    { primitive: 'number', optional: false },
    "['min(1)', 'max(5)']",
  ],
  ['string().nullable()', 'string()', '.nullable()', { primitive: 'string', optional: false }, "['optional()']"],
  [
    "enum(a,'b).min(1)').optional()",
    "enum(a,'b).min(1)')",
    '.optional()',
    { primitive: 'enum', members: ['a', 'b).min(1)'], optional: false },
    "['optional()']",
  ],
])('says what is left out of %s', (primitive, first, chained, z, options) => {
  const message = `z.primitive "${primitive}" is read as ${first}, without ${chained} (z.primitive)`;
  const hint = `Constraints belong in options. Write options: ${options}.`;
  expect(parse(primitive)).toMatchObject({ z, findings: [{ code: 'VAL044', severity: 'warning', message, hint }] });
});

it('reports an endless chain quickly', () => {
  const chain = '.min(1)'.repeat(50_000);
  const [finding] = parse(`string()${chain}`).findings;
  expect(finding?.hint).toBe(`Constraints belong in options. Write options: [${"'min(1)', ".repeat(9)}'min(1)'].`);
});

describe('options', () => {
  it.each([
    ['number()', ['optional()'], { optional: true }],
    ['number()', ['min(1)', 'max(100)'], { min: 1, max: 100 }],
    ['number()', ['min(-0.5)'], { min: -0.5 }],
    ['string()', ['length(42)'], { length: 42 }],
    ['array()', ['min(1)', 'max(100)'], { min: 1, max: 100 }],
    ['number()', ['optional(), default(1000)'], { optional: true, default: 1000 }],
    ['string()', ['describe(Name, as in "BTC (spot)")'], { description: 'Name, as in "BTC (spot)"' }],
    ['string()', ['regex(^0x[a-f0-9]{40}$)'], { pattern: '^0x[a-f0-9]{40}$' }],
    ['string()', ['regex(/^NCT\\d{8}$/)'], { pattern: '^NCT\\d{8}$' }],
    ['string()', ['regex(/^btc$/i)'], { pattern: '(?i)^btc$' }],
    ['string()', ['regex(^(a|b),(c\\))$)'], { pattern: '^(a|b),(c\\))$' }],
  ])('reads %s with %j', (primitive, options, expected) => {
    const { z, findings } = parse(primitive, options);
    expect(z).toMatchObject(expected);
    expect(findings).toEqual([]);
  });

  it.each([
    ['number()', 'default(20)', 20],
    ['number()', 'default("20")', 20],
    ['number()', 'default(-1.5)', -1.5],
    ['boolean()', 'default(false)', false],
    ['boolean()', "default('true')", true],
    ['string()', 'default(20)', '20'],
    ['string()', 'default("43114")', '43114'],
    ['string()', 'default(a, (b))', 'a, (b)'],
    ['string()', 'default([])', '[]'],
    ['string()', 'default()', ''],
    ['enum(1,10)', 'default(10)', '10'],
    ['enum(true,false)', 'default(true)', 'true'],
    ['array()', 'default(["ofac"])', ['ofac']],
    ['object()', 'default({"a":[1]})', { a: [1] }],
    ['object()', 'default([[1,2]])', [[1, 2]]],
  ])('types the default of %s: %s', (primitive, option, value) => {
    const { z, findings } = parse(primitive, [option]);
    expect(z).toMatchObject({ default: value, optional: true });
    expect(findings).toEqual([]);
  });

  it('leaves out unusable options, with the reason', () => {
    const { z, findings } = parse('number()', [
      'optinal()',
      'email()',
      undefined,
      null,
      'regex(^a$)',
      'min(low)',
      'max()',
      'default(many)',
    ]);
    expect(z).toEqual({ primitive: 'number', optional: true });
    expect(findings.every(({ code, severity }) => code === 'VAL045' && severity === 'warning')).toBe(true);
    expect(findings.map(({ message, hint = '' }) => `${message} ${hint}`.trim())).toMatchInlineSnapshot(`
      [
        "unknown option "optinal()"; it is ignored (z.options[0]) Did you mean optional()?",
        "unknown option "email()"; it is ignored (z.options[1]) Known options: optional(), default(), min(), max(), length(), regex(), values(), enum(), describe(), type().",
        "an option must be text such as "optional()"; it is ignored (z.options[2])",
        "an option must be text such as "optional()"; it is ignored (z.options[3])",
        "option regex() does not apply to number(); it is ignored (z.options[4])",
        "default(many) is not a valid number(); it is ignored (z.options[7])",
        "min(low) needs a valid number; it is ignored (z.options[5])",
        "max() needs a valid number; it is ignored (z.options[6])",
      ]
    `);
  });

  it('reports contradictions, and keeps them', () => {
    expect(parse('number()', ['min(5)', 'max(1)']).z).toMatchObject({ min: 5, max: 1 });
    expect(
      [
        parse('number()', ['min(5)', 'max(1)']),
        parse('string()', ['length(3)', 'max(2)']),
        parse('number()', ['max(10)', 'default(11)']),
        parse('enum(a,b)', ['default(c)']),
        parse('string()', ['regex(^a$)', 'default(b)']),
        parse('number()', ['min(1)', 'min(2)']),
      ].flatMap(messagesOf),
    ).toMatchInlineSnapshot(`
      [
        "VAL045 warning: no value satisfies both min(5) and max(1) (z.options)",
        "VAL045 warning: length(3) is above max(2) (z.options)",
        "VAL045 warning: default 11 is out of bounds: calls without a value send it, but calls that pass it fail (z.options)",
        "VAL045 warning: default "c" is not one of the values of the enum: calls without a value send it, but calls that pass it fail (z.options)",
        "VAL045 warning: default "b" does not match regex(): calls without a value send it, but calls that pass it fail (z.options)",
        "VAL045 warning: option min(2) is given twice; the first one is used (z.options[1])",
      ]
    `);
  });

  it('drops a pattern that cannot run in linear time, with a warning', () => {
    expect(parse('string()', ['regex(^(?=a).*$)']).z).toEqual({ primitive: 'string', optional: false });
    expect(messagesOf(parse('string()', ['regex(^(?=a).*$)']))).toMatchInlineSnapshot(`
      [
        "VAL045 warning: the pattern has a look-around, which cannot be matched in linear time; values are not checked against it (z.options[0])",
      ]
    `);
  });

  it('reads doubled backslashes as single ones, with a warning', () => {
    const { z, findings } = parse('string()', ['regex(^\\\\d+\\\\.\\\\d+$)']);
    expect(z?.pattern).toBe('^\\d+\\.\\d+$');
    expect(findings).toMatchObject([{ code: 'VAL045', severity: 'warning' }]);
    expect(parse('string()', ['regex(^[^\\\\/]+$)'])).toMatchObject({ z: { pattern: '^[^\\\\/]+$' }, findings: [] });
  });

  it.each([
    [undefined, 'warning', false],
    ['optional()', 'warning', true],
    [null, 'error', false],
    [{ 0: 'optional()' }, 'error', false],
  ])('reports options that are no array: %j', (options, severity, optional) => {
    const findings: Finding[] = [];
    const z = parseZExpression({ primitive: 'string()', options }, { path: 'z', report: (it) => findings.push(it) });
    expect(z).toEqual({ primitive: 'string', optional });
    expect(findings).toMatchObject([{ code: 'VAL045', severity, path: 'z.options' }]);
  });

  it('returns the same expression in any order', () => {
    const blocks: [string, string[]][] = [
      ['number()', ['optional()', 'default(20)', 'min(1)', 'max(100)', 'describe(How many)']],
      ['string()', ['default(ab)', 'optional()', 'length(2)', 'min(1)', 'regex(^a)']],
      ['enum()', ['values(a,b)', 'default(b)', 'optional()']],
      ['string()', ['enum(a,b)', 'default(b)', 'max(3)']],
      ['array()', ['max(3)', 'default([1])', 'min(1)']],
    ];
    const shuffled = fc.constantFrom(...blocks).chain(([primitive, options]) =>
      fc.record({
        primitive: fc.constant(primitive),
        options: fc.constant(options),
        other: fc.shuffledSubarray(options, { minLength: options.length }),
        joined: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ primitive, options, other, joined }) => {
        expect(parse(primitive, joined ? [other.join(', ')] : other).z).toEqual(parse(primitive, options).z);
      }),
    );
  });
});

describe('any value', () => {
  it('never throws, and is undefined only with an error about the primitive', () => {
    const option = fc.oneof(
      fc.string(),
      fc.constantFrom('min(', 'default(x)', '$l', 'regex((', 'values()'),
      fc.anything(),
    );
    const primitive = fc.oneof(fc.constantFrom('string()', 'enum(a)', 'enum()', 'number()', 'array()'), fc.anything());
    const block = fc.oneof(fc.record({ primitive, options: fc.oneof(fc.array(option), fc.anything()) }), fc.anything());
    fc.assert(
      fc.property(block, (z) => {
        const findings: Finding[] = [];
        const expression = parseZExpression(z, { path: 'z', report: (finding) => findings.push(finding) });
        const isError = findings.some(({ code, severity }) => code === 'VAL044' && severity === 'error');
        expect(expression === undefined).toBe(isError);
      }),
    );
  });

  it('survives objects that throw when they are read', () => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const thrower = {
      get primitive(): string {
        throw new Error('no');
      },
    };
    for (const z of [revoked.proxy, thrower]) {
      const findings: Finding[] = [];
      expect(parseZExpression(z, { path: 'z', report: (finding) => findings.push(finding) })).toBeUndefined();
      expect(findings).toMatchObject([{ code: 'VAL044' }]);
    }
  });
});
