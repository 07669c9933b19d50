// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are the text of modules

import { deepStrictEqual } from 'node:assert';
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyzeModule } from './analyze-module.ts';
import { isRefused } from './escape-refused-text.ts';

const sourceOf = (text: string) => analyzeModule(text, { file: 'x.mjs' }).handlers?.source() ?? '';
const run = (source: string): (() => unknown) => new Function(`'use strict';${source}\n;return handlers;`)();
const imported = async (text: string): Promise<() => unknown> =>
  (await import(/* @vite-ignore */ `data:text/javascript;charset=utf-8,${encodeURIComponent(text)}`)).handlers;

describe('code that handlers reach', () => {
  test('everything else becomes spaces, and lines stay', () => {
    const text = `#!/usr/bin/env node
const a = 1 // kept
const unused = 2
/* a comment
   of two lines */
export const main = { a }
function helper() { return a }
export const handlers = () => helper() /* at the end */
`;
    expect(
      sourceOf(text)
        .split('\n')
        .map((line) => line.trimEnd()),
    ).toEqual([
      '',
      'const a = 1',
      ';',
      '',
      '',
      ';',
      'function helper() { return a }',
      '       const handlers = () => helper()',
      '',
    ]);
  });

  test.each([
    [
      'through several names',
      'const a = 1; const b = () => a; const { c } = { c: b }; export const handlers = () => c()',
      1,
    ],
    ['hoisted functions', 'export const handlers = () => late(); function late() { return value } const value = 2', 2],
    ['main itself', 'export const main = { a: 3 }; export const handlers = () => main.a', 3],
    ['a name that is hidden inside', 'const a = 1; export const handlers = () => { const a = 4; return a }', 4],
    ['classes', 'class A { static x = 5 } class B extends A {} export const handlers = () => B.x', 5],
    [
      'code that fills what they use',
      'const l = []; const add = (x) => l.push(x); add(6); for (const x of [7]) add(x); export const handlers = () => l.join()',
      '6,7',
    ],
    [
      'declarations that fill what they use',
      'const m = new Map(); const _ = m.set(1, 8); export const handlers = () => m.get(1)',
      8,
    ],
    ['variables that are assigned', 'let a; a = 9; export const handlers = () => a', 9],
    ['repeated variables', 'var a = 1; var a = 10; export const handlers = () => a', 10],
    [
      'statements without semicolons',
      'const a = 11\nconst gone = 1\n;[1].forEach(() => a)\nconst b = a\nconst alsoGone = 2\n;(() => b)()\nexport const handlers = () => b',
      11,
    ],
    ['a function declaration', 'export function handlers() { return 12 }', 12],
    ['another local name', 'const h = () => 13; export { h as handlers }', 13],
    [
      'a local name that is also used elsewhere',
      'const handlers = 1; const h = () => 14 + handlers; export { h as handlers }',
      15,
    ],
    ['a default export', 'const a = 16; export default () => a', 16],
    ['a default function', 'export default function () { return 17 }', 17],
    ['a default function with a name', 'export default function make() { return make.length + 18 }', 18],
    ['a default name', 'const f = () => 19; export default f', 19],
    ['one of several names', 'export const x = 1, handlers = () => x + 19, y = 2', 20],
    ['a taken apart name', 'const all = { handlers: () => 21 }; export const { handlers } = all', 21],
    ['a Windows file', '// x\r\nconst a = 22\r\n/* y\r\n*/\r\nexport const handlers = () => a\r\n', 22],
    ['a byte order mark', '\uFEFFexport const handlers = () => 23', 23],
  ])('%s', async (_, text, expected) => {
    const source = sourceOf(text);
    expect(run(source)()).toEqual(expected);
    expect(source.split('\n').length - (/\n;const handlers|\nreturn/.test(source) ? 1 : 0)).toBe(
      text.split('\n').length,
    );
    if (text.includes('handlers')) expect((await imported(text))()).toEqual(expected);
  });

  test('the rest of the module is not in it', () => {
    const source = sourceOf(
      `const secret = 'abc'; export const main = { secret }; console.log(main); throw 1; export const handlers = () => ({})`,
    );
    expect(source).not.toContain('abc');
    expect(source).not.toContain('console');
  });

  test('any export can be extracted', () => {
    const { program } = analyzeModule(
      'const a = [1]; export const main = { a: make(a) }; function make(x) { return x } export const handlers = () => ({})',
      { file: 'x' },
    );
    expect(new Function(`${program('main')}; return main`)()).toEqual({ a: [1] });
    expect(program('main')).not.toContain('handlers');
    expect(program('none')).toBeUndefined();
  });
});

test.each([
  ['in what handlers use', 'const key = await Promise.resolve(1); export const handlers = () => ({ a: key })', true],
  [
    'in a loop that handlers need',
    'const o = {}; for await (const x of [1]) o.x = x; export const handlers = () => o',
    true,
  ],
  ['in what they do not use', 'const key = await Promise.resolve(1); export const handlers = () => ({})', false],
  ['inside of a function', 'export const handlers = () => ({ a: async () => await 1 })', false],
])('await %s', (_, text, isRefused) => {
  const { findings } = analyzeModule(text, { file: 'x' });
  const hint = 'Await inside the hook that needs the value.';
  expect(findings).toMatchObject(isRefused ? [{ code: 'SEC024', severity: 'error', line: 1, hint }] : []);
});

describe('import() of libraries', () => {
  test('becomes a call of the host', async () => {
    const source = sourceOf(`export const handlers = async () => { const { x } = await import(
      'node:crypto'
    ); return x }`);
    expect(source.split('\n')).toHaveLength(3);
    const handlers = new Function('__schemakitImport', `${source}; return handlers`)(async (name: string) => ({
      x: name,
    }));
    expect(await handlers()).toBe('crypto');
  });
});

describe('text that SES refuses', () => {
  test.each([
    ['operators', 'let x = 3, n = 0; while (x-->0) n++; return [n, x-->-5, x--> 1]'],
    [
      'methods',
      'const o = { import(a) { return a }, eval (b) { return b }, get import2() { return 1 } }; return [o.import(1), o. import (2), o?.eval(3), o\n.eval(4)]',
    ],
    [
      'classes',
      'class A { import(x) { return x } static eval(x) { return x } #import(x) { return x } y(x) { return this.#import (x) } } return [new A().import(1), A.eval(2), new A().y(3)]',
    ],
    ['keys', `return { 'import(': 1, "<!--": 2, import : 3, eval : 4, ['-->']: 5 }`],
    [
      'strings',
      `return ['import(x)', "a import /* b", 'im\\u0070ort(', '<!-- x -->', '--->', '<!-->', 'eval (1)', '\\import(', '\\eval(']`,
    ],
    ['templates', 'const x = 1; return [`import(${x})`, `<!-- ${`-->`} -->`, `\\import(`, `eval(`]'],
    ['raw templates', 'return String.raw`\\d import(x) <!-- --> eval(1) ${1}`'],
    [
      'regular expressions',
      `return [/import(x)?/.source.length, /<!--(.*)-->/s.exec('a<!--x-->')[1], 'x<!-->'.replace(/[<!--]|[-->]/g, '#'), /(?<!--)>/.test('-->'), /\\import(y)/.test('importy'), /(?<=-->)b/u.test('-->b'), /^eval (x)/.test('eval x'), /import/*2]`,
    ],
    [
      'comments',
      `/* import( */ // <!-- eval(
      return 1 /* --> */ + /*import(*/ 1`,
    ],
    ['comments between tokens', 'const o = { import: (x) => x }; return o.import/* c */(1)'],
  ])('%s', async (_, code) => {
    const text = `export const handlers = () => { ${code} }`;
    const source = sourceOf(text);
    expect(isRefused(source), source).toBe(false);
    const [ours, theirs] = [run(source)(), (await imported(text))()];
    if (code.includes('/import(x)?/'))
      return expect(JSON.stringify(ours).replace(/^\[\d+/, '')).toBe(JSON.stringify(theirs).replace(/^\[\d+/, ''));
    return deepStrictEqual(ours, theirs);
  });

  test('in tagged templates it is reported, since the tag sees the raw text', () => {
    const { findings } = analyzeModule('const t = (s) => s.raw[0]; export const handlers = () => t`import(1)`', {
      file: 'x',
    });
    expect(findings).toMatchObject([{ code: 'SEC023', severity: 'warning', line: 1 }]);
  });

  const pieces = fc.constantFrom(
    'import(',
    'import (',
    'import/*',
    '<!--',
    '-->',
    '--',
    '>',
    '<!',
    'eval(',
    'eval (',
    ' ',
    '.',
    '...',
    '\\',
    "'",
    '"',
    '`',
    '$',
    '{',
    'x',
    '\n',
    '\u2028',
    '(',
    ')',
    '[',
    '?',
    'é',
    '\u{1F600}',
  );
  const texts = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));
  const literal = fc.oneof(
    texts.map((text) => JSON.stringify(text)),
    texts.map((text) => `'${text.replace(/[\\'\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`))}'`),
    texts.map((text) => `\`${text.replace(/[\\`$]/g, '\\$&')}\``),
    texts.map((text) => `String.raw\`${text.replace(/[\\`$]/g, '')}\``),
    fc.tuple(texts, texts).map(([a, b]) => `\`${a.replace(/[\\`$]/g, '\\$&')}\${${JSON.stringify(b)}}\``),
    texts.map((text) => `{ ${JSON.stringify(text)}: 1, ['k' + ${JSON.stringify(text)}]: 2 }`),
    texts
      .map((text) => text.replace(/[\n\u2028\\/]/g, ''))
      .filter(isPattern)
      .map(
        (text) =>
          `[/x${text}/, 'x${text.replace(/['\\]/g, '')}'].map((p, i, all) => i === 0 ? all[0].test(all[1]) : p)`,
      ),
    texts.map((text) => `(1 /* ${text.replaceAll('*/', '')} */ + 1) // ${text.replace(/[\n\u2028]/g, ' ')}\n`),
    fc.constantFrom(
      '(() => { let i = 2; let n = 0; while (i-->0) n++; return n })()',
      '({ import(x) { return x } }).import(1)',
      '({ eval(x) { return x } }).eval(1)',
    ),
  );
  const modules = fc
    .array(literal, { minLength: 1, maxLength: 5 })
    .map(
      (literals) =>
        `/* -->*/ const shared = [${literals.join(', ')}]\nexport const handlers = () => [shared, ${literals.join(', ')}]`,
    );

  test('rewritten literals have the same values', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(modules, async (text) => {
        const source = sourceOf(text);
        expect(isRefused(source), source).toBe(false);
        deepStrictEqual(run(source)(), (await imported(text))(), source);
      }),
      { numRuns: 1000 },
    );
  });

  test('SES accepts the programs', () => {
    const texts = fc.sample(modules, 200);
    const script = `import 'ses'; lockdown({ errorTaming: 'unsafe', consoleTaming: 'unsafe' });
      const answers = JSON.parse(process.env.SOURCES).map((source) => JSON.stringify(new Compartment({ globals: {}, __options__: true }).evaluate(source + '\\n;handlers')()));
      process.stdout.write(JSON.stringify(answers));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: import.meta.dirname,
      env: { SOURCES: JSON.stringify(texts.map(sourceOf)) },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(texts.map((text) => JSON.stringify(run(sourceOf(text))())));
  });
});

function isPattern(text: string): boolean {
  try {
    new RegExp(`x${text}`);
    return !text.startsWith('*');
  } catch {
    // The generator makes many invalid patterns.
    return false;
  }
}
