import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyzeModule } from '../../module/analyze-module.ts';
import { legacyText } from './fixtures/legacy-file.ts';
import { migrateSource } from './migrate-source.ts';

const migrate = (text: string) => migrateSource(text, { file: 'schema.mjs' });

const valueIn = (text: string): unknown => {
  const read = analyzeModule(text, { file: 'schema.mjs' }).read('main');
  return read.status === 'read' ? read.value : read.status;
};

describe('the two changes', () => {
  test.each([
    [
      'plain keys',
      "export const main = { version: '2.0.0', routes: {} };",
      "export const main = { version: '3.0.0', tools: {} };",
    ],
    [
      'quoted keys',
      "export const main = { 'version': '2.3.4', 'routes': {} };",
      "export const main = { 'version': '3.0.0', 'tools': {} };",
    ],
    [
      'double quotes',
      'export const main = { "version": "2.0.0", "routes": {} };',
      'export const main = { "version": "3.0.0", "tools": {} };',
    ],
    [
      'a template',
      'export const main = { version: `2.0.0`, routes: {} };',
      'export const main = { version: `3.0.0`, tools: {} };',
    ],
    [
      'computed keys',
      "export const main = { ['version']: '2.0.0', ['routes']: {} };",
      "export const main = { ['version']: '3.0.0', ['tools']: {} };",
    ],
    [
      'an escaped key',
      "export const main = { version: '2.0.0', r\\u006futes: {} };",
      "export const main = { version: '3.0.0', tools: {} };",
    ],
    [
      'a pre-release',
      "export const main = { version: '2.0.0-beta.1', routes: {} };",
      "export const main = { version: '3.0.0', tools: {} };",
    ],
    [
      'only the version',
      "export const main = { version: '2.0.0', tools: {} };",
      "export const main = { version: '3.0.0', tools: {} };",
    ],
    [
      'only the routes',
      "export const main = { version: '3.0.0', routes: {} };",
      "export const main = { version: '3.0.0', tools: {} };",
    ],
    ['no version', 'export const main = { routes: {} };', 'export const main = { tools: {} };'],
    [
      'shorthand routes',
      "const routes = { a: 1 }; export const main = { version: '2.0.0', routes };",
      "const routes = { a: 1 }; export const main = { version: '3.0.0', tools: routes };",
    ],
    [
      'a shorthand version',
      "const version = '2.0.0'; export const main = { version, routes: {} };",
      "const version = '3.0.0'; export const main = { version, tools: {} };",
    ],
    [
      'a version that others use',
      "const v = '2.0.0'; export const main = { version: v, routes: {} }; export const skill = { v };",
      "const v = '2.0.0'; export const main = { version: '3.0.0', tools: {} }; export const skill = { v };",
    ],
    [
      'a shorthand version that others use',
      "export const version = '2.0.0'; export const main = { version, routes: {} };",
      "export const version = '2.0.0'; export const main = { version: '3.0.0', tools: {} };",
    ],
    [
      'a version that is put together',
      'const major = 2; export const main = { version: `${major}.0.0`, routes: {} };',
      "const major = 2; export const main = { version: '3.0.0', tools: {} };",
    ],
    [
      'a constant that is exported',
      "const schema = { version: '2.0.0', routes: {} }; export { schema as main };",
      "const schema = { version: '3.0.0', tools: {} }; export { schema as main };",
    ],
    [
      'a frozen constant',
      "const schema = Object.freeze({ version: '2.0.0', routes: {} }); export const main = schema;",
      "const schema = Object.freeze({ version: '3.0.0', tools: {} }); export const main = schema;",
    ],
    [
      'parts that are spread',
      "const base = { version: '2.0.0' }; export const main = { ...base, ...{ routes: {} } };",
      "const base = { version: '3.0.0' }; export const main = { ...base, ...{ tools: {} } };",
    ],
    [
      'a key that is written twice',
      "export const main = { version: '2.0.0', routes: {}, routes: { a: 1 } };",
      "export const main = { version: '3.0.0', tools: {}, tools: { a: 1 } };",
    ],
    [
      'routes that others read too',
      "export const routes = { a: {} }; export const main = { version: '2.0.0', routes: routes };",
      "export const routes = { a: {} }; export const main = { version: '3.0.0', tools: routes };",
    ],
    [
      'a template that is a constant',
      'const V = `2.0.0`; export const main = { version: V, routes: {} };',
      'const V = `3.0.0`; export const main = { version: V, tools: {} };',
    ],
    [
      'a version with a prefix',
      "export const main = { version: 'v2.0.0', routes: {} };",
      "export const main = { version: '3.0.0', tools: {} };",
    ],
    [
      'a version that is a number',
      'export const main = { version: 2, routes: {} };',
      "export const main = { version: '3.0.0', tools: {} };",
    ],
    [
      'routes that are known only when the file runs',
      "export const main = { version: '2.0.0', routes: await makeRoutes() };",
      "export const main = { version: '3.0.0', tools: await makeRoutes() };",
    ],
  ])('%s', (_, text, expected) => {
    expect(migrate(text)).toMatchObject({ status: true, outcome: 'migrated', changed: true, text: expected });
  });

  test.each([
    ['line breaks of Windows', "export const main = {\r\n  version: '2.0.0',\r\n  routes: {},\r\n};\r\n"],
    ['a byte order mark', "\uFEFFexport const main = {\n  version: '2.0.0',\n  routes: {},\n};\n"],
    ['both', "\uFEFF// routes\r\nexport const main = {\r\n  version: '2.0.0',\r\n  'routes': {},\r\n};"],
  ])('%s stay', (_, text) => {
    const expected = text.replace("'2.0.0'", "'3.0.0'").replace(/routes(?='?:)/, 'tools');
    const { text: migrated, diff } = migrate(text);
    expect(migrated).toBe(expected);
    const removed = diff.split('\n').filter((line) => /^-(?!--)/.test(line));
    expect(removed.map((line) => line.slice(1))).toEqual(text.split('\n').slice(...linesOfBoth(text)));
  });

  /** The lines of version and routes, which follow each other. */
  function linesOfBoth(text: string): [number, number] {
    const first = text.split('\n').findIndex((line) => line.includes('version'));
    return [first, first + 2];
  }

  test('code that reads the routes of main follows', () => {
    const text = `export const main = { version: '2.0.0', routes: { a: {} } };
const { routes, root } = main;
const { routes: mine = {} } = main;
let others;
({ routes: others } = main);
export const handlers = () => Object.fromEntries(Object.keys(main.routes).map((name) => [name, main['routes'][name], routes, mine, root]));
export const has = 'routes' in main && main?.["routes"];
`;
    expect(migrate(text).text).toBe(`export const main = { version: '3.0.0', tools: { a: {} } };
const { tools: routes, root } = main;
const { tools: mine = {} } = main;
let others;
({ tools: others } = main);
export const handlers = () => Object.fromEntries(Object.keys(main.tools).map((name) => [name, main['tools'][name], routes, mine, root]));
export const has = 'tools' in main && main?.["tools"];
`);
  });

  test('comments, text, other objects and the formatting stay', () => {
    const text = `#!/usr/bin/env node
/* routes: version '2.0.0' */
const other = { routes: 1, version: '2.0.0' };\r
export const main = {
\tversion  :  '2.0.0' , // routes: version 2.0.0
\tdescription: 'routes: { version: "2.0.0" }',
\troutes  : { routes: { path: '/routes', version: '2.0.0', parameters: [other] } }
}
`;
    const expected = text.replace("version  :  '2.0.0'", "version  :  '3.0.0'").replace('routes  :', 'tools  :');
    expect(migrate(text).text).toBe(expected);
  });

  test('each is reported with its line', () => {
    const { findings, messages } = migrate("export const main = {\n  version: '2.0.0',\n  routes: {},\n};\n");
    expect(messages).toEqual(['routes becomes tools', 'version 2.0.0 becomes 3.0.0']);
    expect(findings).toMatchObject([
      { code: 'MIG001', severity: 'info', file: 'schema.mjs', line: 3, column: 3 },
      { code: 'MIG001', severity: 'info', file: 'schema.mjs', line: 2, column: 12 },
    ]);
  });

  test('the diff shows them', () => {
    expect(migrate("export const main = {\n  version: '2.0.0',\n  routes: {},\n};\n").diff).toBe(`--- schema.mjs
+++ schema.mjs
@@ -1,4 +1,4 @@
 export const main = {
-  version: '2.0.0',
-  routes: {},
+  version: '3.0.0',
+  tools: {},
 };
`);
  });
});

describe('files that do not change', () => {
  const expectUnchanged = (text: string, code: string, status: boolean) => {
    const { findings, ...migration } = migrate(text);
    const outcome = ['MIG002', 'MIG003', 'MIG004'].includes(code) ? 'skipped' : 'failed';
    expect(migration).toMatchObject({ status, outcome, changed: false, text, diff: '' });
    expect(findings.map((finding) => finding.code)).toEqual([code]);
    return findings[0];
  };

  test('a file of format 3', () => {
    const text = "export const main = { version: '3.0.0', tools: {} };";
    expect(expectUnchanged(text, 'MIG002', true)?.message).toMatch(/^nothing to migrate/);
  });

  test('a main of format 3 that a function creates', () => {
    const text = "const make = () => ({ version: '3.0.0', tools: {} }); export const main = make();";
    expectUnchanged(text, 'MIG002', true);
  });

  test('a file of format 1, which is converted when it is loaded', async () => {
    const finding = expectUnchanged(await legacyText('quotes-1.2.0.mjs'), 'MIG003', true);
    expect(finding?.message).toMatch(/^the file is of format 1/);
  });

  test.each(['1.1.1', '1.2.0'])('a file of format %s that imports, and one from elsewhere', (version) => {
    expectUnchanged(
      `import { a } from '../a.mjs';\nexport const schema = { flowMCP: '${version}', routes: { get: { handle: () => a } } };`,
      'MIG003',
      true,
    );
    expectUnchanged("export { schema } from './schema.mjs';", 'MIG003', true);
  });

  test.each([
    ['a list', 'export const list = {};', 'MIG004'],
    ['a skill', "export const skill = { name: 'look', content: 'routes' };", 'MIG004'],
    ['an agent', "export const agent = { name: 'scout', tools: {} };", 'MIG004'],
    ['a JSON Schema', "export const schema = { type: 'object' };", 'MIG004'],
    ['routes that are added', "const main = { version: '2.0.0' }; main.routes = { a: {} }; export { main };", 'MIG005'],
    ['routes that may come in', "export const main = { version: '2.0.0', ...(await parts()) };", 'MIG005'],
    [
      'a main of format 3 with routes added',
      "const main = { version: '3.0.0' }; main.routes = {}; export { main };",
      'MIG005',
    ],
    [
      'a main of format 3 with parts that come in',
      "export const main = { ...(await parts()), version: '3.0.0' };",
      'MIG002',
    ],
    ['an empty file', '', 'MIG004'],
    ['a main from another file', "export { main } from './other.mjs';", 'MIG005'],
    [
      'a main that a function creates',
      "const make = () => ({ version: '2.0.0', routes: {} }); export const main = make();",
      'MIG005',
    ],
    ['a main that is replaced', "let main = { version: '2.0.0', routes: {} }; main = {}; export { main };", 'MIG005'],
    ['tools and routes', "export const main = { version: '2.0.0', routes: {}, tools: {} };", 'MIG005'],
    [
      'routes that two exports share',
      'const base = { routes: {} }; export const main = { ...base }; export const copy = { ...base };',
      'MIG005',
    ],
    [
      'a shared version',
      "const base = { version: '2.0.0' }; export const main = { ...base }; export const copy = { ...base };",
      'MIG005',
    ],
    ['an exported base', 'export const base = { routes: {} }; export const main = { ...base };', 'MIG005'],
    ['a getter', "export const main = { version: '2.0.0', get routes() { return {}; } };", 'MIG005'],
    ['routes from a condition', "export const main = { version: '2.0.0', ...(true ? { routes: {} } : {}) };", 'MIG005'],
    ['circles of constants', 'const a = { ...b }; const b = { ...a }; export const main = a;', 'MIG002'],
    ['something that is no module', 'export const main = {', 'MOD001'],
  ])('%s: %s', (_, text, code) => {
    expectUnchanged(text, code, code === 'MIG002');
  });
});

describe('for every module', () => {
  const word = fc.constantFrom('routes', 'tools', 'version', 'root', 'a b');
  const data = fc.letrec((tie) => ({
    value: fc.oneof(fc.string(), fc.constantFrom('routes', 'tools', '2.0.0'), fc.integer(), tie('object')),
    object: fc.dictionary(word, tie('value'), { maxKeys: 3 }),
  })).object;
  const version = fc.constantFrom('2.0.0', '2.10.1', '3.0.0', undefined);
  const main = fc
    .record({
      version,
      routes: fc.option(data, { nil: undefined }),
      tools: fc.option(data, { nil: undefined }),
      rest: data,
    })
    .map(({ rest, ...parts }) => ({ rest, ...parts }));
  const styles = [
    (json: string) => `export const main = ${json};\n`,
    (json: string) =>
      `// routes version 2.0.0\nconst schema = ${json.replace(/"(routes|version|tools|rest)":/g, '$1:')}\nexport { schema as main }`,
    (json: string) =>
      `const routes = 'routes', version = '2.0.0';\nexport const main = Object.freeze({ ...${json} }), list = { routes, version };`,
  ];
  const module = fc
    .tuple(main, fc.constantFrom(...styles), fc.constantFrom(0, 2))
    .map(([value, style, indent]) => style(JSON.stringify(value, null, indent)));

  test('migrating twice is the same as migrating once', () => {
    fc.assert(
      fc.property(module, (text) => {
        const once = migrate(text);
        const twice = migrate(once.text);
        expect(twice.text).toBe(once.text);
        expect(twice.changed).toBe(false);
        if (once.changed) expect(twice.findings).toMatchObject([{ code: 'MIG002' }]);
      }),
    );
  });

  test('main is the same afterwards except for the two changes', () => {
    fc.assert(
      fc.property(module, (text) => {
        const before = valueIn(text) as Record<string, unknown>;
        const { text: after, changed, status } = migrate(text);
        const { routes, version: old, ...rest } = before;
        if (routes !== undefined && before.tools !== undefined) {
          expect({ status, changed }).toEqual({ status: false, changed: false });
          return;
        }
        const isOld = String(old).startsWith('2.');
        expect({ status, changed }).toEqual({ status: true, changed: isOld || routes !== undefined });
        expect(valueIn(after)).toEqual({
          ...rest,
          ...(old !== undefined && { version: isOld ? '3.0.0' : old }),
          ...(routes !== undefined && { tools: routes }),
        });
      }),
    );
  });

  test('everything around the two changes stays, in any style', () => {
    // The spellings of a key, before and after, with the constant of its value.
    const versions = [
      ["version: '2.0.0'", "version: '3.0.0'"],
      ['"version": "2.1.0"', '"version": "3.0.0"'],
      ['version : `2.0.0`', 'version : `3.0.0`'],
      ["['version']: '2.0.0'", "['version']: '3.0.0'"],
      ['version: VERSION', 'version: VERSION', "const VERSION = '2.0.0';", "const VERSION = '3.0.0';"],
      ['version', 'version', 'const version = `2.4.0`;', 'const version = `3.0.0`;'],
      ['version', "version: '3.0.0'", "export const version = '2.0.0';", "export const version = '2.0.0';"],
    ] as const;
    const routes = [
      [
        "routes: { get: { path: '/routes', version: '2.0.0' } }",
        "tools: { get: { path: '/routes', version: '2.0.0' } }",
      ],
      ["'routes': shared", "'tools': shared"],
      ['["routes"] : { ...shared }', '["tools"] : { ...shared }'],
      ['routes', 'tools: routes', 'const routes = shared;', 'const routes = shared;'],
      ['...{ routes: shared }', '...{ tools: shared }'],
      ['...base', '...base', 'const base = { routes: shared };', 'const base = { tools: shared };'],
    ] as const;
    const style = fc.record({
      mark: fc.constantFrom('', '\uFEFF'),
      end: fc.constantFrom('\n', '\r\n'),
      indent: fc.constantFrom('', '  ', '\t'),
      comment: fc.constantFrom('', '// routes: version 2.0.0', "/* { routes: '2.0.0' } */"),
      version: fc.constantFrom(...versions),
      routes: fc.constantFrom(...routes),
      isFirst: fc.boolean(),
    });
    fc.assert(
      fc.property(style, ({ mark, end, indent, comment, version, routes, isFirst }) => {
        const write = (at: 0 | 1) => {
          const keys = isFirst ? [routes[at], version[at]] : [version[at], routes[at]];
          const lines = [
            `${mark}${comment}`,
            "const shared = { get: { description: 'routes of 2.0.0' } };",
            version[at === 0 ? 2 : 3] ?? '',
            routes[at === 0 ? 2 : 3] ?? '',
            'export const main = {',
            ...keys.map((key) => `${indent}${key}, ${comment}`),
            `${indent}root: '2.0.0',`,
            '};',
            "export const other = { shared, text: 'routes, version: 2.0.0' };",
          ];
          return lines.join(end);
        };
        const before = write(0);
        expect(migrate(before)).toMatchObject({ status: true, outcome: 'migrated', text: write(1) });
        expect(migrate(write(1))).toMatchObject({ status: true, outcome: 'skipped', text: write(1) });
        const { routes: tools, ...rest } = valueIn(before) as Record<string, unknown>;
        expect(valueIn(write(1))).toEqual({ ...rest, version: '3.0.0', tools });
      }),
      { numRuns: 300 },
    );
  });

  test('nothing is thrown for any text', () => {
    const piece = fc.constantFrom(
      'export ',
      'const ',
      'main',
      ' = ',
      '{',
      '}',
      'routes',
      ': ',
      "'2.0.0'",
      ',',
      ';',
      '...',
      '(',
      ')',
      '`',
      '\n',
      '=>',
      '[',
      ']',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
        ),
        (text) => {
          const { changed, text: after } = migrate(text);
          if (!changed) expect(after).toBe(text);
        },
      ),
      { numRuns: 500 },
    );
  });
});
