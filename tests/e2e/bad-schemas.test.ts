import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exposeSchemas, loadSchemas, SchemaKit } from '@schemakit/core';
import { describe, expect, test } from 'vitest';
import { findingLines } from './support/finding-lines.ts';
import { faultlessTool, loadText, mainWith, moduleText, parameter } from './support/schema-module.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** Loads a file's text; gives the status and what was found, with the lines that it points at. */
async function check(text: string): Promise<string> {
  const { status, messages, findings } = await loadText(text);
  expect(messages).toEqual(findings.map(({ message }) => message));
  expect(status).toBe(findings.every(({ severity }) => severity !== 'error'));
  return `${status ? 'loads' : 'is refused'}\n${findingLines(findings, text)}`;
}

const checkMain = (parts: Record<string, unknown>, handlers?: string) => check(moduleText(mainWith(parts), handlers));

const checkTool = (parts: Record<string, unknown>, handlers?: string) =>
  checkMain({ tools: { getThing: { ...faultlessTool, ...parts } } }, handlers);

describe('a file that is no module', () => {
  test('empty', async () => {
    expect(await check('')).toMatchInlineSnapshot(`
      "is refused
      error VAL001 main: the file has no export named main; it exports nothing
        1: "
    `);
  });

  test('a syntax error is named once, at its place', async () => {
    expect(await check("export const main = {\n  namespace: 'shop',\n  name 'Shop',\n};\n")).toMatchInlineSnapshot(`
      "is refused
      error MOD001 (file): Unexpected token
        3: name 'Shop',"
    `);
  });

  test('a file that stops in the middle', async () => {
    expect(await check('export const main = {\n  namespace: ')).toMatchInlineSnapshot(`
      "is refused
      error MOD001 (file): Unexpected token
        2: namespace:"
    `);
  });

  test.each([
    ['random bytes', Uint8Array.from({ length: 5000 }, (_, index) => (index * index * 31 + index * 7) % 256)],
    ['zeros', new Uint8Array(1000)],
    ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['UTF-16', Buffer.from('\ufeffexport const main = {};', 'utf16le')],
    ['half a character', Buffer.concat([Buffer.from('export const main = "'), Buffer.of(0xe2, 0x82)])],
  ])('%s', async (_name, bytes) => {
    const { status, findings, main, handlerMap } = await loadText(bytes);
    expect({ status, main, handlerMap }).toEqual({ status: false, main: null, handlerMap: {} });
    expect(findings.filter(({ code }) => code === 'MOD001')).toHaveLength(1);
  });

  test('JSON, HTML and CommonJS', async () => {
    expect(await check('{ "namespace": "shop" }')).toMatchInlineSnapshot(`
      "is refused
      error MOD001 (file): Unexpected token
        1: { "namespace": "shop" }"
    `);
    expect(await check('<!doctype html><title>404</title>')).toMatchInlineSnapshot(`
      "is refused
      error MOD001 (file): Unexpected token
        1: <!doctype html><title>404</title>"
    `);
    expect(await check('module.exports = { main: {} };')).toMatchInlineSnapshot(`
      "is refused
      error SEC012 (file): module is not allowed
        1: module.exports = { main: {} };
      error VAL001 main: the file has no export named main; it exports nothing
        1: module.exports = { main: {} };"
    `);
  });

  test('a module of 5 MB is refused before it is parsed', async () => {
    const { status, messages, findings } = await loadText(`${moduleText(mainWith())}//${'x'.repeat(5e6)}`);
    expect(status).toBe(false);
    expect(findings.map(({ code }) => code)).toEqual(['MOD002']);
    expect(messages).toEqual([expect.stringMatching(/^the file has \d{7} bytes; the maximum is 2097152$/)]);
  });

  test('a path that leads nowhere, to a folder, or is no path', async () => {
    const folder = await temporaryFolder({ 'nested/schema.mjs': '' });
    const codesOf = async (filePath: unknown) => {
      const { status, findings, main } = await SchemaKit.loadSchema({ filePath: filePath as string });
      expect({ status, main }).toEqual({ status: false, main: null });
      return findings.map(({ code, message }) => `${code} ${message.replaceAll(folder, '<folder>')}`);
    };
    expect(await codesOf(join(folder, 'absent.mjs'))).toEqual(['FIL001 there is no file <folder>/absent.mjs']);
    expect(await codesOf(join(folder, 'nested'))).toEqual(['FIL003 <folder>/nested is a folder']);
    expect(await codesOf(join(folder, 'nested/schema.mjs/deeper.mjs'))).toEqual([expect.stringMatching(/^FIL00[14] /)]);
    expect(await codesOf('a\0b.mjs')).toEqual([expect.stringMatching(/^FIL004 /)]);
    expect(await codesOf('')).toEqual(['ARG001 loadSchema needs filePath (text), got empty text']);
    expect(await codesOf(undefined)).toEqual(['ARG001 loadSchema needs filePath (text), got nothing']);
  });
});

describe('main', () => {
  test('absent: what is exported instead is named', async () => {
    expect(await check('export const list = { meta: {}, entries: [] };')).toMatchInlineSnapshot(`
      "is refused
      error VAL001 main: the file has no export named main; it exports list
        1: export const list = { meta: {}, entries: [] };"
    `);
  });

  test.each(['null', '42', "'text'", '[]', '() => ({})', 'class {}', 'undefined'])('%s', async (value) => {
    const { status, findings, main } = await loadText(`export const main = ${value};`);
    expect({ status, main }).toEqual({ status: false, main: null });
    expect(findings).toEqual([expect.objectContaining({ code: expect.stringMatching(/^VAL00[126]$/), path: 'main' })]);
  });

  test('constants that need one another', async () => {
    expect(
      await check('const a = { next: b };\nconst b = { next: a };\nexport const main = a;\n'),
    ).toMatchInlineSnapshot(`
      "is refused
      error VAL006 main: main cannot be read without running code (b is used before it is defined), and running it failed: ReferenceError: Cannot access 'b' before initialization
        1: const a = { next: b };"
    `);
    expect(await check('export const main = {\n  self: main,\n};\n')).toMatchInlineSnapshot(`
      "is refused
      error VAL006 main: main cannot be read without running code (main is used before it is defined), and running it failed: ReferenceError: Cannot access 'main' before initialization
        2: self: main,"
    `);
  });

  test('an object that contains itself', async () => {
    const tied = `const meta = {};\nmeta.self = meta;\n${moduleText(mainWith())}main.meta = meta;\n`;
    const { status, main, findings } = await loadText(tied);
    expect({ status, main }).toEqual({ status: false, main: null });
    expect(findings.map(({ code, line }) => [code, typeof line])).toEqual([['VAL006', 'number']]);
    expect(findings[0]?.message).toContain('main contains itself');
  });

  test('functions that call one another without end', async () => {
    const text = `const ping = () => pong();\nconst pong = () => ping();\n${moduleText(mainWith())}main.name = ping();\n`;
    const { status, messages } = await loadText(text);
    expect(status).toBe(false);
    expect(messages.join('\n')).toContain('Maximum call stack size exceeded');
  });

  test('a loop without end is stopped', async () => {
    const text = `let count = 0;\nwhile (true) count += 1;\n${moduleText(mainWith())}main.name = String(count);\n`;
    const { status, findings } = await loadText(text);
    expect(status).toBe(false);
    expect(findings).toEqual([
      expect.objectContaining({ code: 'VAL006', path: 'main', message: expect.stringContaining('within 5000 ms') }),
    ]);
  });

  test('that has to be computed is evaluated in the sandbox', async () => {
    const text = `${moduleText(mainWith({ name: 'Before' }))}main.name = ['Af', 'ter'].join('');\n`;
    const { status, main, messages } = await loadText(text);
    expect({ status, messages }).toEqual({ status: true, messages: [] });
    expect(main).toEqual(mainWith({ name: 'After' }));
  });

  test.each([
    ['a getter', "get root() {\n    return 'https://api.example.com';\n  },", 'main.root'],
    ['a method', 'describe() {\n    return 1;\n  },', 'main.describe'],
    ['a regular expression', 'meta: { pattern: /x/ },', 'main.meta.pattern'],
    ['a date', 'meta: { since: new Date(0) },', 'main.meta.since'],
    ['a BigInt', 'meta: { big: 1n },', 'main.meta.big'],
  ])('with %s', async (_name, field, path) => {
    const text = moduleText(mainWith({ root: undefined })).replace('{', `{\n  ${field}`);
    const { status, findings } = await loadText(text);
    expect(status).toBe(false);
    expect(findings).toEqual([expect.objectContaining({ code: 'VAL006', path, line: expect.any(Number) })]);
  });

  test('with holes in its arrays', async () => {
    const text = moduleText(
      mainWith({
        tags: ['HOLE', 'a'],
        tools: { getThing: { ...faultlessTool, parameters: [parameter('q', 'query', ['string()', 'HOLE'])] } },
      }),
      '() => ({ getThing: { postRequest: async ({ response }) => ({ response }) } })',
    ).replaceAll('"HOLE"', '');
    expect(await check(text)).toMatchInlineSnapshot(`
      "loads
      warning VAL021 main.tags: main.tags must be an array of text
        50: "tags": [
      warning TST003 main.tools.getThing.tests[0]: the test has no value for "q", which is required (main.tools.getThing.tests[0])
        37: {
      warning TST003 main.tools.getThing.tests[1]: the test has no value for "q", which is required (main.tools.getThing.tests[1])
        40: {
      warning TST003 main.tools.getThing.tests[2]: the test has no value for "q", which is required (main.tools.getThing.tests[2])
        43: {"
    `);
  });

  test('a hole among the parameters', async () => {
    const text = moduleText(
      mainWith({ tools: { getThing: { ...faultlessTool, parameters: [0, parameter('q', 'query')] } } }),
    ).replace(/^ *0,$/m, ',');
    expect(await check(text)).toMatchInlineSnapshot(`
      "is refused
      error VAL040 main.tools.getThing.parameters[0]: parameter must have position and z fields (main.tools.getThing.parameters[0])
        15: "parameters": [
      warning TST003 main.tools.getThing.tests[0]: the test has no value for "q", which is required (main.tools.getThing.tests[0])
        36: {
      warning TST003 main.tools.getThing.tests[1]: the test has no value for "q", which is required (main.tools.getThing.tests[1])
        39: {
      warning TST003 main.tools.getThing.tests[2]: the test has no value for "q", which is required (main.tools.getThing.tests[2])
        42: {"
    `);
  });

  test('a field that is written twice has its last value', async () => {
    const text = moduleText(mainWith()).replace('"name"', '"name": "First",\n  "name"');
    const { status, main } = await loadText(text);
    expect({ status, main }).toEqual({ status: true, main: mainWith() });
  });

  test('fields that nobody knows, with what may have been meant', async () => {
    const text = moduleText(mainWith({ tag: [], baseUrl: 'x', tools: { getThing: { ...faultlessTool, params: [] } } }));
    const { status, findings } = await loadText(text);
    expect(status).toBe(true);
    expect(findings.map(({ code, severity, path, hint }) => [code, severity, path, hint])).toEqual([
      ['VAL003', 'warning', 'main.tag', 'Did you mean tags?'],
      ['VAL003', 'warning', 'main.baseUrl', expect.stringContaining('Known fields: namespace, name')],
      ['VAL003', 'warning', 'main.tools.getThing.params', expect.stringContaining('parameters')],
    ]);
  });
});

describe('names and versions', () => {
  test.each(['Shop', 'my-shop', 'shop2', 'my_shop', 'shöp', ' shop'])('the namespace %j', async (namespace) => {
    const text = moduleText(mainWith({ namespace }));
    const { status, findings } = await loadText(text);
    expect(status).toBe(false);
    expect(findings).toEqual([
      expect.objectContaining({
        code: 'VAL011',
        path: 'main.namespace',
        line: 2,
        message: 'namespace must contain only lowercase letters',
      }),
    ]);
  });

  test.each(['v3.0.0', '3.0', '3', 'latest', '3.0.0.0', '03.0.0', ''])('the version %j', async (version) => {
    const { status, findings } = await loadText(moduleText(mainWith({ version })));
    expect(status).toBe(false);
    expect(findings).toEqual([
      expect.objectContaining({
        code: 'VAL014',
        path: 'main.version',
        line: 5,
        message: 'version must be a valid semver string',
      }),
    ]);
  });

  test('a version that the format never had', async () => {
    expect(await checkMain({ version: '4.0.0' })).toMatchInlineSnapshot(`
      "is refused
      error VAL014 main.version: version 4.0.0 is not a version of the format
        5: "version": "4.0.0","
    `);
    expect(await checkMain({ version: 3 })).toMatchInlineSnapshot(`
      "is refused
      error VAL014 main.version: version must be a valid semver string
        5: "version": 3,"
    `);
  });

  test('required fields that are missing', async () => {
    const nothing = { namespace: undefined, name: undefined, description: undefined, version: undefined };
    expect(await checkMain({ ...nothing, root: undefined, tools: undefined })).toMatchInlineSnapshot(`
      "is refused
      error VAL010 main.namespace: main.namespace is required
        1: export const main = {
      error VAL012 main.name: main.name is required
        1: export const main = {
      error VAL013 main.description: main.description is required
        1: export const main = {
      error VAL014 main.version: main.version is required
        1: export const main = {
      info VAL015 main.root: main.root is required
        1: export const main = {
      error VAL016 main.tools: main.tools is required
        1: export const main = {"
    `);
    expect(await checkMain({ root: undefined })).toMatchInlineSnapshot(`
      "is refused
      error VAL015 main.root: main.root is required
        1: export const main = {"
    `);
  });
});

describe('tools', () => {
  test('none, or in the wrong shape', async () => {
    expect(await checkMain({ tools: {} })).toMatchInlineSnapshot(`
      "is refused
      error VAL016 main.tools: main.tools is empty
        10: "tools": {},"
    `);
    expect(await checkMain({ tools: [] })).toMatchInlineSnapshot(`
      "is refused
      error VAL016 main.tools: main.tools must be an object
        10: "tools": [],"
    `);
    expect(await checkMain({ tools: { getThing: 'GET /thing' } })).toMatchInlineSnapshot(`
      "is refused
      error VAL035 main.tools.getThing: a tool must be an object (main.tools.getThing)
        11: "getThing": "GET /thing""
    `);
  });

  test('beside routes', async () => {
    const routes = { getOther: faultlessTool };
    expect(await checkMain({ routes })).toMatchInlineSnapshot(`
      "is refused
      error VAL017 main.routes: main has both tools and routes
        36: "routes": {"
    `);
    expect(await checkMain({ tools: undefined, routes })).toMatchInlineSnapshot(`
      "loads
      warning VAL018 main.routes: main.routes is deprecated
        11: "routes": {"
    `);
    expect(await checkMain({ version: '2.0.0', tools: undefined, routes })).toMatchInlineSnapshot(`
      "loads
      warning VAL014 main.version: version 2.0.0 is an old format; the current version is 3.0.0
        5: "version": "2.0.0","
    `);
  });

  test('nine of them: an error in format 2, a warning in format 3', async () => {
    const nine = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`route${'abcdefghi'[index]}`, faultlessTool]),
    );
    expect(await checkMain({ version: '2.0.0', tools: undefined, routes: nine })).toMatchInlineSnapshot(`
      "is refused
      warning VAL014 main.version: version 2.0.0 is an old format; the current version is 3.0.0
        5: "version": "2.0.0",
      error VAL031 main.routes: schema exceeds maximum of 8 routes
        11: "routes": {"
    `);
    expect(await checkMain({ tools: nine })).toMatchInlineSnapshot(`
      "loads
      warning VAL038 main.tools: the schema has 9 tools; at most 8 are recommended
        10: "tools": {"
    `);
  });

  test('a tool without a method', async () => {
    expect(await checkTool({ method: undefined })).toMatchInlineSnapshot(`
      "is refused
      error VAL032 main.tools.getThing.method: route missing method (main.tools.getThing)
        11: "getThing": {"
    `);
    expect(await checkTool({ method: 'FETCH' })).toMatchInlineSnapshot(`
      "is refused
      error VAL032 main.tools.getThing.method: method "FETCH" is not an HTTP method (main.tools.getThing)
        12: "method": "FETCH","
    `);
    expect(await checkTool({ method: 'get' })).toMatchInlineSnapshot(`
      "loads
      warning VAL032 main.tools.getThing.method: method "get" is read as GET (main.tools.getThing)
        12: "method": "get","
    `);
  });

  test('a tool without path, description or parameters', async () => {
    expect(await checkTool({ path: undefined, description: undefined, parameters: undefined })).toMatchInlineSnapshot(`
      "is refused
      error VAL034 main.tools.getThing.description: tool getThing has no description (main.tools.getThing)
        11: "getThing": {
      error VAL035 main.tools.getThing.parameters: parameters is required (main.tools.getThing)
        11: "getThing": {
      error VAL033 main.tools.getThing.path: path must be text (main.tools.getThing)
        11: "getThing": {"
    `);
    expect(await checkTool({ path: 'thing' })).toMatchInlineSnapshot(`
      "is refused
      error VAL033 main.tools.getThing.path: path must start with a slash (main.tools.getThing)
        13: "path": "thing","
    `);
  });

  test('a parameter without one of its blocks', async () => {
    const { position, z } = parameter('q', 'query');
    expect(await checkTool({ parameters: [{ position }, { z }, 'q', null] })).toMatchInlineSnapshot(`
      "is refused
      error VAL040 main.tools.getThing.parameters[0]: parameter must have position and z fields (main.tools.getThing.parameters[0])
        16: {
      error VAL040 main.tools.getThing.parameters[1]: parameter must have position and z fields (main.tools.getThing.parameters[1])
        23: {
      error VAL040 main.tools.getThing.parameters[2]: parameter must have position and z fields (main.tools.getThing.parameters[2])
        29: "q",
      error VAL040 main.tools.getThing.parameters[3]: parameter must have position and z fields (main.tools.getThing.parameters[3])
        30: null"
    `);
    expect(
      (await loadText(moduleText(mainWith({ tools: { t: { ...faultlessTool, parameters: [{ position }] } } }))))
        .messages,
    ).toEqual(['parameter must have position and z fields (main.tools.t.parameters[0])']);
  });

  test('a parameter whose blocks are wrong', async () => {
    const z = { primitive: 'string()', options: [] };
    expect(
      await checkTool({
        parameters: [
          { position: { value: '{{USER_PARAM}}', location: 'query' }, z },
          { position: { key: 'b', location: 'query' }, z },
          { position: { key: 'c', value: '{{USER_PARAM}}', location: 'somewhere' }, z },
          {
            position: { key: 'd', value: '{{USER_PARAM}}', location: 'query' },
            z: { primitive: 'date()', options: [] },
          },
          {
            position: { key: 'e', value: '{{USER_PARAM}}', location: 'query' },
            z: { primitive: 'enum()', options: [] },
          },
          { position: { key: 'f', value: '{{SERVER_PARAM:TOKEN}}', location: 'query' }, z },
          { position: { key: 'g', value: '{{USER_PARAM}}', location: 'body' }, z },
        ],
      }),
    ).toMatchInlineSnapshot(`
      "is refused
      error VAL041 main.tools.getThing.parameters[0].position.key: position.key must be text (main.tools.getThing.parameters[0])
        17: "position": {
      error VAL042 main.tools.getThing.parameters[1].position.value: position.value must be text (main.tools.getThing.parameters[1])
        27: "position": {
      error VAL043 main.tools.getThing.parameters[2].position.location: position.location must be query, insert, body, header or cookie (main.tools.getThing.parameters[2])
        40: "location": "somewhere"
      error VAL044 main.tools.getThing.parameters[3].z.primitive: unknown z.primitive "date()" (main.tools.getThing.parameters[3].z.primitive)
        54: "primitive": "date()",
      error VAL046 main.tools.getThing.parameters[4].z.primitive: enum() must not be empty (main.tools.getThing.parameters[4].z.primitive)
        65: "primitive": "enum()",
      warning VAL052 main.tools.getThing.parameters[6].position.location: a body parameter in a GET request (main.tools.getThing.parameters[6])
        84: "location": "body"
      error VAL027 main.tools.getThing.parameters[5].position.value: serverParams not declared: parameter "f" uses {{SERVER_PARAM:TOKEN}} (main.tools.getThing.parameters[5])
        72: "value": "{{SERVER_PARAM:TOKEN}}",
      warning TST003 main.tools.getThing.tests[0]: the test has no value for "e", "g", which is required (main.tools.getThing.tests[0])
        99: {
      warning TST003 main.tools.getThing.tests[1]: the test has no value for "e", "g", which is required (main.tools.getThing.tests[1])
        102: {
      warning TST003 main.tools.getThing.tests[2]: the test has no value for "e", "g", which is required (main.tools.getThing.tests[2])
        105: {"
    `);
  });

  test('an enum of a list that is not declared', async () => {
    expect(
      await checkTool({ parameters: [parameter('c', 'query', ['enum({{chains:alias}})'])] }),
    ).toMatchInlineSnapshot(`
      "is refused
      warning TST003 main.tools.getThing.tests[0]: the test has no value for "c", which is required (main.tools.getThing.tests[0])
        35: {
      warning TST003 main.tools.getThing.tests[1]: the test has no value for "c", which is required (main.tools.getThing.tests[1])
        38: {
      warning TST003 main.tools.getThing.tests[2]: the test has no value for "c", which is required (main.tools.getThing.tests[2])
        41: {
      error VAL048 main.tools.getThing.parameters: shared list 'chains' is not declared (enum of c in getThing)
        15: "parameters": ["
    `);
  });
});

describe('secrets and headers', () => {
  test('a header with a server parameter that is not declared', async () => {
    expect(await checkMain({ headers: { Authorization: 'Bearer {{API_KEY}}' } })).toMatchInlineSnapshot(`
      "is refused
      error VAL027 main.headers.Authorization: serverParams not declared: header "Authorization" uses {{API_KEY}}
        10: "Authorization": "Bearer {{API_KEY}}""
    `);
  });

  test('headers that cannot be sent', async () => {
    expect(
      await checkMain({ headers: { 'X Key': 'a', 'X-Break': 'a\r\nX-More: b', 'X-List': ['a'] } }),
    ).toMatchInlineSnapshot(`
      "is refused
      error VAL023 main.headers["X Key"]: header "X Key" cannot be sent (main.headers["X Key"])
        10: "X Key": "a",
      error VAL023 main.headers["X-Break"]: header "X-Break" cannot be sent (main.headers["X-Break"])
        11: "X-Break": "a\\r\\nX-More: b",
      error VAL023 main.headers["X-List"]: header "X-List" cannot be sent (main.headers["X-List"])
        12: "X-List": ["
    `);
    expect(await checkMain({ headers: ['Accept'], requiredServerParams: 'API_KEY' })).toMatchInlineSnapshot(`
      "is refused
      error VAL022 main.requiredServerParams: main.requiredServerParams must be an array of names
        7: "requiredServerParams": "API_KEY",
      error VAL023 main.headers: main.headers must be an object of text
        9: "headers": ["
    `);
  });

  test('a path and a root with server parameters that are not declared', async () => {
    const tools = { getThing: { ...faultlessTool, path: '/thing?key={{SERVER_PARAM:API_KEY}}' } };
    expect(await checkMain({ root: 'https://api.example.com/{{TENANT}}', tools })).toMatchInlineSnapshot(`
      "is refused
      error VAL027 main.root: serverParams not declared: main.root uses {{TENANT}}
        6: "root": "https://api.example.com/{{TENANT}}",
      error VAL027 main.tools.getThing.path: serverParams not declared: the path uses {{SERVER_PARAM:API_KEY}} (main.tools.getThing)
        13: "path": "/thing?key={{SERVER_PARAM:API_KEY}}","
    `);
  });
});

describe('shared lists and libraries', () => {
  const list = `export const list = {
  meta: { name: 'colours', version: '1.0.0', description: 'Colours', fields: [{ key: 'name', type: 'string' }] },
  entries: [{ name: 'red' }],
};
`;
  const loadWithLists = async (sharedLists: unknown, lists: Record<string, string> = { 'colours.mjs': list }) => {
    const text = moduleText(mainWith({ sharedLists }));
    const files = Object.fromEntries(Object.entries(lists).map(([name, content]) => [`_lists/${name}`, content]));
    const folder = await temporaryFolder({ ...files, 'shop/schema.mjs': text });
    const { status, findings } = await SchemaKit.loadSchema({ filePath: join(folder, 'shop/schema.mjs') });
    const named = findings.map((finding) => ({ ...finding, message: finding.message.replaceAll(folder, '<folder>') }));
    return `${status ? 'loads' : 'is refused'}\n${findingLines(named, text)}`;
  };

  test('a list that is not there', async () => {
    const reference = [{ ref: 'Colours', version: '1.0.0' }];
    expect(await loadWithLists(reference)).toMatchInlineSnapshot(`
      "is refused
      error VAL072 main.sharedLists[0]: Shared list 'Colours' not found in lists directory
        37: {"
    `);
    const { messages } = await loadText(moduleText(mainWith({ sharedLists: reference })));
    expect(messages).toEqual(["Shared list 'Colours' not found in lists directory"]);
  });

  test('another version', async () => {
    expect(await loadWithLists([{ ref: 'colours', version: '2.0.0' }])).toMatchInlineSnapshot(`
      "is refused
      error VAL073 main.sharedLists[0].version: Shared list 'colours' has version 1.0.0, not 2.0.0
        39: "version": "2.0.0""
    `);
  });

  test('references that name nothing', async () => {
    expect(await loadWithLists([{ version: '1.0.0' }, 5, { ref: 'colours' }])).toMatchInlineSnapshot(`
      "is refused
      error VAL070 main.sharedLists[0]: a shared list reference needs ref, the name of the list (main.sharedLists[0])
        37: {
      error VAL070 main.sharedLists[1]: a shared list reference needs ref, the name of the list (main.sharedLists[1])
        40: 5,
      warning VAL071 main.sharedLists[2].version: shared list 'colours' is referenced without a version (main.sharedLists[2])
        41: {
      warning VAL075 main.sharedLists[0]: shared list 'colours' is not used (main.sharedLists[0])
        37: {"
    `);
    expect(await loadWithLists({ ref: 'colours' })).toMatchInlineSnapshot(`
      "is refused
      error VAL024 main.sharedLists: main.sharedLists must be an array of references
        36: "sharedLists": {"
    `);
    expect(
      await loadWithLists([{ ref: 'colours', version: '1.0.0', filter: { exists: true } }]),
    ).toMatchInlineSnapshot(`
      "loads
      warning VAL074 main.sharedLists[0].filter: the filter is ignored: it needs key and one of exists, value or in (main.sharedLists[0].filter)
        40: "filter": {
      warning VAL075 main.sharedLists[0]: shared list 'colours' is not used (main.sharedLists[0])
        37: {"
    `);
  });

  test('a list file that does not parse is named with its own place', async () => {
    const text = moduleText(mainWith({ sharedLists: [{ ref: 'colours', version: '1.0.0' }] }));
    const broken = "export const list = {\n  meta: { name: 'colours' }\n  entries: [],\n};\n";
    const folder = await temporaryFolder({ '_lists/colours.mjs': broken, 'schema.mjs': text });
    const { status, findings } = await SchemaKit.loadSchema({ filePath: join(folder, 'schema.mjs') });
    expect(status).toBe(false);
    const file = join(folder, '_lists/colours.mjs');
    expect(findings).toContainEqual(expect.objectContaining({ code: 'MOD001', file, line: 3 }));
  });

  test('a library that is not on the allowlist', async () => {
    const text = moduleText(mainWith({ requiredLibraries: ['child_process', 'left-pad'] }));
    const { status, findings } = await loadText(text);
    expect(status).toBe(false);
    expect(
      findingLines(
        findings.filter(({ severity }) => severity === 'error'),
        text,
      ),
    ).toMatchInlineSnapshot(`
      "error VAL026 main.requiredLibraries[0]: Library 'child_process' is not on the allowlist
        9: "child_process",
      error VAL026 main.requiredLibraries[1]: Library 'left-pad' is not on the allowlist
        10: "left-pad""
    `);
  });

  test('an allowed library that is not installed is a warning', async () => {
    expect(await checkMain({ requiredLibraries: ['talib'] })).toMatchInlineSnapshot(`
      "loads
      warning LIB001 main.requiredLibraries[0]: Library 'talib' is not installed; calls of handlers that use it will fail
        9: "talib""
    `);
  });
});

describe('handlers', () => {
  test('an object', async () => {
    const handlers = '{ getThing: { postRequest: async ({ response }) => ({ response }) } }';
    expect(await checkMain({}, handlers)).toMatchInlineSnapshot(`
      "is refused
      error VAL004 handlers: handlers export must be a function
        38: export const handlers = { getThing: { postRequest: async ({ response }) => ({ response }) } };"
    `);
  });

  test('a key that is no tool', async () => {
    const handlers = '() => ({\n  getthing: { postRequest: async ({ response }) => ({ response }) },\n})';
    expect(await checkMain({}, handlers)).toMatchInlineSnapshot(`
      "is refused
      error VAL005 handlers.getthing: Handler key 'getthing' does not match any route name
        38: export const handlers = () => ({"
    `);
  });

  test('a key that only running the factory shows: the first call says so', async () => {
    const handlers = `() => {
  const map = {};
  map['get' + 'thing'] = { postRequest: async ({ response }) => ({ response }) };
  return map;
}`;
    const loaded = await loadText(moduleText(mainWith(), handlers));
    expect(loaded).toMatchObject({ status: true, findings: [{ code: 'VAL005', severity: 'info' }] });
    const { status, messages, findings } = await SchemaKit.fetch({ schema: loaded, routeName: 'getThing' });
    expect({ status, messages }).toEqual({
      status: false,
      messages: ["Handler key 'getthing' does not match any route name"],
    });
    expect(findings).toEqual([expect.objectContaining({ code: 'VAL005', hint: 'Did you mean getThing?' })]);
  });

  test.each([
    [
      'returns nothing, which its text does not show',
      '() => [].find(() => true)',
      'Factory must return a plain object',
    ],
    [
      'throws',
      '() => {\n  const map = null;\n  return map.size;\n}',
      "Cannot read properties of null (reading 'size')",
    ],
    ['gives a promise', '() => Promise.resolve({})', 'plain object'],
  ])('a factory that %s: the first call says so', async (_name, handlers, words) => {
    const loaded = await loadText(moduleText(mainWith(), handlers));
    const { status, messages } = await SchemaKit.fetch({ schema: loaded, routeName: 'getThing' });
    expect(status).toBe(false);
    expect(messages).toEqual([expect.stringContaining(words)]);
  });
});

describe('several faults in one file', () => {
  const text = moduleText(
    mainWith({
      namespace: 'My-Shop',
      version: 'v3.0.0',
      root: undefined,
      headers: { 'X-Key': '{{API_KEY}}' },
      sharedLists: [{ ref: 'nowhere', version: '1.0.0' }],
      requiredLibraries: ['left-pad'],
      tools: {
        getThing: { ...faultlessTool, method: undefined, parameters: [{ position: {} }] },
        getOther: { ...faultlessTool, description: '', path: 'other', tests: [] },
      },
    }),
    '() => ({\n  getTing: { postRequest: async () => require("fs") },\n})',
  );

  test('are all reported at once, each with its place', async () => {
    expect(await check(text)).toMatchInlineSnapshot(`
      "is refused
      error SEC002 handlers: require() is not allowed
        64: getTing: { postRequest: async () => require("fs") },
      error VAL011 main.namespace: namespace must contain only lowercase letters
        2: "namespace": "My-Shop",
      error VAL014 main.version: version must be a valid semver string
        5: "version": "v3.0.0",
      error VAL015 main.root: main.root is required
        1: export const main = {
      error VAL027 main.headers["X-Key"]: serverParams not declared: header "X-Key" uses {{API_KEY}}
        11: "X-Key": "{{API_KEY}}"
      error VAL032 main.tools.getThing.method: route missing method (main.tools.getThing)
        14: "getThing": {
      error VAL040 main.tools.getThing.parameters[0]: parameter must have position and z fields (main.tools.getThing.parameters[0])
        18: {
      error VAL034 main.tools.getOther.description: tool getOther has no description (main.tools.getOther)
        43: "description": "",
      error VAL033 main.tools.getOther.path: path must start with a slash (main.tools.getOther)
        42: "path": "other",
      warning TST001 main.tools.getOther.tests: 0 of 3 tests (main.tools.getOther)
        51: "tests": []
      error VAL072 main.sharedLists[0]: Shared list 'nowhere' not found in lists directory
        56: {
      error VAL026 main.requiredLibraries[0]: Library 'left-pad' is not on the allowlist
        8: "left-pad"
      error VAL005 handlers.getTing: Handler key 'getTing' does not match any route name
        63: export const handlers = () => ({"
    `);
  });

  test('that has them is not called, exposed or activated', async () => {
    const loaded = await loadText(text);
    expect(await SchemaKit.fetch({ schema: loaded, routeName: 'getThing' })).toMatchObject({
      status: false,
      data: null,
    });
    expect(exposeSchemas([loaded])).toEqual([]);
    expect(SchemaKit.prepareServerTool({ schema: loaded, routeName: 'getThing' })).toMatchObject({ status: false });
  });

  test.each([
    [
      'the scan',
      moduleText(mainWith(), '() => ({ getThing: { postRequest: async () => ({ response: process.env }) } })'),
      {},
    ],
    ['the handlers', moduleText(mainWith(), '() => ({ getTing: { postRequest: async () => ({}) } })'), {}],
    ['a library', moduleText(mainWith({ requiredLibraries: ['zlib'] })), { allowlist: [] }],
    ['a warning in strict mode', moduleText(mainWith({ tag: 1 })), { strict: true }],
  ])('that failed for %s alone is not called, exposed or activated', async (_name, source, options) => {
    const loaded = await loadText(source, options);
    expect(loaded.status).toBe(false);
    expect(exposeSchemas([loaded])).toEqual([]);
    expect(SchemaKit.prepareServerTool({ schema: loaded, routeName: 'getThing' })).toMatchObject({ status: false });
    const { status, messages } = await SchemaKit.fetch({ schema: loaded, routeName: 'getThing' });
    expect(status).toBe(false);
    expect(messages.join()).not.toContain('ENOTFOUND');
  });

  test('are those of each file, also where two files have the same text', async () => {
    const folder = await temporaryFolder({ 'first.mjs': text });
    const [first, second] = [join(folder, 'first.mjs'), join(folder, 'second.mjs')];
    await copyFile(first, second);
    for (const filePath of [first, second]) {
      const { findings } = await SchemaKit.loadSchema({ filePath });
      expect([...new Set(findings.map(({ file }) => file))]).toEqual([filePath]);
    }
  });

  test('in a folder of files do not hide the good ones', async () => {
    const folder = await temporaryFolder({
      'a/good.mjs': moduleText(mainWith()),
      'b/broken.mjs': 'export const main = {',
      'b/wrong.mjs': moduleText(mainWith({ namespace: 'B' })),
      'b/empty.mjs': '',
      '_lists/list.mjs': 'export const list = 1;',
      'skill.mjs': "export const skill = { name: 'x' };",
    });
    const { status, schemas } = await loadSchemas({ paths: [folder] });
    expect(status).toBe(false);
    expect(schemas.map(({ file, status: loads }) => [file.slice(folder.length + 1), loads])).toEqual([
      ['a/good.mjs', true],
      ['b/broken.mjs', false],
      ['b/wrong.mjs', false],
    ]);
  });
});

describe('what real files do', () => {
  test('warns at most: fields left out, two tests, other media types, old placeholders', async () => {
    const main = mainWith({
      headers: undefined,
      requiredServerParams: undefined,
      requiredLibraries: undefined,
      root: 'http://api.example.com/',
      tags: ['cacheTtlDaily'],
      tools: {
        '/block/:number': { ...faultlessTool, path: '/block/:number', parameters: [parameter('number', 'insert')] },
        get_thing: {
          ...faultlessTool,
          tests: faultlessTool.tests.slice(1),
          output: undefined,
          preload: { enabled: true, ttl: 3600 },
        },
        getFeed: {
          ...faultlessTool,
          path: '/feed?format=xml',
          output: { mimeType: 'application/rss+xml', schema: { type: 'string' } },
        },
        search: {
          ...faultlessTool,
          parameters: [
            parameter('$limit', 'query', ['number()', 'optional()', 'default(20)', 'min(1)', 'max(100)']),
            parameter('filter[name]', 'query', ['enum(a, b)', 'optional()'], '{{NAME}}'),
            parameter('kind', 'query', ['enum()', 'values(x,y)']),
            parameter('for_handler', 'insert'),
            parameter('fixed', 'query', ['string()'], 'yes'),
          ],
        },
      },
    });
    expect(await check(moduleText(main))).toMatchInlineSnapshot(`
      "loads
      warning VAL022 main.requiredServerParams: main.requiredServerParams is required
        1: export const main = {
      warning VAL019 main.root: main.root is http: requests and secrets are sent unencrypted
        6: "root": "http://api.example.com/",
      warning VAL019 main.root: main.root ends with a slash
        6: "root": "http://api.example.com/",
      warning VAL023 main.headers: main.headers is required
        1: export const main = {
      warning VAL025 main.requiredLibraries: main.requiredLibraries is required
        1: export const main = {
      warning VAL030 main.tools["/block/:number"]: tool "/block/:number" is exposed as block_number (main.tools["/block/:number"])
        8: "/block/:number": {
      warning TST003 main.tools["/block/:number"].tests[0]: the test has no value for "number", which is required (main.tools["/block/:number"].tests[0])
        32: {
      warning TST003 main.tools["/block/:number"].tests[1]: the test has no value for "number", which is required (main.tools["/block/:number"].tests[1])
        35: {
      warning TST003 main.tools["/block/:number"].tests[2]: the test has no value for "number", which is required (main.tools["/block/:number"].tests[2])
        38: {
      warning VAL036 main.tools.get_thing.output: no output is declared (main.tools.get_thing)
        43: "get_thing": {
      warning TST001 main.tools.get_thing.tests: 2 of 3 tests (main.tools.get_thing)
        48: "tests": [
      warning VAL051 main.tools.search.parameters[1].position.value: {{NAME}} is not declared, so callers must give "filter[name]" (main.tools.search.parameters[1])
        108: "value": "{{NAME}}",
      info VAL059 main.tools.search.parameters: MCP clients see "$limit" as "limit" (main.tools.search)
        88: "parameters": [
      info VAL059 main.tools.search.parameters: MCP clients see "filter[name]" as "filter_name" (main.tools.search)
        88: "parameters": [
      warning TST003 main.tools.search.tests[0]: the test has no value for "kind", "for_handler", which is required (main.tools.search.tests[0])
        161: {
      warning TST003 main.tools.search.tests[1]: the test has no value for "kind", "for_handler", which is required (main.tools.search.tests[1])
        164: {
      warning TST003 main.tools.search.tests[2]: the test has no value for "kind", "for_handler", which is required (main.tools.search.tests[2])
        167: {
      warning VAL050 main.tools.search.path: the path has no placeholder for insert parameter "for_handler" (main.tools.search)
        86: "path": "/thing","
    `);
  });

  test('a schema of skills alone has no tools', async () => {
    const main = mainWith({ tools: {}, root: 'local://shop', skills: { 'buy-thing': { file: './skills/buy.mjs' } } });
    const skill = {
      name: 'buy-thing',
      version: 'flowmcp-skill/1.0.0',
      description: 'Buy a thing',
      content: 'Buy it.',
      output: 'A receipt',
    };
    const folder = await temporaryFolder({
      'schema.mjs': moduleText(main),
      'skills/buy.mjs': `export const skill = ${JSON.stringify(skill)};`,
    });
    const { status, messages, prompts } = await SchemaKit.loadSchema({ filePath: join(folder, 'schema.mjs') });
    expect({ status, messages }).toEqual({ status: true, messages: [] });
    expect(prompts).toMatchObject([{ name: 'buy-thing', kind: 'skill' }]);
  });

  test('words of forbidden code in texts and comments', async () => {
    const main = mainWith({ description: 'How to import process.env and eval( things: require("fs"), __proto__' });
    const text = `// import fs from 'node:fs'\n/* eval(process.env) */\n${moduleText(main)}`;
    expect(await loadText(text)).toMatchObject({ status: true, messages: [] });
  });
});

describe('nothing throws', () => {
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error('get');
      },
      ownKeys: () => {
        throw new Error('keys');
      },
    },
  );
  const withGetter = Object.defineProperty(mainWith(), 'tools', {
    enumerable: true,
    get: () => {
      throw new Error('tools');
    },
  });
  const cyclic = mainWith();
  cyclic.tools = {
    getThing: {
      ...faultlessTool,
      output: { mimeType: 'application/json', schema: { type: 'object', properties: cyclic } },
    },
  };

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a number', 5],
    ['text', 'main'],
    ['a list', [mainWith()]],
    ['a function', () => mainWith()],
    ['an object whose fields cannot be read', hostile],
    ['a getter that throws', withGetter],
    ['a circle', cyclic],
    ['a BigInt', mainWith({ meta: { big: 1n } })],
    ['tools on a prototype', Object.create(mainWith())],
  ])('for %s as a schema', async (_name, value) => {
    const given = { main: value, schema: value, schemas: [value], server: {}, routeName: 'getThing', serverParams: {} };
    for (const method of [
      'validateMain',
      'validateSchema',
      'activateServerTools',
      'activateServerTool',
      'prepareServerTool',
    ] as const) {
      const call = SchemaKit[method] as (options: unknown) => { status: boolean; messages: string[] };
      const { status, messages } = call(given);
      expect([typeof status, Array.isArray(messages)], method).toEqual(['boolean', true]);
    }
    expect(Array.isArray(exposeSchemas([value]))).toBe(true);
    expect(await SchemaKit.fetch({ schema: value, routeName: 'noSuchTool' })).toMatchObject({
      status: false,
      data: null,
    });
  });

  test.each([
    ['loadSchema', { filePath: {} }],
    ['scanSecurity', {}],
    ['scanSecurity', { filePath: '/no/such/file.mjs' }],
    ['fetch', {}],
    ['resolveSharedLists', {}],
    ['resolveSharedLists', { sharedListRefs: [null, 5, {}], listsDir: 5 }],
    ['interpolateEnum', {}],
    ['interpolateEnum', { template: 5, sharedLists: null }],
    ['loadLibraries', {}],
    ['loadLibraries', { requiredLibraries: [5], allowlist: null }],
    ['createHandlers', {}],
    ['createHandlers', { handlersFn: () => null, routeNames: null }],
    ['activateServerTools', {}],
    ['activateServerTools', { server: null, schemas: 5 }],
    ['prepareServerTool', {}],
  ] as const)('from %s with %j', async (method, options) => {
    const result = await (SchemaKit[method] as (options: unknown) => unknown)(options);
    expect(result).toBeTypeOf('object');
  });
});
