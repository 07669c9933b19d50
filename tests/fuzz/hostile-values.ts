/** Keys that objects have anyway, that other languages treat specially, or that make bad names. */
export const hostileKeys: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'toJSON',
  'then',
  'length',
  '0',
  '',
  ' ',
  'a b',
  '"]["',
  '/block/:id/{{id}}',
  '{{__proto__}}',
  '\0',
  '\r\nX-More: 1',
  '\ud800',
  'ſhop',
  'x'.repeat(5000),
];

const units = [
  '/',
  '{',
  '{{',
  '}}',
  '(',
  ')',
  ',',
  "'",
  '"',
  '[',
  '\\',
  ' ',
  '_',
  '-',
  ':',
  '.',
  'a',
  '<',
  '%',
  '\n',
  'é',
];

/** Texts of one piece over and over: what is slow for its length shows. */
const longTexts = Object.fromEntries(
  units.map((unit) => [`${JSON.stringify(unit)} for long`, () => unit.repeat(150_000)]),
);

const texts = [
  '',
  ' ',
  'null',
  '{{',
  '{{}}',
  '{{ }}',
  '{{__proto__}}',
  '{{constructor}}',
  '{{USER_PARAM}}',
  '{{SERVER_PARAM:}}',
  '{{SERVER_PARAM:__proto__}}',
  'a{{USER_PARAM}}b{{id}}c{{',
  'enum(',
  'enum()',
  'enum(a,,b)',
  'enum({{__proto__:constructor}})',
  'enum($constructor)',
  'string(',
  'object()',
  'array()',
  'min(1e999)',
  'max(-1)',
  'length(0.5)',
  'regex((a+)+$)',
  'regex(\\1)',
  'regex((?=a))',
  'regex([)',
  'default([[[[]]]])',
  'default({"__proto__":{"a":1}})',
  'values(__proto__,constructor)',
  'optional(), default(1)',
  '$constructor',
  'GET',
  'PATCH',
  'template',
  'local://x',
  'file:///etc/passwd',
  'http://',
  'http://[',
  '//',
  '/..',
  '/%2e%2e/{{id}}',
  '3.0.0',
  '2.0.0',
  'application/json',
  'text/plain',
  '../../x.mjs',
  '\ud800',
  '\0',
];

/** A value with no JSON of its own. Made anew each time, so that nothing can hide in a shared one. */
const oddValues: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  zero: () => 0,
  'minus one': () => -1,
  NaN: () => Number.NaN,
  Infinity: () => Number.POSITIVE_INFINITY,
  'a large number': () => 1e300,
  bigint: () => 10n,
  symbol: () => Symbol.iterator,
  'a function': () => Math.max,
  'an empty object': () => ({}),
  'an empty array': () => [],
  'an array in arrays': () => [[[]]],
  'a sparse array': () => Object.assign(new Array(4), { 1: 1, 3: 2 }),
  'a long array': () => new Array(20_000).fill('x'),
  'an object with many keys': () =>
    Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`k${index}`, index])),
  'an object without prototype': () => Object.assign(Object.create(null), { type: 'object' }),
  'an object with odd methods': () => ({ toString: 1, valueOf: null, toJSON: 'x', hasOwnProperty: [] }),
  'own __proto__': () => JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
  'a date': () => new Date(0),
  'a map': () => new Map([['a', 1]]),
  'a regular expression': () => /x/,
  'a promise-like': () => Object.fromEntries([['then', 1]]),
  'deep arrays': () => nested((inner) => [inner]),
  'deep objects': () => nested((inner) => ({ type: 'object', properties: { a: inner } })),
  'deep items': () => nested((inner) => ({ type: 'array', items: inner })),
};

/** Values that cannot even be compared: too deep, circular, or with parts that throw. */
const unreadableValues: Readonly<Record<string, () => unknown>> = {
  'very deep arrays': () => nested((inner) => [inner], 100_000),
  'very deep objects': () => nested((inner) => ({ a: inner }), 100_000),
  'very deep items': () => nested((inner) => ({ type: 'array', items: inner }), 100_000),
  'a circle': () => {
    const circle: Record<string, unknown> = { type: 'object' };
    circle.properties = { self: circle };
    circle.items = circle;
    return circle;
  },
  'a circular array': () => {
    const circle: unknown[] = [];
    circle.push(circle);
    return circle;
  },
  'a getter that throws': () =>
    Object.defineProperty({}, 'method', {
      enumerable: true,
      get() {
        throw new Error('not to be read');
      },
    }),
  'a proxy that throws': () =>
    new Proxy(
      {},
      {
        get() {
          throw new Error('not to be read');
        },
        ownKeys() {
          throw new Error('not to be listed');
        },
      },
    ),
  'a revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  'something that throws what is no error': () => ({
    get path() {
      throw null;
    },
  }),
};

function nested(wrap: (inner: unknown) => unknown, depth: number = 500): unknown {
  let value: unknown = 'inside';
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

/** Makers of values by a name that a report can show. */
export const hostileValues: Readonly<Record<string, () => unknown>> = {
  ...oddValues,
  ...unreadableValues,
  ...longTexts,
  ...Object.fromEntries(texts.map((text) => [JSON.stringify(text), () => text])),
};

/** Names of the values that a file can hold, as JSON. */
export const jsonValueNames: readonly string[] = Object.keys(hostileValues).filter((name) => {
  if (name in unreadableValues || name.startsWith('deep')) return false;
  try {
    return JSON.stringify(hostileValues[name]?.()) !== undefined;
  } catch {
    return false; // A BigInt.
  }
});

/** Whether a value of this name can be compared with a copy of it. */
export function isComparable(name: string): boolean {
  return !(name in unreadableValues);
}
