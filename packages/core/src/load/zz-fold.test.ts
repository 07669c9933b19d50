// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are the text of modules
import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readModule } from './read-module.ts';

const read = (text: string) => readModule(text, { file: 'x.mjs' }).read('main');

type Real = { status: 'data'; value: unknown } | { status: 'refused' };

/** What `import()` gives, with holes turned into undefined; `refused` where the module throws or gives what is no data. */
async function imported(text: string): Promise<Real> {
  try {
    const namespace = await import(/* @vite-ignore */ `data:text/javascript;charset=utf-8,${encodeURIComponent(text)}`);
    return { status: 'data', value: plain(namespace.main) };
  } catch {
    // Which error it is makes no difference: the module cannot be loaded, or holds code.
    return { status: 'refused' };
  }
}

function plain(value: unknown): unknown {
  if (typeof value === 'string' && !value.isWellFormed()) throw new Error('half of a surrogate pair');
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') throw new Error('no data');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Array.from(value, plain);
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error('no plain object');
  const copy = {};
  for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (!('value' in descriptor) || !key.isWellFormed()) throw new Error('no data');
    Object.defineProperty(copy, key, {
      ...descriptor,
      value: plain(descriptor.value),
      writable: true,
      configurable: true,
    });
  }
  return copy;
}

/** Reads `main` and checks that importing the module gives the same. */
async function expectSame(text: string): Promise<string> {
  const reading = read(text);
  const real = await imported(text);
  if (reading.status === 'read') {
    expect(real.status, text).toBe('data');
    if (real.status === 'data') deepStrictEqual(plain(reading.value), real.value, text);
  } else if (reading.status === 'invalid')
    expect(real.status, `${text}\n${reading.findings[0]?.message}`).toBe('refused');
  return reading.status;
}

describe('values that are read', () => {
  const modules = {
    literals: `export const main = { a: 1, b: -0, c: 'x\\n\\u{1F600}', d: null, e: true, f: 0x1F, g: 1e21, h: .5, i: 1_000, j: undefined, k: NaN, l: -Infinity }`,
    templates:
      'const host = "x.y"; export const main = { a: `https://${host}/${1 + 1}`, b: ``, c: `a\\tb\r\nc`, d: `${[1, [2, 3]]}`, e: `${null} ${undefined} ${{}}` }',
    'raw templates': 'export const main = { a: String.raw`\\d+\\n${1}` }',
    'holes and trailing commas': `export const main = { a: [, 1, , 2, ,], b: [1, 2,], c: [...[, 1]] }`,
    spreads: `const base = { a: 1, b: { c: 2 } }; const list = [1, 2]; export const main = { ...base, a: 3, ...{ d: 4 }, list: [0, ...list, ...'\u{1F600}é', ...new Set([1, 1])], none: { ...null, ...undefined, ...1, ...'ab', ...[7] } }`,
    'shared parts': `const shared = { type: 'string' }; export const main = { a: shared, b: shared, same: shared === shared, other: {} === {} }`,
    'odd keys': `const k = 'x'; export const main = { 'a-b': 1, 2: 2, 1: 1, 1e3: 3, 0x10: 4, [k]: 5, [k + 'y']: 6, [1 + 1]: 7, ['__proto__']: 8, constructor: 9, toString: 10, '': 11, [null]: 12, get: 13, set: 14, async: 15, static: 16 }`,
    'own __proto__ keys': `const __proto__ = { x: 1 }; const o = { __proto__ }; export const main = { o, copy: { ...o }, read: o['__proto__'].x, parsed: JSON.parse('{"__proto__": 1}') }`,
    'duplicate keys': `export const main = { a: 1, b: 2, a: 3 }`,
    operators: `export const main = { a: 1 + '2', b: 7 % 4 ** 2, c: '3' * '4', d: !0, e: ~5, f: +'7', g: typeof 1, h: typeof null, i: void 0, j: 1 < 2, k: '1' == 1, l: null == undefined, m: 5 >>> 1, n: 5 & 3 | 8 ^ 1, o: typeof { a: 1 }, p: null ?? 1, q: 0 || 'x', r: 0 && 'x', s: 1 ? 'y' : 'n', t: (1, 2), u: 0 ?? 3 }`,
    'long chains of operators': `export const main = { a: ${Array.from({ length: 400 }, (_, i) => `'${i}'`).join(' + ')} }`,
    members: `const m = { a: { b: [1, { c: 2 }] }, 'x y': 3 }; export const main = { a: m.a.b[1].c, b: m['x y'], c: m.a.b.length, d: 'abc'.length, e: 'abc'[1], f: m.none, g: m.none?.a.b.c, h: m?.a?.['b']?.[0], i: m.none?.[m.a.b.c.d], j: (m.none?.a)?.b }`,
    constants: `let a = 1; var b = a + 1; const c = { a, b }, d = c.a; export const main = { a, b, c, d }`,
    destructuring: `const [a, , b = 3, ...rest] = [1, 2, undefined, 4, 5]; const { x, y: { z = x } = {}, ['w']: w, ...others } = { x: 1, w: 2, p: 3, q: 4 }; const [f, g] = 'é\u{1F600}'; export const main = { a, b, rest, x, z, w, others, f, g }`,
    'export forms': `const x = { a: 1 }; export { x as main }`,
    'object functions': `const o = { b: 1, a: [2] }; export const main = Object.freeze({ k: Object.keys(o), v: Object.values(o), e: Object.entries(o), f: Object.fromEntries([['x', 1], ['y', 2]]), g: Object.assign({}, o, null, { c: 3 }), h: Object.hasOwn(o, 'a') })`,
    'array methods': `const l = [3, 1, 2]; export const main = { m: l.map((x, i, all) => x * i + all.length), f: l.filter((x) => x > 1), j: l.join('-'), r: l.reduce((a, b) => a + b, 0), s: [...l].sort(), t: l.toSorted((a, b) => b - a), u: l.slice(-1), v: l.includes(2), w: l.flatMap((x) => [x, [x]]), x: [[1, [2]]].flat(Infinity), y: l.concat([4], 5), z: l.at(-1), aa: l.find((x) => x < 3), ab: l.every(Number), ac: l.some((x) => { if (x > 2) { return true } return false }), ad: Array.from({ length: 3 }, (_, i) => i), ae: Array.of(1, 2), af: Array.isArray(l), ag: Object.keys({ b: 1, a: 2 }).sort(), ah: l.indexOf(9), ai: ['a', '', null].filter(Boolean), aj: [1, null].map(String) }`,
    'text methods': `export const main = { a: ' x '.trim(), b: 'a,b'.split(','), c: 'ab'.toUpperCase(), d: 'ab'.repeat(3), e: 'x'.padStart(3, '-'), f: 'a-b-c'.replaceAll('-', '+'), g: 'abc'.slice(1), h: 'abc'.startsWith('a'), i: (1.005).toFixed(2), j: (255).toString(16), k: 'aXb'.replace('X', (x) => x + '$&'), l: 'a'.concat('b', 1), m: encodeURIComponent('a b/c') }`,
    conversions: `export const main = { a: String(1), b: Number('2'), c: Boolean(''), d: JSON.stringify({ b: [1, undefined], a: undefined }, null, 2), e: JSON.parse('[1,{"a":null}]'), f: structuredClone({ a: [1] }), g: parseInt('12px', 10), h: String([1, [2]]), i: Math.max(1, 2), j: Math.PI, k: Number.MAX_SAFE_INTEGER, l: Number.isInteger(1)}`,
    'functions of the module': `const param = (key, { type = 'string', max } = {}) => ({ key, z: { type, ...(max && { max }) } }); function list(...keys) { const made = keys.map((key) => param(key)); return made } const deep = function self(n) { return n > 0 ? [n, ...self(n - 1)] : [] }; export const main = { a: param('x'), b: param('y', { max: 2 }), c: list('p', 'q'), d: deep(3), e: ((x) => x + 1)(1), f: { g: (x) => x }.g(5) }`,
    'unrelated code': `const SET = new Set(['a']); SET.add('b'); const re = /x/g; class A {} let n = 0; n += 1; const fn = async () => { n += 1 }; console.log; export const main = { a: 1 }; export const handlers = () => ({ x: { y: () => { main.a = 2 } } })`,
    'code that only looks': `const l = [{ alias: 'eth' }]; const map = new Map(l.map((x) => [x.alias, x])); const names = Object.keys(l[0]); for (const i of [1]) { names.includes(i) } const copy = { ...l }; export const main = { l, names }; console.log(main.l.length, \`\${main}\`)`,
  };
  test.each(Object.entries(modules))('%s', async (_, text) => {
    expect(await expectSame(text)).toBe('read');
  });

  test('a default export', () => {
    expect(readModule('export default { a: 1 }', { file: 'x' }).read('default')).toEqual({
      status: 'read',
      value: { a: 1 },
    });
  });

  test('parts that are used twice are one value', () => {
    const reading = read('const s = { a: 1 }; export const main = { x: s, y: [s] }');
    expect(reading.status).toBe('read');
    const value = reading.status === 'read' ? (reading.value as { x: object; y: object[] }) : undefined;
    expect(value?.x).toBe(value?.y[0]);
  });

  test('each reading gives the same answer', () => {
    const reading = readModule('export const main = { a: [] }', { file: 'x' });
    expect(reading.read('main')).toBe(reading.read('main'));
  });

  test('keys that hold code can be left out', () => {
    const text = `const schema = { flowMCP: '1.2.0', routes: {}, 'handlers': { x: async () => make() } }; export { schema }`;
    const { read: readExport } = readModule(text, { file: 'x' });
    expect(readExport('schema', { without: ['handlers'] })).toEqual({
      status: 'read',
      value: { flowMCP: '1.2.0', routes: {} },
    });
    expect(readExport('schema').status).toBe('invalid');
    const changed = readModule('export const schema = { a: 1, handlers: {} }; schema.a = 2', { file: 'x' });
    expect(changed.read('schema', { without: ['handlers'] }).status).toBe('needs-evaluation');
  });

  test('a key named __proto__ touches no prototype', () => {
    const reading = read(`export const main = { ['__proto__']: { polluted: true } }`);
    const value = reading.status === 'read' ? (reading.value as object) : {};
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value).toEqual({ polluted: true });
    expect('polluted' in value).toBe(false);
  });
});

describe('values that only running the module can tell', () => {
  test.each([
    ['a global', 'export const main = { a: process.env.X }'],
    ['an unknown function', 'export const main = { a: make() }'],
    ['the time', 'export const main = { a: Date.now() }'],
    ['chance', 'export const main = { a: Math.random() }'],
    ['a regular expression at work', `export const main = { a: 'x'.replace(/x/, 'y') }`],
    ['an import', `import { x } from 'y'; export const main = { x }`],
    ['a re-export', `export { main } from './other.mjs'`],
    ['await', 'export const main = { a: await 1 }'],
    ['a loop in a function', 'const f = () => { for (;;) return 1 }; export const main = { a: f() }'],
    ['an inherited member', 'export const main = { a: [].map }'],
    ['a tagged template', 'const t = (s) => s.raw; export const main = { a: t`x` }'],
    ['an assignment inside', 'let x; export const main = { a: (x = 1) }'],
    ['sorting a list in place', 'const l = [2, 1]; export const main = { a: l.sort(), l }'],
    ['Object.assign on a constant', 'const o = {}; export const main = { a: Object.assign(o, { b: 1 }) }'],
    ['methods on a list with holes', 'export const main = { a: [1, , 2].map((x) => 1) }'],
    ['a bomb of text', `export const main = { a: 'x'.repeat(1e9) }`],
    ['a bomb of doubling text', `export const main = { a: [...'x'.repeat(60)].reduce((a) => a + a, 'xx') }`],
    ['a bomb of doubling lists', `export const main = { a: [...'x'.repeat(60)].reduce((a) => a.concat(a), [1]) }`],
    ['endless recursion', 'const f = () => f(); export const main = { a: f() }'],
    ['a getter at work', 'const o = { get x() { return 1 } }; export const main = { a: o.x, ...o }'],
    ['`using`', 'using x = null; export const main = { x }'],
  ])('%s', (_, text) => {
    expect(read(text).status).toBe('needs-evaluation');
  });

  test('says why and where', () => {
    expect(read('export const main = {\n  a: Date.now()\n}')).toEqual({
      status: 'needs-evaluation',
      reason: 'Date has a value only when the module runs',
      line: 2,
      column: 6,
    });
  });
});

describe('values that are no data', () => {
  test.each([
    ['a function', '() => 1', 'it holds a function'],
    ['a method', '{ x() {} }', 'it holds a function'],
    ['a getter', '{ get x() { return 1 } }', 'it holds a getter or a setter'],
    ['a regular expression', '/x/', 'it holds a regular expression'],
    ['a BigInt', '1n', 'it holds a BigInt'],
    ['a class', 'class {}', 'it holds a class'],
    ['a Set', 'new Set([1])', 'it holds a Set'],
    ['an instance', 'new Date()', 'it holds an instance made with `new`'],
    ['half of a surrogate pair', `'\\ud800'`, 'it holds half of a surrogate pair'],
    ['a prototype', '{ __proto__: null }', '`__proto__:` sets the prototype instead of a key'],
    ['a quoted prototype', `{ '__proto__': {} }`, '`__proto__:` sets the prototype instead of a key'],
    ['a member of undefined', 'undefined.x', 'x is read from undefined'],
    ['a broken JSON text', `JSON.parse('{')`, expect.any(String)],
  ])('%s', (_, text, reason) => {
    const reading = read(`export const main = { tools: [{ a: ${text} }] }`);
    expect(reading).toMatchObject({ status: 'invalid', findings: [{ code: 'VAL006', severity: 'error', line: 1 }] });
    const message = reading.status === 'invalid' ? reading.findings[0]?.message : '';
    expect(message).toEqual(typeof reason === 'string' ? `main must be plain data: ${reason}` : reason);
  });

  test('the finding names the place in the document', () => {
    expect(read('export const main = {\n tools: { x: [\n  () => 1] } }')).toMatchObject({
      findings: [{ path: 'main.tools.x[0]', line: 3, column: 3 }],
    });
  });

  test('a name that is used before it is defined', async () => {
    for (const text of [
      'export const main = { a }; const a = 1',
      'const a = b, b = a; export const main = { a }',
      'const f = () => main; export const main = { x: f() }',
    ]) {
      expect(await expectSame(text)).toBe('invalid');
    }
  });

  test('shared parts that would be endless as text', () => {
    const laughs = Array.from({ length: 40 }, (_, i) => `const l${i + 1} = [l${i}, l${i}];`).join('');
    expect(read(`const l0 = ['ha'];${laughs} export const main = { a: l40 }`)).toMatchObject({
      findings: [{ message: expect.stringContaining('more than 400000 parts') }],
    });
  });

  test('an exported function is named as such', () => {
    for (const text of [
      'export const main = () => 1',
      'export function main() {}',
      'const f = function () {}; export { f as main }',
    ]) {
      expect(read(text)).toEqual({ status: 'function' });
    }
  });
});

const leaf = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.constantFrom(
      '1',
      '-0',
      '1.5e300',
      "''",
      'null',
      'undefined',
      'true',
      'false',
      'NaN',
      "'ab'",
      "'é\\u{1F600}'",
      '`t`',
    ),
  },
  { weight: 10, arbitrary: fc.integer({ min: -100, max: 100 }).map(String) },
  { weight: 10, arbitrary: fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.constantFrom('1n', '/x/', '() => 1', 'new Date()', "'\\ud83d'", 'unknownName') },
);
const key = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'c',
    'length',
    "'x y'",
    '1',
    '0',
    "['__proto__']",
    "['a']",
    '[1+1]',
    'constructor',
    'toString',
    '[`k`]',
  ),
  fc
    .string({ maxLength: 4 })
    .filter((text) => text !== '__proto__')
    .map((text) => JSON.stringify(text)),
);
const arrayCall = fc.constantFrom(
  '.map((x) => x)',
  '.map((x, i) => [x, i])',
  '.filter((x) => x)',
  '.filter(Boolean)',
  '.map((x) => typeof x)',
  '.concat(c1)',
  '.flat()',
  '.slice(1)',
  '.includes(1)',
  '.at(-1)',
  '.flatMap((x) => [x, x])',
  '.reduce((a, b) => [a, b], 0)',
  '.find((x) => x)',
  '.toReversed()',
);
const textCall = fc.constantFrom(
  '.trim()',
  '.split("")',
  '.toUpperCase()',
  '.repeat(2)',
  '.slice(1)',
  '.length',
  '[0]',
  '.replaceAll("a", "$&")',
);
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie('expression');
  const pair = fc.tuple(inner, inner);
  const spread = inner.map((text) => `...[${text}]`);
  const property = fc.oneof(
    fc.tuple(key, inner).map(([name, text]) => `${name}: ${text}`),
    inner.map((text) => `...{ s: ${text} }`),
    fc.constantFrom('c0', 'v0'),
  );
  const operator = fc.constantFrom('+', '-', '*', '%', '<', '>=', '==', '!=', '===', '&', '>>>', '&&', '||');
  return {
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.constantFrom('c0', 'c1', 'c2', 'v0'),
      fc
        .array(
          fc.oneof(
            { weight: 8, arbitrary: inner },
            { weight: 3, arbitrary: spread },
            { weight: 1, arbitrary: fc.constant('') },
          ),
          { maxLength: 4 },
        )
        .map((items) => `[${items.join(',')}]`),
      fc.array(property, { maxLength: 4 }).map((parts) => `({${parts.join(',')}})`),
      fc.tuple(operator, fc.tuple(leaf, leaf)).map(([op, [a, b]]) => `((${a}) ${op} (${b}))`),
      fc.tuple(fc.constantFrom('===', '!==', '&&', '||', '??'), pair).map(([op, [a, b]]) => `((${a}) ${op} (${b}))`),
      fc.tuple(fc.constantFrom('!', '-', '+', '~', 'typeof ', 'void '), leaf).map(([op, a]) => `(${op}(${a}))`),
      fc.tuple(inner, pair).map(([a, [b, c]]) => `((${a}) ? ${b} : ${c})`),
      pair.map(([a, b]) => `\`x\${${a}}y\${${b}}\``),
      fc
        .tuple(inner, fc.constantFrom('?.a', '?.[1]', "?.['b']", '?.a?.b.c', '?.none', '.a'))
        .map(([a, member]) => `(${a})${member}`),
      fc.tuple(inner, arrayCall).map(([a, call]) => `[${a}, 'x']${call}`),
      fc.tuple(inner, textCall).map(([a, call]) => `String(${a})${call}`),
      fc
        .tuple(
          fc.constantFrom(
            'Object.keys',
            'Object.values',
            'Object.entries',
            'JSON.stringify',
            'Array.isArray',
            'Object.freeze',
            'Array.from',
            'f0',
            'f1',
          ),
          inner,
        )
        .map(([f, a]) => `${f}([${a}])`),
      pair.map(([a, b]) => `Object.assign({}, ${a}, ${b})`),
      pair.map(([a, b]) => `(({ a = ${a}, ...r }, [b] = []) => [a, b, r])({ b: ${b} })`),
      inner.map((a) => `[...new Set([${a}, ${a}])]`),
    ),
  };
});
const effect = fc.constantFrom(
  'c1.x = 1;',
  'c0 = 2;',
  'delete main.all;',
  'main.all.push(1);',
  'const alias = c1; alias.y = 2;',
  'f1(main);',
  'for (const x of [c1]) x.z = 1;',
  'const unrelated = Object.keys(c1 ?? {});',
  'Object.freeze(main);',
  '(() => { main.all[0] = 7 })();',
  'const { all } = main; all.length = 0;',
);
const moduleText = fc
  .tuple(
    fc.array(fc.oneof(leaf, expression), { minLength: 4, maxLength: 4 }),
    expression,
    fc.option(effect, { freq: 3, nil: '' }),
  )
  .map(
    ([[a, b, c, d], main, after]) => `let c0 = ${a}; const c1 = ${b}; var c2 = ${c}; const v0 = ${d};
const f0 = (x) => [x, c1]; function f1(x) { const y = x; if (y) return { y }; return y }
// All constants are used: a module fails to load even where code fails that nothing uses.
export const main = { main: ${main}, all: [c0, c1, c2, v0] };
${after}`,
  );

test('what is read is what import() gives', { timeout: 500_000 }, async () => {
  const counts: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(moduleText, async (text) => {
      const status = await expectSame(text);
      counts[status] = (counts[status] ?? 0) + 1;
    }),
    { numRuns: 300000 },
  );
  // The generator makes much that is refused; the property is empty unless a good part is read.
  expect(counts.read).toBeGreaterThan(200);
});

test('any JSON value comes back as it was written', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      fc.pre(!JSON.stringify(value).includes('"__proto__":'));
      expect(read(`export const main = ${JSON.stringify(value)}`)).toEqual({
        status: 'read',
        value: JSON.parse(JSON.stringify(value)),
      });
    }),
  );
});
