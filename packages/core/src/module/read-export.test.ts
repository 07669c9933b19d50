// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are the text of modules
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyzeModule } from './analyze-module.ts';

const read = (text: string) => analyzeModule(text, { file: 'x.mjs' }).read('main');
const mainOf = (text: string) => {
  const reading = read(text);
  return reading.status === 'read' ? reading.value : reading;
};

describe('values that are read from the syntax tree', () => {
  test.each<[string, string, unknown]>([
    [
      'literals',
      `{ a: 1, b: -0, c: 'x\\n\\u{1F600}', d: null, e: true, f: 0x1F, g: 1e21, h: .5, i: 1_000, j: undefined, k: -Infinity }`,
      { a: 1, b: -0, c: 'x\n\u{1F600}', d: null, e: true, f: 31, g: 1e21, h: 0.5, i: 1000, j: undefined, k: -Infinity },
    ],
    [
      'templates',
      '{ a: `https://${host}/${1 + 1}`, b: ``, c: `a\\tb\r\nc` }',
      { a: 'https://x.y/2', b: '', c: 'a\tb\nc' },
    ],
    [
      'holes and trailing commas',
      '{ a: [, 1, , 2, ,], b: [1, 2,], c: [...[, 1]] }',
      { a: [undefined, 1, undefined, 2, undefined], b: [1, 2], c: [undefined, 1] },
    ],
    [
      'spreads',
      `{ ...base, a: 3, ...{ d: 4 }, list: [0, ...list, ...'\u{1F600}é'], none: { ...null, ...undefined, ...1 } }`,
      { a: 3, b: { c: 2 }, d: 4, list: [0, 1, 2, '\u{1F600}', 'é'], none: {} },
    ],
    [
      'odd keys',
      `{ 'a-b': 1, 2: 2, 1: 1, 1e3: 3, 0x10: 4, [host]: 5, [host + 'y']: 6, [1 + 1]: 7, '': 11, [null]: 12, get: 13, async: 15 }`,
      { 1: 1, 2: 7, 16: 4, 1000: 3, 'a-b': 1, 'x.y': 5, 'x.yy': 6, '': 11, null: 12, get: 13, async: 15 },
    ],
    ['duplicate keys', '{ a: 1, b: 2, a: 3 }', { a: 3, b: 2 }],
    [
      'operators',
      `{ a: 1 + '2', d: !0, e: ~5, f: +'7', g: typeof 1, h: typeof null, i: void 0, j: 1 + null }`,
      { a: '12', d: true, e: -6, f: 7, g: 'number', h: 'object', i: undefined, j: 1 },
    ],
    [
      'members',
      `{ a: base.b.c, b: odd['x y'], c: list.length, d: 'abc'.length, e: 'abc'[1], f: base.none, g: list[1] }`,
      { a: 2, b: 3, c: 2, d: 3, e: 'b', f: undefined, g: 2 },
    ],
    ['frozen values', '{ a: Object.freeze({ b: Object.freeze([1]) }) }', { a: { b: [1] } }],
  ])('%s', (_, text, value) => {
    const constants = `const host = 'x.y', base = { a: 1, b: { c: 2 } }, list = [1, 2], odd = { 'x y': 3 };`;
    expect(mainOf(`${constants} export const main = ${text}`)).toStrictEqual(value);
    expect(mainOf(`${constants} const x = ${text}; export { x as main }`)).toStrictEqual(value);
  });

  test('long chains of operators', () => {
    const text = Array.from({ length: 400 }, (_, index) => `'${index}'`).join(' + ');
    expect(mainOf(`export const main = { a: ${text} }`)).toEqual({ a: [...Array(400).keys()].join('') });
  });

  test('a default export', () => {
    const { read } = analyzeModule('export default { a: 1 }', { file: 'x' });
    expect(read('default')).toEqual({ status: 'read', value: { a: 1 } });
  });

  test('parts that are used twice are the same value', () => {
    const value = mainOf('const s = { a: 1 }; export const main = { x: s, y: [s] }') as { x: object; y: object[] };
    expect(value.x).toBe(value.y[0]);
  });

  test('each read returns the same value', () => {
    const reading = analyzeModule('export const main = { a: [] }', { file: 'x' });
    expect(reading.read('main')).toBe(reading.read('main'));
  });

  test('a key named __proto__ does not set a prototype', () => {
    const value = mainOf(
      `const __proto__ = 1, o = { __proto__ }; export const main = { ['__proto__']: { polluted: true }, copy: { ...o } }`,
    ) as { copy: object };
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value).toEqual({ polluted: true });
    expect(Object.getOwnPropertyDescriptor(value.copy, '__proto__')?.value).toBe(1);
    expect('polluted' in value).toBe(false);
  });

  test.each([
    ['a directive', `'use strict'; export const main = { a: 1 }`],
    ['functions', 'export const main = { a: 1 }; export function f() { main.a = 2 } const g = () => { delete main.a }'],
    ['handlers', 'export const main = { a: 1 }; export const handlers = () => { main.a = 2; return {} }'],
    [
      'what handlers keep',
      'export const main = { a: 1 }; const a = /x/g, b = new Set(["x"]), c = new Map(), d = main.a',
    ],
    [
      'code about something else',
      'const other = {}; other.main = 1; let n = 0; n += 1; class A {} const all = make(); export const main = { a: 1 }',
    ],
    [
      'names that hide it',
      'const f = (main) => { main.a = 1 }; f({}); { const main = {}; main.a = 2 } export const main = { a: 1 }',
    ],
  ])('beside %s', (_, text) => {
    expect(mainOf(text)).toEqual({ a: 1 });
  });
});

describe('values that have to be evaluated', () => {
  test.each([
    ['a global', 'export const main = { a: process.env.X }'],
    ['a call', 'const f = () => 1; export const main = { a: f() }'],
    ['a call of a built-in function', 'export const main = { a: Object.keys({}) }'],
    ['a method', `export const main = { a: ['x'].join() }`],
    ['another `Object`', 'const Object = { freeze: () => 1 }; export const main = { a: Object.freeze(2) }'],
    ['an operator', 'export const main = { a: 2 * 3 }'],
    ['a condition', 'export const main = { a: true ? 1 : 2 }'],
    ['an optional member', 'const o = {}; export const main = { a: o?.b }'],
    ['an import', `import { x } from 'y'; export const main = { x }`],
    ['a re-export', `export { main } from './other.mjs'`],
    ['await', 'export const main = { a: await 1 }'],
    ['an inherited member', 'export const main = { a: [].map }'],
    ['a member of undefined', 'export const main = { a: undefined.x }'],
    ['a tagged template', 'const t = (s) => s.raw; export const main = { a: t`x` }'],
    ['an assignment inside', 'let x; export const main = { a: (x = 1) }'],
    ['an object as text', 'export const main = { a: `${[1]}` }'],
    ['an object with a getter', 'const o = { get x() { return 1 } }; export const main = { ...o }'],
    ['a member with a getter', 'const o = { get x() { return 1 } }; export const main = { a: o.x }'],
    ['an array in an object', 'export const main = { ...[1] }'],
    ['text in an object', `export const main = { ...'ab' }`],
    ['what is taken apart', 'const { a } = { a: 1 }; export const main = { a }'],
    ['`let`', 'let a = 1; export const main = { a }'],
    ['`var`', 'var a = 1; export const main = { a }'],
    ['`using`', 'using a = null; export const main = { a }'],
    ['a constant that is used too early', 'export const main = { a }; const a = 1'],
    ['a constant that is made of itself', 'const a = { b: a }; export const main = { a }'],
    [
      'text that grows without end',
      `const a0 = 'xxxxxxxxxx';${doubling('`${$}${$}`', 40)} export const main = { a: a40 }`,
    ],
    [
      'arrays that grow without end',
      `const a0 = [1, 2];${doubling('[...$, ...$]', 40)} export const main = { a: a40 }`,
    ],
    ['very many constants of constants', `const a0 = [];${doubling('[$]', 3000)} export const main = { a: a3000 }`],
  ])('%s', (_, text) => {
    expect(read(text).status).toBe('needs-evaluation');
  });

  test.each([
    ['an assignment', 'main.a = 2'],
    ['an assignment deep inside', 'main.b.c[0] = 2'],
    ['delete', 'delete main.a'],
    ['a method', 'main.b.c.push(1)'],
    ['Object.assign', 'export default Object.assign(main, { a: 2 })'],
    ['a function that uses it', 'function f() { main.a = 2 } f()'],
    ['a function that is called by a built-in one', 'const f = () => { main.a = 2 }; const t = [1].map(f)'],
    ['a function that is given it', 'const f = (o) => { o.a = 2 }; f(main)'],
    ['another name', 'const t = main; t.a = 2'],
    ['a name behind a name', 'const t = { k: [main] }, u = t.k, v = u[0]; v.a = 2'],
    ['a loop', 'for (const x of [main]) x.a = 2'],
    ['a class', 'class T { static { main.a = 2 } }'],
    ['a constructor', 'class T { constructor() { main.a = 2 } } new T()'],
    ['a getter', 'const t = { get x() { main.a = 2 } }.x'],
    ['an object as a key', 'const t = { [{ toString() { main.a = 2 } }]: 1 }'],
    ['a timer', 'setTimeout(() => { main.a = 2 })'],
    ['a variable', 'let t = main'],
  ])('a value that may be changed by %s', (_, statement) => {
    expect(read(`export const main = { a: 1, b: { c: [] } }; ${statement}`).status).toBe('needs-evaluation');
    expect(
      read(
        `const base = { a: 1, b: { c: [] } }, box = { main: base }; ${statement.replaceAll('main', 'box.main')}; export const main = { base }`,
      ).status,
    ).toBe('needs-evaluation');
  });

  test('says why and where', () => {
    expect(read('export const main = {\n  a: Date.now()\n}')).toMatchObject({
      status: 'needs-evaluation',
      reason: 'it calls a function',
      line: 2,
      column: 6,
    });
  });
});

/** `a1` to `a<times>`, each made of the one before it. */
function doubling(form: string, times: number): string {
  return Array.from(
    { length: times },
    (_, index) =>
      `const a${index + 1} = ${form.replaceAll('$', (at, offset, whole) => (whole[offset + 1] === '{' ? at : `a${index}`))};`,
  ).join('');
}

describe('values that are not data', () => {
  test.each([
    ['a function', '() => 1', 'a function'],
    ['a method', '{ x() {} }', 'a function'],
    ['a getter', '{ get x() { return 1 } }', 'a getter or a setter'],
    ['a regular expression', '/x/', 'a regular expression'],
    ['a BigInt', '1n', 'a BigInt'],
    ['a class', 'class {}', 'a class'],
    ['a Set', 'new Set([1])', 'an instance made with `new`'],
    ['a date', 'new Date()', 'an instance made with `new`'],
    ['a lone surrogate', `'\\ud800'`, 'a lone surrogate'],
    ['a prototype', '{ __proto__: null }', 'an object whose `__proto__:` sets its prototype'],
    ['a quoted prototype', `{ '__proto__': {} }`, 'an object whose `__proto__:` sets its prototype'],
  ])('%s', (_, text, what) => {
    expect(read(`export const main = {\n tools: { x: [0, ${text}] } }`)).toMatchObject({
      status: 'invalid',
      findings: [
        {
          code: 'VAL006',
          severity: 'error',
          path: expect.stringMatching(/^main\.tools\.x\[1\]/),
          message: `main must be plain data: it contains ${what}`,
        },
      ],
    });
  });

  test('the finding has the path in the document', () => {
    expect(read('export const main = {\n tools: { x: [\n  () => 1] } }')).toMatchObject({
      findings: [{ path: 'main.tools.x[0]', line: 3, column: 3 }],
    });
  });

  test('shared parts that would be huge as text', () => {
    expect(read(`const a0 = ['ha'];${doubling('[$, $]', 40)} export const main = { a: a40 }`)).toMatchObject({
      findings: [{ message: expect.stringContaining('more than 400000 parts') }],
    });
  });

  test.each([
    'export const main = () => 1',
    'export function main() {}',
    'const f = function () {}; export { f as main }',
  ])('an exported function is named as such: %s', (text) => {
    expect(read(text)).toEqual({ status: 'function' });
  });
});

test('any JSON value is read as written', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      fc.pre(!JSON.stringify(value).includes('"__proto__":'));
      expect(mainOf(`export const main = ${JSON.stringify(value)}`)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
