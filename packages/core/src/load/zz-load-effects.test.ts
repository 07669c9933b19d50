// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are the text of modules
import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readModule } from './read-module.ts';

const statusOf = (text: string) => readModule(text, { file: 'x.mjs' }).read('main').status;

describe('code that may change a value while the module is loaded', () => {
  test.each([
    ['an assignment to a member', 'const o = {}; o.a = 1; export const main = { o }'],
    ['an assignment to main', 'export const main = { a: 1 }; main.a = 2'],
    ['an assignment deep inside', 'export const main = { a: { b: [1] } }; main.a.b[0] = 2'],
    ['an update', 'export const main = { a: 1 }; main.a++'],
    ['delete', 'export const main = { a: 1 }; delete main.a'],
    ['a reassigned variable', 'let a = 1; export const main = { a }; a = 2; export let main2 = a'],
    ['a variable that a loop assigns', 'let a; for (a of [1, 2]); export const main = { a }'],
    ['a method that changes the list', 'const l = []; l.push(1); export const main = { l }'],
    ['Object.assign', 'export const main = {}; Object.assign(main, { a: 1 })'],
    ['Object.defineProperty', 'export const main = {}; Object.defineProperty(main, "a", { value: 1 })'],
    ['Reflect.set', 'export const main = {}; Reflect.set(main, "a", 1)'],
    ['a function of the module', 'const l = []; function add() { l.push(1) } add(); export const main = { l }'],
    [
      'a function behind a function',
      'const l = []; const add = () => l.push(1); const run = () => add(); run(); export const main = { l }',
    ],
    ['a function that is handed the value', 'const f = (o) => { o.a = 1 }; export const main = {}; f(main)'],
    [
      'a function that is passed on',
      'const l = []; const add = () => l.push(1); [1].forEach(add); export const main = { l }',
    ],
    ['a function called in place', 'export const main = {}; (() => { main.a = 1 })()'],
    ['a callback', 'export const main = { l: [1] }; [1].forEach((x) => { main.l[0] = x })'],
    ['a callback of the value itself', 'export const main = { l: [{}] }; main.l.map((x) => (x.a = 1))'],
    ['a loop over parts', 'export const main = { l: [{}] }; for (const x of main.l) x.a = 1'],
    ['a loop over copied lists', 'export const main = { l: [{}] }; for (const x of [...main.l]) { x.a = 1 }'],
    ['another name', 'const a = { b: 1 }; const c = a; c.b = 2; export const main = { a }'],
    [
      'another name behind a name',
      'const a = { b: {} }; const c = { d: a }; const { d } = c; const e = d.b; e.x = 2; export const main = { a }',
    ],
    ['a later assigned name', 'let c; const a = { b: 1 }; c = a; c.b = 2; export const main = { a }'],
    ['a name taken from a list', 'const a = { b: 1 }; const [x] = [a]; x.b = 2; export const main = { a }'],
    ['a conditional name', 'const a = { b: 1 }; const c = null ?? a; c.b = 2; export const main = { a }'],
    [
      'a part kept in an object',
      'const a = { b: 1 }; const box = {}; box.a = a; box.a.b = 2; export const main = { a }',
    ],
    ['a class', 'const a = { b: 1 }; class X { static { a.b = 2 } } export const main = { a }'],
    ['a constructor', 'const a = { b: 1 }; class X { constructor(o) { o.b = 2 } } new X(a); export const main = { a }'],
    ['destructuring into it', 'export const main = { a: 1 }; [main.a] = [2]'],
    ['a loop into it', 'export const main = { a: 1 }; for (main.a of [2]);'],
    ['a tagged template', 'const t = (s, o) => { o.a = 1 }; export const main = {}; t`${main}`'],
    ['code in a block', 'export const main = { a: 1 }; { const o = main; if (o) { o.a = 2 } }'],
    ['code in try', 'export const main = { a: 1 }; try { main.a = 2 } catch {}'],
    ['a timer', 'export const main = { a: 1 }; setTimeout(() => { main.a = 2 })'],
    ['a patched built-in', 'Array.prototype.map = () => 1; export const main = { a: [1].map((x) => x) }'],
    ['a replaced built-in', 'Object.keys = () => 1; export const main = { a: Object.keys({}) }'],
    ['a built-in under another name', 'const O = Object; O.keys = () => 1; export const main = { a: Object.keys({}) }'],
    [
      'a called function that folding called too',
      'const l = []; const f = (on) => (on ? l.push(1) : 1); f(true); export const main = { l, a: f(false) }',
    ],
  ])('%s', (_, text) => {
    expect(statusOf(text)).toBe('needs-evaluation');
  });
});

describe('code that leaves values as they are', () => {
  test.each([
    [
      'handlers',
      'const cache = {}; export const main = { cache }; export const handlers = () => { cache.x = 1; main.y = 2; return {} }',
    ],
    [
      'a function that nothing calls',
      'const l = []; function add() { l.push(1) } export const main = { l }; export { add }',
    ],
    ['looking at it', 'export const main = { l: [1] }; if (main.l.length > 1) throw new Error(`${main}`)'],
    ['freezing it', 'export const main = Object.freeze({ a: 1 }); Object.freeze(main)'],
    ['logging it', 'export const main = { a: 1 }; console.log(main, main.a)'],
    [
      'copies for handlers',
      'const l = [{ a: 1 }]; const byName = new Map(l.map((x) => [x.a, x])); const names = new Set(l); export const main = { l }',
    ],
    [
      'changing something else',
      'const other = {}; other.main = 1; const l = []; l.push(2); export const main = { a: 1 }',
    ],
    ['a parameter of the same name', 'const f = (main) => { main.a = 1 }; f({}); export const main = { a: 1 }'],
    ['an inner name that hides it', 'export const main = { a: 1 }; { const main = {}; main.a = 2 }'],
    ['assignments to other names', 'let n = 0; n += 1; export const main = { a: 1 }'],
    [
      'reading built-ins',
      'const has = Object.prototype.hasOwnProperty; const l = [1].map(String); export const main = { a: Object.keys({ b: 1 }) }',
    ],
    [
      'copying parts of primitives',
      'const name = "x"; const url = new URL("https://" + name); url.pathname = "/y"; export const main = { name }',
    ],
  ])('%s', (_, text) => {
    expect(statusOf(text)).toBe('read');
  });
});

/** Statements that give parts of `base` further names, hand them around and change them, in any order. */
const part = fc.constantFrom('base', 'base.a', 'base.list', 'base.list[0]', 'alias0', 'alias1', 'alias0?.a', 'other');
const handedOn = fc
  .tuple(
    part,
    fc.constantFrom(
      '$',
      '{ ...$ }',
      '[$][0]',
      '({ k: $ }).k',
      '$ ?? other',
      'true && $',
      '(0, $)',
      'Object.freeze($)',
      'Object.values({ k: $ })[0]',
      '[$].map((x) => x)[0]',
      '[$].find((x) => true)',
      'same($)',
      'same({ k: $ }).k',
      '((x) => x)($)',
    ),
  )
  .map(([name, form]) => form.replace('$', name));
const change = fc
  .tuple(
    handedOn,
    fc.constantFrom(
      '($).x = 1',
      'delete ($)?.x',
      'Object.assign($ ?? {}, { x: 2 })',
      'touch($)',
      '[$].forEach((y) => { y.x = 3 })',
      '[$].map((y) => (y.x = 4))',
      'for (const y of [$]) y.x = 5',
      '(() => { ($).x = 6 })()',
      '($)?.push?.(7)',
      '[($).x] = [8]',
      'touchBase()',
      'new Touch($)',
      'Reflect.set(Object($), "x", 9)',
      'tag`${$}`',
      '({ z: ($).x } = { z: 10 })',
      'if (other) { const { a } = $; a.x = 11 }',
      'Object.entries($).forEach(([, y]) => { y.x = 12 })',
      'box.kept = $; box.kept.x = 13',
    ),
  )
  .map(([name, form]) => form.replace('$', name));
const harmless = fc
  .tuple(
    part,
    fc.constantFrom(
      'new Set([$])',
      'Object.keys(Object($))',
      'console.debug',
      '[$].map((x) => typeof x)',
      'JSON.stringify($)',
      'typeof $',
      '`${typeof $}`',
      '[$].includes(1)',
      'new Map([[$, 1]])',
      'const f = () => { touch($) }',
    ),
  )
  .map(([name, form]) => form.replace('$', name));
const statement = fc.oneof(
  { weight: 3, arbitrary: change.map((text) => `try { ${text} } catch {}`) },
  { weight: 3, arbitrary: harmless.map((text) => `{ ${text} }`) },
);
const program = fc
  .tuple(handedOn, handedOn, fc.array(statement, { maxLength: 2 }), fc.boolean())
  .map(([first, second, statements, isLast]) => {
    const main = 'export const main = { base, same: base.list };';
    return `const other = { x: 0 }, box = {};
const base = { a: { x: 0 }, list: [{ x: 0 }] };
function same(x) { return x } function touch(o) { if (o) o.x = 20 } const touchBase = () => { base.a.x = 21 }; class Touch { constructor(o) { o.x = 22 } } const tag = (_, o) => { o.x = 23 };
let alias0, alias1;
try { alias0 = ${first}; alias1 = ${second} } catch {}
${isLast ? '' : main}
${statements.join('\n')}
${isLast ? main : ''}`;
  });

test('no change is overlooked', { timeout: 500_000 }, async () => {
  let read = 0;
  await fc.assert(
    fc.asyncProperty(program, async (text) => {
      const reading = readModule(text, { file: 'x.mjs' }).read('main');
      if (reading.status !== 'read') return;
      read += 1;
      const { main } = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(text)}`);
      deepStrictEqual(reading.value, main, text);
    }),
    { numRuns: 30000 },
  );
  expect(read).toBeGreaterThan(100);
});
