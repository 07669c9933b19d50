import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AnyNode } from 'acorn';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DataLiteral } from './data-literal.ts';
import { type ParsedModule, parseModule, type TextRange } from './parse-module.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** Every module file of the repository that people wrote: schemas, lists, agents, fixtures, scripts. */
const written = globSync(['catalog/**/*.mjs', 'examples/**/*.mjs', 'packages/*/src/**/*.mjs', 'tests/**/*.mjs'], {
  cwd: repository,
  exclude: ['**/node_modules/**', '**/dist/**'],
}).map((file) => ({ file, text: readFileSync(`${repository}${file}`, 'utf8') }));

/** Small modules with the forms that literals of data have, and others that look like them. */
const small: readonly string[] = [
  "export const main = { a: 1, 'b c': [true, -2.5e3, null], \"d\": `x\ny`, e: { f: '\\n\\'' }, };\n",
  "// one 'two'\nexport const main = { a: /* { */ 'x', // }\n  list: LIST, b: [A, 0,] };\nexport const handlers = () => ({ a: 1 });\n",
  "const LIST = ['x'];\nexport const main = { a: LIST, b: { c: 'it\\'s', d: \"\\\\\" } }, other = [1, 2];\nexport { LIST };\n",
  'export const main = {\r\n  a: { type: "object", properties: { b: { type: "string" }, c: {} } },\r\n  in: [], get: 1\r\n}\r\nfoo()',
  "export const main = { __proto__: { a: 1 }, b: { '__proto__': 2 }, c: 'd' };\n",
  'export const main = { a: `x\r\ny`, b: { c: 1 } };\n',
  'export const main = { a: [1] }\nin x;\n',
  "export const schema = { namespace: 'x', tools: { getX: { path: '/a/{{b}}', tests: [{ _description: 'a' }] } } }; // end",
];

/** What is put in, and what takes the place of something: single characters that mean something, and whole forms. */
const pieces: readonly string[] = [
  ...`{}[]()<>,;:.'"\`\\/*+-!=?&|#@$_0189aenux \n\r\t\v\f\0`,
  ...[
    '\u00a0',
    '\u2028',
    '\u2029',
    '\ufeff',
    '\ud800',
    '\udc00',
    'é',
    '\u{1f600}',
    '\\u0041',
    '\\x41',
    '\\0',
    '\\8',
    '\\\n',
  ],
  ...[
    '${',
    '//',
    '/*',
    '*/',
    '<!--',
    '-->',
    '#!',
    '...',
    '=>',
    '?.',
    '??',
    '**',
    '0x1',
    '0b1',
    '01',
    '1n',
    '1_0',
    '.5',
    '5.',
    '1e5',
  ],
  ...[
    'a',
    'A',
    'a: 1,',
    "'a': 1,",
    '__proto__',
    '__proto__: 1,',
    "'__proto__': 1,",
    '1: 2,',
    '[a]: 1,',
    'a,',
    'a() {},',
    'get a() {},',
  ],
  ...[
    'async a() {},',
    'true',
    'null',
    'undefined',
    'NaN',
    'this',
    'new ',
    'await ',
    'yield ',
    'let ',
    'static ',
    'in ',
    'as ',
  ],
  ...[
    'typeof ',
    'void ',
    'function () {}',
    'class {}',
    '/x/g',
    '`a`',
    "'use strict'",
    'import ',
    'export ',
    'main',
    'eval',
    'arguments',
  ],
];

const change = fc.record({
  place: fc.nat({ max: 20_000 }),
  length: fc.constantFrom(0, 0, 1, 1, 2, 7),
  piece: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...pieces) }, fc.constant('')),
});

function changed(text: string, changes: readonly { place: number; length: number; piece: string }[]): string {
  return changes.reduce((before, { place, length, piece }) => {
    const start = place % (before.length + 1);
    return before.slice(0, start) + piece + before.slice(start + length);
  }, text);
}

type Parsed = Extract<ParsedModule, { status: 'parsed' }>;

/**
 * Parses a text with and without the reader of literals; both must give the same in every respect. Tells how many literals
 * were read.
 */
function expectSame(text: string): number {
  const quick = parseModule(text, { literals: 'read' });
  const slow = parseModule(text, { literals: 'parse' });
  if (quick.status === 'failed' || slow.status === 'failed') {
    expect(quick).toEqual(slow);
    return 0;
  }
  const read = [...quick.literals.keys()];
  expect(outline(quick, read)).toEqual(outline(slow, read));
  const trees = new Map(initialisers(slow.program).map((node) => [node.start, node]));
  for (const [node, literal] of quick.literals) {
    const tree = trees.get(node.start);
    if (tree === undefined) throw new Error(`there is no value at ${node.start}`);
    expect([node.end, literal.end]).toEqual([tree.end, tree.end]);
    expectLiteral(literal, tree);
  }
  return quick.literals.size;
}

/** Everything but what is in the literals that were read: their insides are compared one by one. */
function outline({ program, comments }: Parsed, read: readonly TextRange[]): unknown {
  return {
    program: JSON.stringify(program, (_, value) => {
      if (typeof value === 'bigint') return `${value}n`;
      return isObjectNode(value) && isOneOf(value, read) ? 'read' : value;
    }),
    comments: comments.filter(({ start }) => !read.some((range) => range.start < start && start < range.end)),
  };
}

function isOneOf({ start, end }: TextRange, ranges: readonly TextRange[]): boolean {
  return ranges.some((range) => range.start === start && range.end === end);
}

function isObjectNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'ObjectExpression';
}

function initialisers({ body }: { body: readonly AnyNode[] }): AnyNode[] {
  return body.flatMap((statement) => {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration') return [];
    return declaration.declarations.flatMap(({ init }) => init ?? []);
  });
}

function expectLiteral(literal: DataLiteral, tree: AnyNode): void {
  const found: Found = { names: [], places: [], nexts: [] };
  expect(literal.value).toEqual(dataOf(tree, found));
  expect(literal.names.map(({ key, node: { name, start, end } }) => ({ key, name, start, end }))).toEqual(found.names);
  expect([literal.places, literal.nexts]).toEqual([found.places, found.nexts]);
}

interface Found {
  names: { key: string | number; name: string; start: number; end: number }[];
  places: number[];
  nexts: number[];
}

/** The data of a tree. Whatever is no plain literal must have been left to the parser. */
function dataOf(node: AnyNode, found: Found, key: string | number = ''): unknown {
  switch (node.type) {
    case 'ObjectExpression': {
      const entries = node.properties.map((property): [string, unknown] => {
        if (property.type !== 'Property' || property.kind !== 'init') throw new Error('this is no plain property');
        if (property.method || property.shorthand || property.computed) throw new Error('this is no plain property');
        const name = property.key.type === 'Identifier' ? property.key.name : stringOf(property.key);
        if (name === '__proto__') throw new Error('this sets a prototype');
        return [name, within(property.start, () => dataOf(property.value, found, name), found)];
      });
      expect(new Set(entries.map(([name]) => name)).size).toBe(entries.length);
      return Object.fromEntries(entries);
    }
    case 'ArrayExpression':
      return node.elements.map((element, index) => {
        if (element === null) throw new Error('this is a hole');
        return within(element.start, () => dataOf(element, found, index), found);
      });
    case 'Literal':
      if (node.regex || node.bigint !== undefined) throw new Error('this is no data');
      return node.value;
    case 'TemplateLiteral':
      expect(node.expressions).toEqual([]);
      return node.quasis[0]?.value.cooked;
    case 'UnaryExpression':
      expect([node.operator, node.argument.type]).toEqual(['-', 'Literal']);
      return -Number(dataOf(node.argument, found));
    case 'Identifier':
      found.names.push({ key, name: node.name, start: node.start, end: node.end });
      return null;
    default:
      throw new Error(`${node.type} is no data`);
  }
}

function within(start: number, read: () => unknown, found: Found): unknown {
  const index = found.places.push(start) - 1;
  const value = read();
  found.nexts[index] = found.places.length;
  return value;
}

function stringOf(node: AnyNode): string {
  if (node.type !== 'Literal' || typeof node.value !== 'string') throw new Error('this is no text');
  return node.value;
}

test('modules that people wrote are read as they are parsed', () => {
  expect(written.length).toBeGreaterThan(20);
  const read = [...written.map(({ text }) => text), ...small].map(expectSame);
  expect(read.filter((count) => count > 0).length).toBeGreaterThan(10);
});

test('what is changed in a small module is read as it is parsed, or left to the parser', () => {
  let reads = 0;
  fc.assert(
    fc.property(fc.constantFrom(...small), fc.array(change, { minLength: 1, maxLength: 2 }), (text, changes) => {
      reads += expectSame(changed(text, changes));
    }),
    { numRuns: 2000 },
  );
  // The property says nothing unless a good part is still read; about 200 are.
  expect(reads).toBeGreaterThan(100);
});

test('what is changed in a module that people wrote is read as it is parsed, or left to the parser', () => {
  const texts = written.filter(({ text }) => text.length < 20_000).map(({ text }) => text);
  fc.assert(
    fc.property(fc.constantFrom(...texts), change, (text, one) => {
      expectSame(changed(text, [one]));
    }),
    { numRuns: 300 },
  );
});
