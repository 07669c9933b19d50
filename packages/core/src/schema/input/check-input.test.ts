import { describe, expect, it } from 'vitest';
import type { Input } from '../schema.ts';
import { parseZExpression } from '../z/parse-z-expression.ts';
import { createInputCheck, type InputCheckResult } from './check-input.ts';

function input(name: string, primitive: string, options: string[] = [], aliases: string[] = []): Input {
  const z = parseZExpression({ primitive, options }, { path: 'z', report: () => {} });
  if (z === undefined) throw new Error(primitive);
  return { name, aliases, z };
}

function messagesOf(result: InputCheckResult): string[] {
  return result.ok ? ['accepted'] : result.findings.map(({ code, message }) => `${code} ${message}`);
}

const candles = createInputCheck([
  input('symbol', 'string()', ['min(1)', 'max(20)'], ['SYMBOL', 'coin']),
  input('interval', 'enum(1m,5m,1h,1d)', ['default(1h)']),
  input('limit', 'number()', ['optional()', 'min(1)', 'max(100)']),
  input('address', 'string()', ['optional()', 'regex(^0x[a-f0-9]+$)']),
  input('closed', 'boolean()', ['optional()']),
  input('fields', 'array()', ['optional()', 'min(1)', 'max(3)']),
  input('filter', 'object()', ['optional()']),
]);

describe('values', () => {
  it.each([
    [{ symbol: 'BTC' }, { symbol: 'BTC', interval: '1h' }],
    [
      { symbol: 'BTC', limit: '5', closed: 'True' },
      { symbol: 'BTC', interval: '1h', limit: 5, closed: true },
    ],
    [
      { symbol: 'BTC', limit: null, interval: undefined, closed: null },
      { symbol: 'BTC', interval: '1h' },
    ],
    [
      { symbol: 'BTC', fields: [[1, { a: null }], 'x'], filter: [[1, 2]] },
      { symbol: 'BTC', interval: '1h', fields: [[1, { a: null }], 'x'], filter: [[1, 2]] },
    ],
    [{ coin: 'BTC' }, { symbol: 'BTC', interval: '1h' }],
    [
      { symbol: 'BTC', SYMBOL: 'BTC', coin: null },
      { symbol: 'BTC', interval: '1h' },
    ],
  ])('%j', (args, values) => expect(candles(args)).toEqual({ ok: true, values }));

  it.each([
    ['number()', ' -1.5e3 ', -1500],
    ['number()', '0', 0],
    ['enum(1,10)', 10, '10'],
    ['enum(true,false)', true, 'true'],
    ['boolean()', 'FALSE', false],
  ])('%s takes %j as %j', (primitive, given, value) => {
    expect(createInputCheck([input('x', primitive)])({ x: given })).toEqual({ ok: true, values: { x: value } });
  });

  it.each([
    ['number()', ['min(2)', 'max(3)'], [2, 3], [1.99, 3.01]],
    ['string()', ['min(2)', 'max(3)'], ['ab', 'abc'], ['a', 'abcd']],
    ['string()', ['length(2)'], ['ab'], ['a', 'abc']],
    ['array()', ['length(2)'], [[1, 2]], [[1], [1, 2, 3]]],
    ['string()', ['regex(^a+$)'], ['a', 'aa'], ['', 'ab']],
    ['enum(a,b)', [], ['a', 'b'], ['A', '', 'a,b']],
  ])('%s with %j takes %j, not %j', (primitive, options, accepted, refused) => {
    const check = createInputCheck([input('x', primitive, options)]);
    for (const x of accepted) expect(check({ x })).toEqual({ ok: true, values: { x } });
    for (const x of refused) expect(check({ x }).ok).toBe(false);
  });

  it('treats missing arguments as empty', () => {
    const check = createInputCheck([input('x', 'string()', ['optional()'])]);
    expect([check(undefined), check(null), check({})]).toEqual(Array(3).fill({ ok: true, values: {} }));
  });

  it('uses a default as written, and a new copy each time', () => {
    const check = createInputCheck([input('a', 'enum(x)', ['default(y)']), input('b', 'array()', ['default([1])'])]);
    const first = check({});
    expect(first).toEqual({ ok: true, values: { a: 'y', b: [1] } });
    if (first.ok && Array.isArray(first.values.b)) first.values.b.push(2);
    expect(check({})).toEqual({ ok: true, values: { a: 'y', b: [1] } });
  });

  it('takes a number for text by its digits, unless some may be lost', () => {
    for (const [given, symbol] of [
      [9780000, '9780000'],
      [-1.5, '-1.5'],
    ]) {
      expect(candles({ symbol: given, interval: '1h' })).toMatchObject({ ok: true, values: { symbol } });
    }
    for (const symbol of [2 ** 53, 1e21, 1e-7, Number.NaN, true]) {
      expect(candles({ symbol, interval: '1h' })).toMatchObject({ ok: false });
    }
  });

  it('accepts any text for an enum whose list is unknown', () => {
    const check = createInputCheck([input('x', 'enum({{list:field}})')]);
    expect(check({ x: 7 })).toEqual({ ok: true, values: { x: '7' } });
  });

  it('assigns an alias to the input of that name, or to all inputs that share it', () => {
    const check = createInputCheck([
      input('a', 'string()', ['optional()'], ['b', 'c']),
      input('b', 'string()', ['optional()'], ['c']),
    ]);
    expect(check({ b: '1', c: '2' })).toEqual({ ok: true, values: { b: '1', a: '2' } });
    expect(check({ c: '2' })).toEqual({ ok: true, values: { a: '2', b: '2' } });
    expect(check({ a: '1', b: '2', c: '2' })).toMatchObject({ ok: false, findings: [{ code: 'INP008', path: 'a' }] });
    expect(check({ a: '1', b: '1', c: '1' })).toMatchObject({ ok: true });
  });

  it('accepts the name that MCP clients see', () => {
    const check = createInputCheck([input('filter[x]', 'string()'), input('$limit', 'number()')]);
    expect(check({ filter_x: 'a', limit: 5 })).toEqual({ ok: true, values: { 'filter[x]': 'a', $limit: 5 } });
    expect(check({ 'filter[x]': 'a', $limit: 5 })).toMatchObject({ ok: true });
    expect(check({ filter_x: 'a', 'filter[x]': 'b', limit: 5 })).toMatchObject({ ok: false });
  });
});

describe('findings', () => {
  it('name the argument, the expected and the actual value', () => {
    const refused = [
      {},
      { symbol: null, interval: 3 },
      { symbol: '', limit: 'many', closed: 'yes', address: 'nope', fields: [], filter: 'a' },
      { symbol: 'x'.repeat(100), limit: 101, closed: 0, address: 5, fields: 'a,b', filter: 7 },
      { symbol: { a: 1 }, limit: Number.NaN, interval: '1hr', fields: [() => {}] },
      { symbol: 'BTC', limit: '0x10', fields: [1, 2, 3, 4], filter: new Date(0) },
      { symbol: 'BTC', SYMBOL: 'ETH' },
      { symbol: 'BTC', limt: 5, 'a\nb': 1, whatever: 2 },
    ];
    expect(refused.map((args) => messagesOf(candles(args)))).toMatchInlineSnapshot(`
      [
        [
          "INP001 symbol: required argument is missing, expected text of 1 to 20 characters.",
        ],
        [
          "INP001 symbol: required argument is missing, expected text of 1 to 20 characters.",
          "INP004 interval: expected one of "1m", "5m", "1h", "1d", got 3.",
        ],
        [
          "INP003 symbol: expected text of 1 to 20 characters, got "" (text).",
          "INP002 limit: expected a number from 1 to 100, got "many" (text).",
          "INP005 address: expected text that matches ^0x[a-f0-9]+$, got "nope" (text).",
          "INP002 closed: expected true or false, got "yes" (text).",
          "INP003 fields: expected a list of 1 to 3 items, got a list of 0 items.",
          "INP002 filter: expected an object or a list, got "a" (text).",
        ],
        [
          "INP003 symbol: expected text of 1 to 20 characters, got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" (text).",
          "INP003 limit: expected a number from 1 to 100, got 101.",
          "INP005 address: expected text that matches ^0x[a-f0-9]+$, got 5.",
          "INP002 closed: expected true or false, got 0.",
          "INP002 fields: expected a list of 1 to 3 items, got "a,b" (text).",
          "INP002 filter: expected an object or a list, got 7.",
        ],
        [
          "INP002 symbol: expected text of 1 to 20 characters, got an object.",
          "INP004 interval: expected one of "1m", "5m", "1h", "1d", got "1hr" (text). Did you mean "1h"?",
          "INP002 limit: expected a number from 1 to 100, got NaN.",
          "INP002 fields: expected a list of 1 to 3 items, got a list of 1 item with parts that JSON cannot carry.",
        ],
        [
          "INP002 limit: expected a number from 1 to 100, got "0x10" (text).",
          "INP003 fields: expected a list of 1 to 3 items, got a list of 4 items.",
          "INP002 filter: expected an object or a list, got an object with parts that JSON cannot carry.",
        ],
        [
          "INP008 symbol: also given as SYMBOL with a different value; give only one.",
        ],
        [
          "INP006 limt: unknown to this tool. Did you mean "limit"?",
          "INP006 "a\\nb": unknown to this tool. It takes "symbol", "interval", "limit", "address", "closed", "fields", "filter".",
          "INP006 whatever: unknown to this tool. It takes "symbol", "interval", "limit", "address", "closed", "fields", "filter".",
        ],
      ]
    `);
  });

  it('have the name of the argument as their path', () => {
    const result = candles({ coin: true, limt: 1 });
    expect(!result.ok && result.findings.map(({ code, severity, path }) => [code, severity, path])).toEqual([
      ['INP002', 'error', 'coin'],
      ['INP006', 'error', 'limt'],
    ]);
  });

  it('refuse arguments that are not an object', () => {
    expect(
      [[1, 2], 'symbol=BTC', 7, true, () => {}, Symbol('x'), 1n].flatMap((args) => messagesOf(candles(args))),
    ).toMatchInlineSnapshot(`
      [
        "INP007 Expected the arguments as an object, got a list of 2 items.",
        "INP007 Expected the arguments as an object, got "symbol=BTC" (text).",
        "INP007 Expected the arguments as an object, got 7.",
        "INP007 Expected the arguments as an object, got true.",
        "INP007 Expected the arguments as an object, got a function.",
        "INP007 Expected the arguments as an object, got a symbol.",
        "INP007 Expected the arguments as an object, got a bigint.",
      ]
    `);
  });

  it('list twenty values of a long enum and the nearest one', () => {
    const words = Array.from({ length: 40 }, (_, index) => `feed-${index}-usd`);
    const check = createInputCheck([input('feed', `enum(${words.join(',')})`)]);
    expect(messagesOf(check({ feed: 'feed-37-us' }))).toMatchInlineSnapshot(`
      [
        "INP004 feed: expected one of "feed-0-usd", "feed-1-usd", "feed-2-usd", "feed-3-usd", "feed-4-usd", "feed-5-usd", "feed-6-usd", "feed-7-usd", "feed-8-usd", "feed-9-usd", "feed-10-usd", "feed-11-usd", "feed-12-usd", "feed-13-usd", "feed-14-usd", "feed-15-usd", "feed-16-usd", "feed-17-usd", "feed-18-usd", "feed-19-usd" and 20 more, got "feed-37-us" (text). Did you mean "feed-37-usd"?",
      ]
    `);
  });

  it('name at most twenty unknown arguments', () => {
    const args = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x${index}`, index]));
    const messages = messagesOf(createInputCheck([])(args));
    expect(messages).toHaveLength(21);
    expect(messages.slice(-2)).toMatchInlineSnapshot(`
      [
        "INP006 x19: unknown to this tool. It takes none.",
        "INP006 4980 more unknown arguments.",
      ]
    `);
  });
});

describe('hostile arguments', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'a b', 'filter[x]', '$limit'];

  it.each(names)('handle %s as a plain name', (name) => {
    const args: unknown = JSON.parse(`{${JSON.stringify(name)}:"x"}`);
    const check = createInputCheck([input(name, 'string()')]);
    const result = check(args);
    expect(result.ok && Object.entries(result.values)).toEqual([[name, 'x']]);
    expect(messagesOf(check({}))).toEqual([expect.stringContaining('INP001')]);
    expect(messagesOf(candles(args)).at(-1)).toContain('INP006');
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  it('return values without inherited keys', () => {
    const result = createInputCheck([input('constructor', 'string()', ['optional()'])])({});
    expect(result.ok && result.values.constructor).toBeUndefined();
  });

  it('are refused if JSON cannot carry them', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle, cycle);
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    const sparse = [1];
    sparse[2] = 3;
    for (const value of [cycle, deep, sparse, [undefined], [1n], [Number.NaN], [Symbol('x')], [new Map()]]) {
      expect(messagesOf(candles({ symbol: 'BTC', fields: value }))).toEqual([expect.stringContaining('INP002 fields')]);
      expect(messagesOf(candles({ symbol: 'BTC', filter: value }))).toEqual([expect.stringContaining('INP002 filter')]);
    }
  });

  it('may contain objects without a prototype', () => {
    const filter: unknown = Object.assign(Object.create(null), { a: 1 });
    expect(candles({ symbol: 'BTC', filter }).ok).toBe(true);
  });
});

it('suggests for an unknown argument the name that begins alike, before similar ones', () => {
  const check = createInputCheck(['lat', 'lon', 'altitude'].map((name) => input(name, 'number()', ['optional()'])));
  expect(messagesOf(check({ latitude: 50 }))).toEqual(['INP006 latitude: unknown to this tool. Did you mean "lat"?']);
  expect(messagesOf(check({ alttude: 50 }))).toEqual([
    'INP006 alttude: unknown to this tool. Did you mean "altitude"?',
  ]);
});

it('shows a number that came as text as a number, where only its size is wrong', () => {
  const check = createInputCheck([input('price', 'number()', ['min(0)'])]);
  expect(check({ price: '-1' })).toMatchObject({
    findings: [{ message: 'price: expected a number of at least 0, got -1.' }],
  });
});

it.each([
  [
    'data:text/plain,hello',
    'got a data: URL without base64. Write its content in base64, such as data:text/plain;base64,aGVsbG8= for the text hello.',
  ],
  ['hello, you', 'got other text.'],
])('says how a file is written, given %j', (photo, end) => {
  const check = createInputCheck([input('photo', 'file()')]);
  expect(messagesOf(check({ photo }))).toEqual([expect.stringMatching(/^INP002 photo: expected a file of at most /)]);
  expect(messagesOf(check({ photo }))[0]?.endsWith(end)).toBe(true);
  expect(messagesOf(check({ photo: 'data:text/plain;base64,aGVsbG8=' }))).toEqual(['accepted']);
});

it.each([
  ['object({ a: integer().default(1) })', 'default({})', { a: 1 }],
  [
    'object({ in: object({ a: integer().default(1), b: string().optional() }).default({}) })',
    'default({})',
    { in: { a: 1 } },
  ],
  ['array(object({ a: integer().default(1) }))', 'default([{}, { "a": 2 }])', [{ a: 1 }, { a: 2 }]],
  ['record(object({ a: integer().default(1) }))', 'default({ "x": {} })', { x: { a: 1 } }],
])('fills the defaults inside the default of %s', (primitive, option, filter) => {
  const check = createInputCheck([input('filter', primitive, [option])]);
  expect(check({})).toEqual({ ok: true, values: { filter } });
  // As where the caller gives it.
  const given: unknown = JSON.parse(option.slice('default('.length, -1));
  expect(check({ filter: given })).toEqual({ ok: true, values: { filter } });
});

it.each([
  [
    { from: 'a', step: 1 },
    'expected an object with "until", or an object with "days", got an object with "from", "step".',
  ],
  [{}, 'expected an object with "until", or an object with "days", got an object without members.'],
])('says which members a union got, and which it takes, given %j', (range, end) => {
  const union = 'union(object({ until: string() }), object({ days: integer() }))';
  expect(messagesOf(createInputCheck([input('range', union)])({ range }))).toEqual([`INP002 range: ${end}`]);
});

it('says which kinds a union with a discriminating member has', () => {
  const union =
    "union('kind', object({ kind: enum(day), day: string() }), object({ kind: enum(week), week: integer() }))";
  const check = createInputCheck([input('range', union)]);
  expect(messagesOf(check({ range: { day: 'a' } }))).toMatchInlineSnapshot(`
    [
      "INP001 range.kind: required member is missing, expected one of "day", "week".",
    ]
  `);
  expect(messagesOf(check({ range: { kind: 'month', day: 'a' } }))).toMatchInlineSnapshot(`
    [
      "INP004 range.kind: expected one of "day", "week", got "month" (text).",
    ]
  `);
  expect(messagesOf(check({ range: 'a' }))).toMatchInlineSnapshot(`
    [
      "INP002 range: expected an object whose "kind" is one of "day", "week", got "a" (text).",
    ]
  `);
});
