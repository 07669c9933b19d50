// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are the text of modules

import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyzeModule } from '../module/analyze-module.ts';
import { exportedData } from './exported-data.ts';

/** `main` as we load it, and whether it came from the syntax tree. */
async function loaded(text: string): Promise<{ isRead: boolean; value: unknown } | undefined> {
  const reading = analyzeModule(text, { file: 'x.mjs' });
  const data = await exportedData(reading, 'main');
  return data.status === 'read' ? { isRead: reading.read('main').status === 'read', value: data.value } : undefined;
}

/** The value that the engine computes; undefined if the module throws or `main` is not data. */
async function imported(text: string): Promise<{ value: unknown } | undefined> {
  try {
    const { main } = await import(/* @vite-ignore */ `data:text/javascript;charset=utf-8,${encodeURIComponent(text)}`);
    return { value: plain(main) };
  } catch {
    return undefined;
  }
}

/** A copy with `undefined` where an array has holes. Throws for values that are not data. */
function plain(value: unknown): unknown {
  if (typeof value === 'string' && !value.isWellFormed()) throw new Error('a lone surrogate');
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') throw new Error('no data');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Array.from(value, plain);
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error('no plain object');
  const copy = {};
  for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (!('value' in descriptor) || !key.isWellFormed()) throw new Error('no data');
    Object.defineProperty(copy, key, {
      value: plain(descriptor.value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

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
  { weight: 1, arbitrary: fc.constantFrom('1n', '/x/', '() => 1', 'new Date(0)', "'\\ud83d'", 'class {}') },
);
const name = fc.constantFrom('c0', 'c1', 'c2', 'c3');
const key = fc.oneof(
  fc.constantFrom('a', 'b', 'length', "'x y'", '1', '0x10', "['__proto__']", '[1 + 1]', '[`k`]', '[c0]', 'constructor'),
  fc
    .string({ maxLength: 4 })
    .filter((text) => text !== '__proto__')
    .map((text) => JSON.stringify(text)),
);
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie('expression');
  const item = fc.oneof(
    { weight: 8, arbitrary: inner },
    { weight: 2, arbitrary: inner.map((text) => `...[${text}]`) },
    { weight: 1, arbitrary: name.map((text) => `...${text}`) },
    { weight: 1, arbitrary: fc.constant('') },
  );
  const property = fc.oneof(
    { weight: 20, arbitrary: fc.tuple(key, inner).map(([left, right]) => `${left}: ${right}`) },
    { weight: 3, arbitrary: inner.map((text) => `...{ s: ${text} }`) },
    { weight: 3, arbitrary: name },
    { weight: 2, arbitrary: name.map((text) => `...${text}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('get g() { return 1 }', 'm() {}', '__proto__: null', '...[1]', "...'ab'"),
    },
  );
  return {
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 6, arbitrary: leaf },
      { weight: 6, arbitrary: name },
      { weight: 6, arbitrary: fc.array(item, { maxLength: 4 }).map((items) => `[${items.join(',')}]`) },
      { weight: 8, arbitrary: fc.array(property, { maxLength: 4 }).map((parts) => `({${parts.join(',')}})`) },
      { weight: 4, arbitrary: fc.tuple(leaf, leaf).map(([a, b]) => `((${a}) + (${b}))`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom('!', '-', '+', '~', 'typeof ', 'void '), leaf)
          .map((parts) => `(${parts.join('(')}))`),
      },
      { weight: 4, arbitrary: fc.tuple(leaf, leaf).map(([a, b]) => `\`x\${${a}}y\${${b}}\``) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(
            fc.constantFrom('c0', 'c1', 'c2', 'c3', "'ab'", '[1, 2]', '{ a: [3] }'),
            fc.constantFrom('.a', '[1]', '.length', "['x y']", '.none'),
          )
          .map(([a, b]) => `(${a})${b}`),
      },
      { weight: 2, arbitrary: inner.map((text) => `Object.freeze(${text})`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            inner,
            fc.constantFrom(
              'String($)',
              '[$].map((x) => [x])',
              '($ ?? 1)',
              '(1 ? $ : 0)',
              'f0($)',
              '({ k: $ })?.k',
              'later',
              '`${$}`',
              '({ ...[$] })',
            ),
          )
          .map(([text, form]) => form.replace('$', () => text)),
      },
    ),
  };
});

const part = fc.constantFrom('main', 'main.all', 'main.object', 'shared', 'main.all[4]', 'alias');
const change = fc
  .tuple(
    part,
    fc.constantFrom(
      '$.x = 1;',
      'delete $.x; delete $[0];',
      'Object.assign($, { x: 2 });',
      'const t = $; t.y = 3;',
      'const t = { k: $ }.k; t.y = 3;',
      'const [t] = [$]; t.y = 4;',
      'const t = [$].map((y) => (y.x = 4));',
      'const t = touch($);',
      'touch({ k: $ }.k);',
      '[$].forEach(touch);',
      'const t = [$].map(touch);',
      'for (const y of [$]) y.x = 5;',
      '(() => { $.x = 6 })();',
      'class T { static { $.x = 7 } }',
      'class T { static t = ($.x = 8) }',
      'const T = class { static { $.x = 9 } };',
      'let t; t = $; t.x = 10;',
      'var t = $; { t.x = 11 }',
      'export default Object.assign($, { x: 12 });',
      'const t = { get t() { $.x = 13 } }.t;',
      'const t = `${{ toString() { $.x = 14; return "" } }}`;',
      'const t = { ...{ get t() { $.x = 15 } } };',
      'const t = [...{ [Symbol.iterator]() { $.x = 16; return [].values() } }];',
      'try { throw $ } catch (t) { t.x = 17 }',
      'if ($) $.x = 18;',
      '({ z: $.x } = { z: 19 });',
      'new Promise(() => { $.x = 20 });',
      'const t = { [{ toString() { $.x = 21; return "k" } }]: 1 };',
      'const t = { __proto__: { set s(v) { $.x = v } } }; t.s = 22;',
      'const t = new Set([$]), u = new Map([["k", $]]);',
    ),
  )
  .map(([at, form]) => form.replaceAll('$', at));
const harmless = fc.constantFrom(
  '',
  'export { main as again };',
  'export default main;',
  'const t = () => { main.x = 1 }; function u() { delete main.all }',
  'const t = main.all, u = [main, ...[shared]], v = { ...main };',
  'const t = new Set([1]), u = new Map([["k", main.all]]), v = /x/;',
  'class Unused { static x = 1 } let count = 0; count += 1;',
);
const moduleText = fc
  .tuple(
    fc.array(expression, { minLength: 4, maxLength: 4 }),
    expression,
    fc.oneof(change, harmless),
    fc.constantFrom('', '', '', 'let ', 'alias'),
  )
  .map(
    ([
      [a, b, c, d],
      object,
      after,
      odd,
    ]) => `const c0 = ${leafOnly(a ?? '')}; const c1 = [${b}]; const c2 = { v: ${c} }; const c3 = ${d};
const f0 = (x) => ({ x }); function touch(y) { if (y) y.x = 0; return y }
const shared = { deep: [1, , 2] }; ${odd === 'let ' ? 'let' : 'const'} alias = ${odd === 'alias' ? 'shared' : '{ own: 1 }'};
// All constants are used: a module fails to load even if unused code throws.
export const main = { object: { of: ${object} }, all: [c0, c1, c2, c3, shared, alias] };
${after}
const later = 1;`,
  );

/** The first constant is a key as well. */
function leafOnly(text: string): string {
  return /^["'\d-]/.test(text) ? text : "'k'";
}

test('main equals the value that the engine computes', { timeout: 120_000 }, async () => {
  let read = 0;
  let evaluated = 0;
  await fc.assert(
    fc.asyncProperty(moduleText, async (text) => {
      const [ours, real] = [await loaded(text), await imported(text)];
      if (ours === undefined) {
        expect(real, text).toBeUndefined();
        return;
      }
      if (ours.isRead) {
        deepStrictEqual(plain(ours.value), real?.value, text);
        read += 1;
      } else if (real !== undefined) {
        // What is evaluated comes back as JSON.
        deepStrictEqual(ours.value, JSON.parse(JSON.stringify(real.value)), text);
        evaluated += 1;
      }
    }),
    { numRuns: 400 },
  );
  // The property is only meaningful if both branches are taken often.
  expect(read).toBeGreaterThan(20);
  expect(evaluated).toBeGreaterThan(20);
});

test('changes by later statements are noticed', async () => {
  const text = "export const main = { root: 'https://a.example' };\nmain.root = 'https://b.example';";
  expect(analyzeModule(text, { file: 'x.mjs' }).read('main')).toMatchObject({
    status: 'needs-evaluation',
    reason: 'code of the module may change main',
    line: 2,
    column: 1,
  });
  expect(await loaded(text)).toEqual({ isRead: false, value: { root: 'https://b.example' } });
});
