// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are the text of modules

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyzeModule, type ModuleAnalysis } from './analyze-module.ts';

const sample = `// A schema
const LIMITS = { max: 100 }
const shared = { type: 'string' }

export const main = {
    namespace: 'weather',
    root: \`https://api.example.com/\${LIMITS.max}\`,
    tools: {
        getX: {
            method: 'GET',
            parameters: [
                { position: { key: 'a' }, z: { primitive: 'string()', options: [] } },
                { position: { key: 'b' }, ...{ z: shared } },
            ],
            'odd key': { ...shared, deep: [1, 2] },
        },
    },
    frozen: Object.freeze({ inner: 1 }),
    list: [...[1, 2], 3],
}

export const handlers = ({ sharedLists }) => {
    const known = new Set(sharedLists.x)
    return { getX: { preRequest: async ({ struct }) => ({ struct }), postRequest: null } }
}
`;

/** Calls every method of an analysis. */
function exercise(reading: ModuleAnalysis): void {
  for (const name of [...reading.exports, 'main', 'handlers', 'none', '__proto__', 'constructor']) {
    reading.read(name);
    reading.program(name);
    reading.locate(`${name}.tools.getX.parameters[0].z`);
  }
  for (const finding of reading.findings) {
    expect(finding.line).toBeGreaterThan(0);
    expect(finding.column).toBeGreaterThan(0);
  }
}

describe('reading a schema', () => {
  const reading = analyzeModule(Buffer.from(sample), { file: 'weather.mjs' });

  test('names its exports', () => {
    expect(reading.exports).toEqual(['main', 'handlers']);
    expect(reading.findings).toEqual([]);
  });

  test('returns main without running anything', () => {
    expect(reading.read('main')).toMatchObject({
      status: 'read',
      value: { root: 'https://api.example.com/100', list: [1, 2, 3] },
    });
    expect(reading.read('handlers')).toEqual({ status: 'function' });
    expect(reading.read('list')).toEqual({ status: 'absent' });
  });

  test('gives the handlers', () => {
    expect(reading.handlers).toMatchObject({ kind: 'function', names: { getX: ['preRequest'] } });
    expect(reading.handlers?.source()).not.toContain('weather');
  });

  test.each([
    ['main', 5, 14],
    ['main.namespace', 6, 5],
    ['main.tools.getX.method', 10, 13],
    ['main.tools.getX.parameters[1].position.key', 13, 31],
    ['main.tools.getX.parameters[1].z', 13, 48],
    ['main.tools.getX.parameters[1].z.type', 3, 18],
    ['main.tools.getX.parameters[0].z.primitive.none', 12, 48],
    ['main.tools.getX["odd key"].deep[1]', 15, 47],
    ['main.tools.getX["odd key"].type', 3, 18],
    ['main.tools.none.x', 8, 5],
    ['main.frozen.inner', 18, 29],
    ['main.list[0]', 19, 5],
    ['handlers.getX', 22, 14],
  ])('finds %s', (path, line, column) => {
    expect(reading.locate(path)).toEqual({ line, column });
  });

  test.each(['', 'none', 'none.x', '[', '["', '...', 'main["\\u"]'])('a path that leads nowhere: %s', (path) => {
    const place = reading.locate(path);
    if (!path.startsWith('main')) expect(place).toBeUndefined();
  });
});

describe('handlers', () => {
  const handlersOf = (text: string) => analyzeModule(text, { file: 'x.mjs' }).handlers;

  test.each([
    [
      'an object literal',
      'export const handlers = () => ({ a: { preRequest() {}, postRequest: null, x: undefined } })',
      { a: ['preRequest'] },
    ],
    [
      'a returned literal',
      `export function handlers() { if (1) { const r = () => { return 1 } } return { 'a b': {}, 1: { y: f } } }`,
      { 'a b': [], 1: ['y'] },
    ],
    [
      'a constant that is returned',
      'export const handlers = () => { const h = { a: { x() {} } }; return h }',
      { a: ['x'] },
    ],
    [
      'constants for tools',
      'const hooks = { preRequest: async () => {} }; export const handlers = () => ({ a: hooks })',
      { a: ['preRequest'] },
    ],
    [
      'odd names',
      `export const handlers = () => ({ ['__proto__']: { x() {} }, constructor: { y: f } })`,
      JSON.parse('{"__proto__":["x"],"constructor":["y"]}'),
    ],
  ])('names from %s', (_, text, names) => {
    expect(Object.entries(handlersOf(text)?.names ?? {})).toEqual(Object.entries(names));
  });

  test.each([
    ['a computed key', 'export const handlers = ({ libraries }) => ({ [libraries.x]: {} })'],
    ['a spread', 'export const handlers = () => ({ ...x })'],
    ['hooks from a call', 'export const handlers = () => ({ a: make() })'],
    ['several returns', 'export const handlers = () => { if (x) return {}; return { a: {} } }'],
    ['a constant that is changed', 'export const handlers = () => { const h = {}; h.a = {}; return h }'],
    ['a call', 'export const handlers = () => Object.fromEntries([])'],
    ['an async factory', 'export const handlers = async () => ({ a: {} })'],
  ])('no names from %s', (_, text) => {
    expect(handlersOf(text)).toMatchObject({ kind: 'function' });
    expect(handlersOf(text)?.names).toBeUndefined();
  });

  test.each(['{}', '[]', '1', '`x`', 'new Map()', 'class {}'])('%s is not a factory', (text) => {
    expect(handlersOf(`export const handlers = ${text}`)?.kind).toBe('other');
  });

  test('a computed factory counts as a function', () => {
    expect(handlersOf('const make = () => () => ({}); export const handlers = make()')?.kind).toBe('function');
  });

  test('a module without handlers has none', () => {
    expect(handlersOf('export const main = {}')).toBeUndefined();
    expect(handlersOf('export default { a: 1 }')).toBeUndefined();
    expect(handlersOf(`export { handlers } from './x.mjs'`)).toBeUndefined();
  });
});

describe('files that are not modules', () => {
  const one = (source: Uint8Array | string) => {
    const reading = analyzeModule(source, { file: 'x.mjs' });
    exercise(reading);
    return reading;
  };

  test('a syntax error is a finding with its position', () => {
    const reading = one('export const main = {\n  a: 1,,\n}');
    expect(reading.findings).toEqual([
      {
        code: 'MOD001',
        severity: 'error',
        path: '',
        message: 'Unexpected token',
        hint: expect.any(String),
        file: 'x.mjs',
        line: 2,
        column: 8,
      },
    ]);
    expect(reading.read('main')).toEqual({ status: 'invalid', findings: reading.findings });
  });

  test.each([
    ['brackets', '['.repeat(100_000)],
    ['closed brackets', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['braces', '{'.repeat(100_000)],
    ['parentheses', '('.repeat(100_000)],
    ['templates', '`${'.repeat(100_000)],
    ['arrows', 'a=>'.repeat(100_000)],
    ['operators', `${'1+'.repeat(300_000)}1`],
    ['assignments', `${'x='.repeat(100_000)}1`],
    ['unary operators', `${'!'.repeat(100_000)}1`],
    ['members', `x${'.a'.repeat(300_000)}`],
    ['calls', `x${'()'.repeat(100_000)}`],
    ['blocks', 'if(1)'.repeat(100_000)],
    ['else', `${'if(1);else '.repeat(100_000)};`],
    ['patterns', 'let ['.concat('['.repeat(100_000))],
    ['functions', 'function f(){'.repeat(100_000)],
    ['groups of a regular expression', `/${'('.repeat(10_000)}/`],
    ['classes of a regular expression', `/${'['.repeat(5000)}${']'.repeat(5000)}/v`],
    ['new', 'new '.repeat(100_000)],
    ['await', 'await '.repeat(100_000)],
  ])('a bomb of %s is a finding', (_, text) => {
    const start = process.cpuUsage();
    const { findings } = one(text);
    expect(findings).toMatchObject([{ code: 'MOD001' }]);
    // A parser that has used up the stack may end the process; it has to stop before.
    expect(findings[0]?.message).not.toContain('stack');
    expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
  });

  test('very many names are a finding, and quick', () => {
    const names = Array.from({ length: 150_000 }, (_, i) => `a${i}`).join();
    expect(one(`let ${names}`).findings).toMatchObject([{ code: 'MOD001', message: 'More than 10000 declarations' }]);
  });

  test('values at the maximum depth are read', () => {
    const depth = 130;
    expect(one(`export const main = ${'['.repeat(depth)}${']'.repeat(depth)}`).read('main').status).toBe('read');
  });

  test('a file that is too large is not parsed', () => {
    expect(one(new Uint8Array(2 * 1024 * 1024 + 1)).findings).toMatchObject([{ code: 'MOD002', severity: 'error' }]);
    const small = analyzeModule('export const main = {}', { file: 'x', maxBytes: 10 });
    expect(small.findings).toMatchObject([{ code: 'MOD002', message: 'the file has 22 bytes; at most 10 are read' }]);
  });

  test('a huge literal is read', () => {
    expect(one(`export const main = { a: '${'x'.repeat(1_900_000)}' }`).read('main').status).toBe('read');
  });

  test('bytes that are not UTF-8 are read as in Node', () => {
    const reading = one(
      Buffer.concat([Buffer.from(`export const main = { a: '`), Buffer.from([0xff, 0xc3]), Buffer.from(`' }`)]),
    );
    expect(reading.findings).toMatchObject([{ code: 'MOD003', severity: 'warning' }]);
    expect(reading.read('main')).toEqual({ status: 'read', value: { a: '\uFFFD\uFFFD' } });
  });

  test('half surrogate pairs in a string', () => {
    expect(one(`export const main = { a: '\ud800' }`).findings).toMatchObject([{ code: 'MOD003' }]);
  });

  test.each([
    ['a byte order mark', '\uFEFFexport const main = { a: 1 }'],
    ['a hashbang', '#!/usr/bin/env node\nexport const main = { a: 1 }'],
    ['a byte order mark and a hashbang', '\uFEFF#!/usr/bin/env node\nexport const main = { a: 1 }'],
    ['Windows line ends', 'export const main = {\r\n  a: 1\r\n}\r\n'],
    ['old line ends', '// x\rexport const main = { a: 1 }\r'],
    ['unusual line ends', '// x\u2028export const main = { a: 1 }\u2029'],
  ])('%s is no obstacle', (_, text) => {
    expect(one(text).read('main')).toEqual({ status: 'read', value: { a: 1 } });
  });

  test.each(['\r\n', '\r', '\n', '\u2028'])('lines are counted as in editors (%j)', (end) => {
    expect(one(`\uFEFF// x${end}${end}  process`).findings).toMatchObject([{ line: 3, column: 3 }]);
  });

  test.each([
    ['an empty file', ''],
    ['NUL bytes', '\0\0\0'],
    ['NUL in a string', `export const main = '\0'`],
    ['only a comment', '// x'],
    ['JSON', '{"a": 1}'],
  ])('%s', (_, text) => {
    one(text);
  });
});

describe('any bytes', { timeout: 120_000 }, () => {
  test('nothing throws', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => exercise(analyzeModule(bytes, { file: 'x' }))));
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) =>
        exercise(analyzeModule(text, { file: 'x' })),
      ),
    );
  });

  const token = fc.constantFrom(
    'export ',
    'const ',
    'main',
    '=',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    '=>',
    ',',
    '...',
    ':',
    ';',
    '`',
    '${',
    "'",
    'a',
    '1',
    '.',
    '?.',
    '??',
    'async ',
    'function ',
    'class ',
    'static ',
    'get ',
    'import(',
    'import ',
    'new ',
    'yield ',
    'await ',
    'handlers',
    'default ',
    'let ',
    'for(',
    ' of ',
    ' in ',
    'return ',
    '/x/',
    '\n',
    'from ',
    '#p',
    'super',
    'this',
    '*',
    '=',
    '++',
    'delete ',
    'typeof ',
    'try{}catch{}',
    'label:',
    'using ',
    '__proto__',
    'constructor',
  );

  test('nothing throws for random tokens', () => {
    fc.assert(
      fc.property(fc.array(token, { maxLength: 30 }), (tokens) =>
        exercise(analyzeModule(tokens.join(''), { file: 'x' })),
      ),
      { numRuns: 3000 },
    );
  });

  const edit = fc.record({ at: fc.nat(), remove: fc.nat(12), insert: fc.oneof(token, fc.string({ maxLength: 3 })) });

  test('nothing throws for a schema with mistakes', () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        let text = sample;
        for (const { at, remove, insert } of edits) {
          const offset = at % text.length;
          text = text.slice(0, offset) + insert + text.slice(offset + remove);
        }
        exercise(analyzeModule(text, { file: 'x' }));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('duplicate keys', () => {
  const repeatedKeys = (text: string) =>
    analyzeModule(text, { file: 'x.mjs' })
      .repeatedKeys('main')
      .map(({ code, path, line }) => [code, path, line]);

  test.each([
    [
      "export const main = { tools: {\n  a: { method: 'GET' },\n  b: 1,\n  'a': 2 } };",
      [['VAL007', 'main.tools.a', 4]],
    ],
    ['const TOOLS = {\n a: 1,\n a: 2 };\nexport const main = { tools: TOOLS };', [['VAL007', 'main.tools.a', 3]]],
    ['export const main = { list: [{ x: 1,\n x: 2 }] };', [['VAL007', 'main.list[0].x', 2]]],
    ['export const main = { a: 1, b: { a: 1 } };', []],
    ['const X = { k: 1 };\nexport const main = { a: { x: X }, b: { x: X } };', []],
    ['const X = { k: 1,\n k: 2 };\nexport const main = { a: [{ x: X }] };', [['VAL007', 'main.a[0].x.k', 2]]],
    ['const base = { a: 1 };\nexport const main = { a: 0, ...base, a: 2 };', []],
  ])('%s', (text, expected) => {
    expect(repeatedKeys(text)).toEqual(expected);
  });
});
