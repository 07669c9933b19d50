import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SchemaKit } from '../schemakit.ts';
import { checkAllowlist, defaultAllowlist, isAllowed, locateLibrary } from './libraries.ts';
import { pinLibrary } from './library-pin.ts';

let base: string;
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'libraries-')));
});
afterAll(() => rm(base, { recursive: true, force: true }));

type Files = Readonly<Record<string, string>>;

/** A folder of its own with these files. */
async function folderWith(files: Files): Promise<string> {
  const folder = await mkdtemp(join(base, 'folder-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

/** A package that says which one it is. */
const packageOf = (name: string, word: string): Files => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, type: 'module', exports: './index.js' }),
  [`node_modules/${name}/index.js`]: `export default () => ${JSON.stringify(word)};`,
});

const schemaOf = (
  requiredLibraries: readonly string[],
  handlers = '() => ({})',
) => `export const main = ${JSON.stringify({
  namespace: 'words',
  name: 'Words',
  description: 'Words',
  version: '3.0.0',
  root: 'local://words',
  requiredServerParams: [],
  requiredLibraries,
  headers: {},
  tools: { say: { method: 'GET', path: '/', description: 'Say a word', parameters: [] } },
})};
export const handlers = ${handlers};`;

const saying = (expression: string) =>
  `({ libraries }) => ({ say: { executeRequest: async ({ struct }) => { struct.data = ${expression}; return { struct }; } } })`;

describe('where libraries are found', () => {
  test('from the first folder that has them', async () => {
    const schema = await folderWith(packageOf('one', 'schema'));
    const program = await folderWith({ ...packageOf('one', 'program'), ...packageOf('two', 'program') });
    const current = await folderWith({ ...packageOf('two', 'current'), ...packageOf('three', 'current') });
    const folders = [schema, program, current];
    const found = await Promise.all(['one', 'two', 'three', 'four'].map((name) => locateLibrary(name, folders)));
    expect(found.map((location) => location?.entry)).toEqual([
      join(schema, 'node_modules/one/index.js'),
      join(program, 'node_modules/two/index.js'),
      join(current, 'node_modules/three/index.js'),
      undefined,
    ]);
  });

  test('in a folder above, and behind links', async () => {
    const folder = await folderWith({
      ...packageOf('one', 'above'),
      'schemas/deep/schema.mjs': '',
      'store/two/index.js': '',
    });
    await writeFile(join(folder, 'store/two/package.json'), '{"name":"two","main":"index.js"}');
    await symlink(join(folder, 'store/two'), join(folder, 'node_modules/two'), 'dir');
    const deep = join(folder, 'schemas/deep');
    expect((await locateLibrary('one', [deep]))?.entry).toBe(join(folder, 'node_modules/one/index.js'));
    expect(await locateLibrary('two', [deep])).toEqual({
      name: 'two',
      entry: join(folder, 'store/two/index.js'),
      folders: [join(folder, 'store/two')],
    });
  });

  test('with the folders of all dependencies', async () => {
    const folder = await folderWith({
      'node_modules/one/package.json': '{"name":"one","main":"index.js","dependencies":{"two":"1","absent":"1"}}',
      'node_modules/one/index.js': '',
      'node_modules/one/node_modules/two/package.json': '{"name":"two","peerDependencies":{"three":"1"}}',
      'node_modules/three/package.json': '{"name":"three","optionalDependencies":{"one":"1"}}',
    });
    const { folders } = (await locateLibrary('one', [folder])) ?? {};
    const modules = join(folder, 'node_modules');
    expect(folders).toEqual([join(modules, 'one'), join(modules, 'one/node_modules/two'), join(modules, 'three')]);
  });

  test.each([
    ['exports as text', { exports: './lib/a.js' }, 'lib/a.js'],
    [
      'exports for import',
      { exports: { '.': { types: './x.d.ts', require: './lib/b.cjs', import: './lib/a.js' } } },
      'lib/a.js',
    ],
    ['exports for require only', { exports: { require: './lib/b.cjs' } }, 'lib/b.cjs'],
    ['exports for node first', { exports: { browser: './x.js', node: { import: './lib/a.js' } } }, 'lib/a.js'],
    ['main without an extension', { main: 'lib/a' }, 'lib/a.js'],
    ['main as a folder', { main: './lib' }, 'lib/index.js'],
    ['nothing', {}, 'index.js'],
    ['a native add-on', { main: './build/x.node' }, 'build/x.node'],
  ])('by %s', async (_, manifest, entry) => {
    const files = ['index.js', 'lib/index.js', 'lib/a.js', 'lib/b.cjs', 'build/x.node', 'x.js'];
    const folder = await folderWith({
      'node_modules/@scope/one/package.json': JSON.stringify({ name: '@scope/one', ...manifest }),
      ...Object.fromEntries(files.map((file) => [`node_modules/@scope/one/${file}`, ''])),
    });
    const found = await locateLibrary('@scope/one', [folder]);
    expect(found?.entry).toBe(join(folder, 'node_modules/@scope/one', entry));
  });

  test('modules of Node need no folder', async () => {
    for (const name of ['crypto', 'node:crypto']) {
      expect(await locateLibrary(name, [])).toEqual({ name, entry: '', folders: [] });
    }
  });
});

describe('the allowlist', () => {
  const load = async (allowlist?: readonly string[]) => {
    const folder = await folderWith({
      ...packageOf('my-words', 'beside'),
      'schema.mjs': schemaOf(['my-words'], saying("libraries['my-words']()")),
    });
    return SchemaKit.loadSchema({ filePath: join(folder, 'schema.mjs'), ...(allowlist && { allowlist }) });
  };

  test('is extended by adding to the default one', async () => {
    const { allowlist } = SchemaKit.getDefaultAllowlist();
    const schema = await load([...allowlist, 'my-words']);
    expect(await SchemaKit.fetch({ schema, routeName: 'say' })).toMatchObject({ status: true, data: 'beside' });
    expect(SchemaKit.getDefaultAllowlist().allowlist).toEqual(allowlist);
  });

  test('says how to add a missing library', async () => {
    const { status, findings } = await load();
    expect(status).toBe(false);
    expect(findings).toContainEqual(
      expect.objectContaining({
        code: 'VAL026',
        message: "Library 'my-words' is not on the allowlist",
        hint: expect.stringMatching(/--allow-library my-words .*"my-words"\]\./),
      }),
    );
  });

  test('says no command for a module of Node, which the command does not allow', () => {
    expect(checkAllowlist(['fs'], defaultAllowlist)).toMatchObject([
      { hint: expect.stringMatching(/^In a program, allow/) },
    ]);
  });

  test('of a program replaces the default one', async () => {
    expect((await load(['my-words'])).status).toBe(true);
    expect((await load([])).status).toBe(false);
  });

  test('cannot be changed through the returned copy', () => {
    SchemaKit.getDefaultAllowlist().allowlist.push('left-pad');
    expect(SchemaKit.getDefaultAllowlist().allowlist).toEqual(defaultAllowlist);
  });

  test('names modules of Node with or without node:', () => {
    expect(isAllowed('node:crypto', ['crypto'])).toBe(true);
    expect(isAllowed('crypto', ['node:crypto'])).toBe(true);
    expect(isAllowed('crypto', ['node:cryp', 'Crypto'])).toBe(false);
  });
});

describe('a library that is not installed', () => {
  test('is a warning with the command to run and where', async () => {
    const folder = await folderWith({ 'schema.mjs': schemaOf(['talib']) });
    const { status, findings } = await SchemaKit.loadSchema({ filePath: join(folder, 'schema.mjs') });
    expect(status).toBe(true);
    const finding = findings.find(({ code }) => code === 'LIB001');
    expect(finding).toMatchObject({ severity: 'warning', path: 'main.requiredLibraries[0]' });
    expect(finding?.hint).toContain(`Run npm install talib in ${folder}.`);
    expect(finding?.hint).toContain(process.cwd());
  });

  test('is an error if a program loads it itself', async () => {
    const folder = await folderWith({});
    const { status, findings, libraries } = await SchemaKit.loadLibraries({
      requiredLibraries: ['one'],
      allowlist: ['one'],
      folder,
    });
    expect({ status, libraries }).toEqual({ status: false, libraries: {} });
    expect(findings).toMatchObject([{ code: 'LIB001', severity: 'error', hint: `Run npm install one in ${folder}.` }]);
  });
});

describe('the value of a library', () => {
  const kinds: readonly (readonly [name: string, files: Files, value: unknown])[] = [
    [
      'default export of a module',
      { 'package.json': '{"type":"module"}', 'index.js': 'export default { word: 1 }; export const other = 2;' },
      { word: 1 },
    ],
    [
      'exports of a module without default',
      { 'package.json': '{"type":"module"}', 'index.js': 'export const word = 1;' },
      { word: 1 },
    ],
    ['what CommonJS exports', { 'package.json': '{}', 'index.js': 'module.exports = { word: 1 };' }, { word: 1 }],
    ['one by one from CommonJS', { 'package.json': '{}', 'index.js': 'exports.word = 1;' }, { word: 1 }],
    ['JSON', { 'package.json': '{"main":"data.json"}', 'data.json': '{"word":1}' }, { word: 1 }],
  ];
  const install = (files: Files) =>
    folderWith(Object.fromEntries(Object.entries(files).map(([name, text]) => [`node_modules/one/${name}`, text])));

  test.each(kinds)('%s, in this process', async (_, files, value) => {
    const folder = await install(files);
    const { status, libraries } = await SchemaKit.loadLibraries({
      requiredLibraries: ['one'],
      allowlist: ['one'],
      folder,
    });
    expect({ status, one: { ...(libraries.one as object) } }).toEqual({ status: true, one: value });
  });

  test.each(kinds.slice(0, 4))('%s, in a handler', async (_, files) => {
    const folder = await install(files);
    const filePath = join(folder, 'schema.mjs');
    await writeFile(filePath, schemaOf(['one'], saying('libraries.one.word')));
    const schema = await SchemaKit.loadSchema({ filePath, allowlist: ['one'] });
    expect(await SchemaKit.fetch({ schema, routeName: 'say' })).toMatchObject({ status: true, data: 1 });
  });

  test('a function of CommonJS is called as it is', async () => {
    const folder = await install({ 'package.json': '{}', 'index.js': 'module.exports = (x) => x + 1;' });
    const { libraries } = await SchemaKit.loadLibraries({ requiredLibraries: ['one'], allowlist: ['one'], folder });
    expect((libraries.one as (x: number) => number)(1)).toBe(2);
  });

  test('an incompatible native add-on is an error with the reason', async () => {
    const folder = await install({ 'package.json': '{"main":"one.node"}', 'one.node': 'no add-on' });
    const { status, findings } = await SchemaKit.loadLibraries({
      requiredLibraries: ['one'],
      allowlist: ['one'],
      folder,
    });
    expect(status).toBe(false);
    expect(findings).toMatchObject([
      { code: 'LIB002', message: expect.stringMatching(/^Library 'one' cannot be loaded: .*one\.node/) },
    ]);
    expect(findings[0]?.message).not.toContain('Unknown file extension');
  });
});

test('parsers of XML, CSV and HTML work in the sandbox', async () => {
  const folder = await folderWith({
    'words.mjs': schemaOf(
      ['txml', 'papaparse', 'node-html-parser'],
      saying(`{
        xml: libraries.txml.parse('<a x="1"><b>two</b></a>'),
        csv: libraries.papaparse.parse('a,b\\n1,"x, y"', { header: true }).data,
        html: libraries['node-html-parser'].parse('<ul><li class="p">One<li class="p">Two &amp; 3</ul>')
          .querySelectorAll('li.p').map((item) => item.text),
      }`),
    ),
  });
  const schema = await SchemaKit.loadSchema({ filePath: join(folder, 'words.mjs') });
  expect(await SchemaKit.fetch({ schema, routeName: 'say' })).toMatchObject({
    messages: [],
    data: {
      xml: [{ tagName: 'a', attributes: { x: '1' }, children: [{ tagName: 'b', children: ['two'] }] }],
      csv: [{ a: '1', b: 'x, y' }],
      html: ['One', 'Two & 3'],
    },
  });
});

test('a library that the user allowed is used while its files are the same', async () => {
  const folder = await folderWith({
    'words.mjs': schemaOf(['one'], saying('libraries.one()')),
    ...packageOf('one', 'first'),
  });
  const pin = await pinLibrary('one', folder);
  const load = () => SchemaKit.loadSchema({ filePath: join(folder, 'words.mjs'), libraries: { one: pin ?? null } });
  expect(await SchemaKit.fetch({ schema: await load(), routeName: 'say' })).toMatchObject({ data: 'first' });
  await writeFile(join(folder, 'node_modules/one/more.js'), 'export {};');
  expect((await load()).findings.filter(({ severity }) => severity === 'error')).toMatchObject([{ code: 'LIB003' }]);
  expect(await pinLibrary('fs', folder)).toBeUndefined();
});
