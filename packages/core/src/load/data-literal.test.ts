import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { childPath } from '../format/finding.ts';
import { dataLiteralReader } from './data-literal.ts';
import { readModule } from './read-module.ts';

const file = 'x.mjs';

function data(text: string): unknown {
  return dataLiteralReader(text)(0)?.value;
}

/** The same module, with a use of `main` that makes the general parser read it. */
function withTree(text: string): string {
  return `${text}\nexport const use = () => main;`;
}

describe('literals that are read as data', () => {
  test.each<[string, string, unknown]>([
    ['nothing', '{}', {}],
    ['keys bare and quoted', `{ a: 1, 'b c': 2, "d": 3, $e_1: 4 }`, { a: 1, 'b c': 2, d: 3, $e_1: 4 }],
    [
      'keys that are words of the language',
      '{ default: 1, in: 2, null: 3, get: 4 }',
      { default: 1, in: 2, null: 3, get: 4 },
    ],
    [
      'values of all kinds',
      `[true, false, null, -1.5e3, 0, 'a', "b", \`c\`]`,
      [true, false, null, -1500, 0, 'a', 'b', 'c'],
    ],
    ['trailing commas', '{ a: [1, 2,], }', { a: [1, 2] }],
    ['comments', '{ // one\n a /* two */ : /* } */ 1, /* three */ }', { a: 1 }],
    ['usual escapes', String.raw`['it\'s', "\"", '\\d\n\t', 'a\\']`, ["it's", '"', '\\d\n\t', 'a\\']],
    ['a key with an escape', String.raw`{ 'it\'s': 1 }`, { "it's": 1 }],
    ['text over several lines', '[`a\nb`]', ['a\nb']],
    ['names of inherited members', "{ constructor: 1, toString: 'x' }", { constructor: 1, toString: 'x' }],
  ])('%s', (_, text, value) => {
    expect(data(text)).toEqual(value);
  });

  test('names are told with their place', () => {
    const text = '{ a: BASE, b: [LIMIT] }';
    const names = dataLiteralReader(text)(0)?.names.map(({ key, node }) => [key, node.name, node.start]);
    expect(names).toEqual([
      ['a', 'BASE', 5],
      [0, 'LIMIT', 15],
    ]);
  });

  test.each([
    ['a number that goes on', '[1n]'],
    ['an octal number', '[010]'],
    ['a number with separators', '[1_000]'],
    ['a text over two lines', "['a\nb']"],
    ['a template with a value', '[`a${b}`]'],
    ['an escape that is rare', String.raw`['\u0041']`],
    ['a hole', '[1,,2]'],
    ['a spread', '{ ...a }'],
    ['a method', '{ a() {} }'],
    ['a getter', '{ get a() { return 1 } }'],
    ['a computed key', '{ [a]: 1 }'],
    ['a shorthand', '{ a }'],
    ['a number as key', '{ 1: 2 }'],
    ['the same key twice', '{ a: 1, a: 2 }'],
    ['a prototype', '{ __proto__: {} }'],
    ['a call', '{ a: f() }'],
    ['a member', '{ a: b.c }'],
    ['an operator', '{ a: 1 + 1 }'],
    ['this', '{ a: this }'],
    ['a comment that ends at a line separator', '{ a: 1 // x\u2028, b: 2 }'],
    ['a number as quoted key', "{ a: 1, '1': 2 }"],
    ['no end', '{ a: 1'],
    ['no comma', '{ a: 1 b: 2 }'],
    ['deep nesting', '['.repeat(100) + ']'.repeat(100)],
  ])('%s is left to the general parser', (_, text) => {
    expect(data(text)).toBeUndefined();
  });

  test.each(['.a', '[0]', '()', '`x`', ' + 1', ' in x', '\nin x', '\n/x/g', '\n[0]', ' ? 1 : 2', ' x', '}'])(
    'what goes on with %j is no literal',
    (rest) => {
      expect(data(`{ a: 1 }${rest}`)).toBeUndefined();
    },
  );

  test.each(['', ';', ', b = 1', '\nexport const x = 1', '  // done\n\nfoo()', ' /* done */ ;'])(
    'an expression ends before %j',
    (rest) => {
      expect(data(`{ a: 1 }${rest}`)).toEqual({ a: 1 });
    },
  );
});

const space = fc.constantFrom('', ' ', '\n  ', ' /* } */ ', ' // [\n', '\t', '\r\n');
const quoted = fc
  .tuple(fc.string({ maxLength: 12 }), fc.constantFrom("'", '"'))
  .map(
    ([text, quote]) =>
      quote + JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll(quote, `\\${quote}`) + quote,
  );
const scalar = fc.oneof(
  { weight: 4, arbitrary: quoted },
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? '-0' : String(value))),
  fc.constantFrom(
    'true',
    'false',
    'null',
    'BASE',
    'LIST',
    '-1',
    '0',
    '1e3',
    '`x\ny`',
    '`a${BASE}`',
    '0x1F',
    "'\\u0041'",
  ),
);
const key = fc.oneof(
  { weight: 8, arbitrary: fc.stringMatching(/^[A-Za-z_$][\w$]{0,4}$/) },
  fc.constantFrom("'a b'", '"c-d"', 'constructor', 'toString', '10', "'10'", "'__proto__'", "'it\\'s'"),
);
const { literal } = fc.letrec<{ value: string; literal: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, tie('literal')),
  literal: fc.oneof(
    fc
      .array(fc.tuple(space, key, space, tie('value'), space), { maxLength: 5 })
      .map((parts) => `{${parts.map(([a, name, b, text, c]) => `${a}${name}${b}:${b}${text}${c}`).join(',')}}`),
    fc
      .array(fc.tuple(space, tie('value')), { maxLength: 5 })
      .map((parts) => `[${parts.map(([a, text]) => a + text).join(',')}${parts.length > 2 ? ',' : ''}]`),
  ),
}));

function* paths(value: unknown, path: string): Generator<string> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    yield* paths(inner, Array.isArray(value) ? `${path}[${name}]` : childPath(path, name));
  }
}

test('values, places and findings are those of the tree', () => {
  let reads = 0;
  fc.assert(
    fc.property(literal, fc.constantFrom('', ';', ' // end'), (text, end) => {
      const before = "const BASE = 'https://a.b', LIST = [{ x: 1 }, 'y'];\nexport const main = ";
      const module = `${before}${text}${end}`;
      if (dataLiteralReader(module)(before.length)) reads += 1;
      const quick = readModule(module, { file });
      const slow = readModule(withTree(module), { file });
      const read = quick.read('main');
      expect(read).toEqual(slow.read('main'));
      expect(quick.findings).toEqual(slow.findings);
      if (read.status !== 'read') return;
      for (const path of paths(read.value, 'main'))
        expect([path, quick.locate(path)]).toEqual([path, slow.locate(path)]);
    }),
    { numRuns: 500 },
  );
  // The property says nothing unless a good part is read as data.
  expect(reads).toBeGreaterThan(100);
});

test('what a module does with a literal is seen', () => {
  const reading = readModule('export const main = { a: [1] };\nmain.a.push(2);', { file });
  expect(reading.read('main').status).toBe('needs-evaluation');
});

test('handlers that use main get it with its text', () => {
  const text =
    "export const main = { root: 'x' /* import( */ };\nexport const handlers = () => ({ a: { preRequest: () => main.root } });";
  expect(readModule(text, { file }).handlers?.source).toContain("main = { root: 'x' ");
  expect(readModule(text, { file }).handlers?.source).not.toContain('import(');
});
