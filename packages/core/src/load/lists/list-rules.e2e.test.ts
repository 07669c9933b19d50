// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are the text of modules
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listCodes } from '../../schema/finding-codes.ts';
import { hashForms } from '../../schema/hash.ts';
import { readSharedLists } from './shared-lists.ts';

let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'list-rules-'));
});
afterAll(() => rm(base, { recursive: true, force: true }));

type Files = Readonly<Record<string, string>>;

const meta = {
  name: 'colours',
  version: '1.0.0',
  description: 'Colours',
  fields: [
    { key: 'alias', type: 'string', optional: false },
    { key: 'wave', type: 'number', optional: true },
  ],
};
const entries = [{ alias: 'red', wave: 700 }, { alias: 'pink' }];
const list = { meta, entries };

const moduleOf = (value: unknown) => `export const list = ${JSON.stringify(value)};\n`;
const withMeta = (change: object): Files => ({ 'colours.mjs': moduleOf({ meta: { ...meta, ...change }, entries }) });
const withEntries = (value: unknown): Files => ({ 'colours.mjs': moduleOf({ meta, entries: value }) });
const module = (text: string): Files => ({ 'colours.mjs': text });
const plain: Files = { 'colours.mjs': moduleOf(list) };
const field = (...fields: object[]) => withMeta({ fields: [...meta.fields, ...fields] });

/** `colours`, which depends on `first`, and lists that depend on one another. */
function dependent(first: string, others: Readonly<Record<string, readonly string[]>> = {}): Files {
  const files = Object.entries(others).map(([name, dependsOn]) => [
    `${name}.mjs`,
    moduleOf({ meta: { ...meta, name, dependsOn }, entries }),
  ]);
  return { ...withMeta({ dependsOn: [first] }), ...Object.fromEntries(files) };
}

const paints = moduleOf({ meta: { ...meta, name: 'paints' }, entries });
const dependsOnPaints = (dependency: object): Files => ({
  ...withMeta({ dependsOn: [{ ref: 'paints', ...dependency }] }),
  'paints.mjs': paints,
});

const noted = { name: 'colours', file: 'colours.mjs' };
const registry = (...lists: unknown[]): Files => ({
  ...plain,
  '_registry.json': JSON.stringify({ specVersion: '3.0.0', lists }),
});
const fileHash = `sha256:${createHash('sha256').update(moduleOf(list)).digest('hex')}`;

/** Reads the list `colours` from a folder of these files. */
async function read(files: Files) {
  const folder = await mkdtemp(join(base, 'lists-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return readColours(folder);
}

async function readColours(folder: string) {
  const { sharedLists, findings } = await readSharedLists([{ ref: 'colours' }], folder);
  return {
    folder,
    colours: sharedLists.colours,
    findings,
    said: findings.map(({ code, severity }) => `${code} ${severity}`),
  };
}

/** For each rule, files that break it (and nothing else), and similar files that do not. */
const rules: Readonly<Record<keyof typeof listCodes, { breaks: readonly Files[]; keeps: Files }>> = {
  LST001: {
    breaks: [
      module('export const lists = {};'),
      module(''),
      module('export const list = () => ({});'),
      module('export const list = [];'),
      module(moduleOf({ meta })),
      module(moduleOf({ meta: [], entries })),
      module(moduleOf({ meta, entries: {} })),
    ],
    keeps: module(`const list = ${JSON.stringify(list)};\nexport { list };`),
  },
  LST002: { breaks: [withMeta({ name: undefined }), withMeta({ name: ' ' })], keeps: plain },
  LST003: {
    breaks: [withMeta({ version: undefined }), withMeta({ version: 'v1' })],
    keeps: withMeta({ version: '1.2.3-rc.1' }),
  },
  LST004: { breaks: [withMeta({ fields: undefined }), withMeta({ fields: {} })], keeps: withMeta({ fields: [] }) },
  LST005: {
    breaks: [
      field({ type: 'string' }),
      field({ key: 'hex', type: 'text', optional: true }),
      field({ key: 'hex', type: 'string', optional: 'yes' }, { key: 'hex', type: 'string', optional: true }),
      field({ key: 'wave', type: 'number' }),
    ],
    keeps: field({ key: 'hex', type: 'string', optional: true, description: 'For the web' }),
  },
  LST006: { breaks: [withEntries([])], keeps: withEntries(entries.slice(1)) },
  LST007: {
    breaks: [withEntries([...entries, { wave: 1 }]), withEntries([{ alias: null }]), withEntries(['red', ...entries])],
    keeps: { 'colours.mjs': moduleOf({ meta: { ...meta, fields: [] }, entries: ['red', 'pink'] }) },
  },
  LST008: {
    breaks: [withEntries([{ alias: 1 }]), withEntries([{ alias: 'red', wave: '700' }])],
    keeps: withEntries([{ alias: 'red', wave: null }]),
  },
  LST009: {
    breaks: [
      withMeta({ dependsOn: 'paints' }),
      withMeta({ dependsOn: [7] }),
      withMeta({ dependsOn: [{ version: '1.0.0' }] }),
      dependsOnPaints({ condition: { field: 'alias' } }),
      dependsOnPaints({ condition: 'red' }),
    ],
    keeps: dependsOnPaints({ version: '1.0.0' }),
  },
  LST010: {
    breaks: [dependent('colours'), dependent('a', { a: ['colours'] }), dependent('a', { a: ['b'], b: ['a'] })],
    keeps: dependent('a', { a: ['b', 'c'], b: ['c'], c: [] }),
  },
  LST011: {
    breaks: [dependent('a', { a: ['b'], b: ['c'], c: ['d'], d: [] })],
    keeps: dependent('a', { a: ['b'], b: ['c'], c: [] }),
  },
  LST012: {
    breaks: [
      dependsOnPaints({ condition: { field: 'alias', value: 'blue' } }),
      dependsOnPaints({ condition: { field: 'wave', value: '700' } }),
      dependsOnPaints({ condition: { field: 'toString', value: null } }),
    ],
    keeps: dependsOnPaints({ condition: { field: 'wave', value: 700 } }),
  },
  LST013: {
    breaks: [
      { ...plain, '_registry.json': '{' },
      { ...plain, '_registry.json': '[]' },
      { ...plain, '_registry.json': '{ "lists": {} }' },
      registry({ name: 'colours' }),
      registry(noted, noted),
    ],
    keeps: { ...plain, '_registry.json': '{}' },
  },
  LST014: {
    breaks: [
      registry({ ...noted, file: 'none.mjs' }),
      registry({ ...noted, file: '../colours.mjs' }),
      registry({ ...noted, file: '/etc/passwd' }),
      registry({ ...noted, file: '.' }),
      { ...registry({ ...noted, file: 'paints.mjs' }), 'paints.mjs': paints },
    ],
    keeps: registry({ ...noted, file: './colours.mjs' }),
  },
  LST015: {
    breaks: [registry({ ...noted, version: '2.0.0' }), registry({ ...noted, entryCount: 3 })],
    keeps: registry({ ...noted, version: '1.0.0', entryCount: 2 }),
  },
  LST016: {
    breaks: [registry({ ...noted, hash: `sha256:${'0'.repeat(64)}` }), registry({ ...noted, hash: 'none' })],
    keeps: registry({ ...noted, hash: fileHash }),
  },
  LST017: { breaks: [withEntries([{ alias: 'red', waev: 700 }])], keeps: withEntries([{ alias: 'red' }]) },
  SEC200: {
    breaks: [module(`function unused() {}\n${moduleOf(list)}`)],
    keeps: module(`${moduleOf(list)}// function unused() {}`),
  },
  SEC201: {
    breaks: [module(`const from = (alias) => ({ alias });\n${moduleOf(list)}`)],
    keeps: withEntries([{ alias: 'a => b' }]),
  },
  SEC202: {
    breaks: [module(`async function unused() {}\n${moduleOf(list)}`)],
    keeps: withEntries([{ alias: 'async' }]),
  },
  SEC203: {
    breaks: [module("const red = 'red';\n".concat(moduleOf(list).replace('"red"', '`dark ${red}`')))],
    keeps: module(moduleOf(list).replace('"red"', '`red`')),
  },
  SEC204: {
    breaks: [module(moduleOf(list).replace('"red"', 'Math.random()'))],
    keeps: module(moduleOf(list).replace('"red"', '["r", "ed"].join("")')),
  },
};

describe.each(Object.entries(rules))('%s', (code, { breaks, keeps }) => {
  const [severity] = listCodes[code as keyof typeof listCodes];

  test.each(breaks.map((files, index) => [index + 1, files] as const))('is broken by files %i', async (_, files) => {
    const { said, findings, folder } = await read(files);
    expect(said).toContain(`${code} ${severity}`);
    expect(findings.every(({ file, path }) => file?.startsWith(folder) ?? path.startsWith('main'))).toBe(true);
  });

  test('is kept', async () => {
    const { said, colours } = await read(keeps);
    expect(said).toEqual([]);
    expect(colours).not.toHaveLength(0);
  });
});

test('a list with every feature gives no findings', async () => {
  const { said, colours } = await read(plain);
  expect({ said, colours }).toEqual({ said: [], colours: entries });
});

test('a problem of many entries is reported once per field, at the first entry', async () => {
  const text = `export const list = ${JSON.stringify({ meta, entries: [...entries, ...Array(500).fill({ wave: '1' })] }, null, 1)}`;
  const { findings } = await read(module(text));
  expect(findings.map(({ code, path, message }) => [code, path, message])).toEqual([
    ['LST007', 'list.entries[2]', `the shared list 'colours' has entries without "alias" (entry 3 and 499 more)`],
    [
      'LST008',
      'list.entries[2]["wave"]',
      `the shared list 'colours' has values of "wave" that are not of type number (entry 3 and 499 more)`,
    ],
  ]);
  const line = text.split('\n').findIndex((each) => each.includes('"wave": "1"')) + 1;
  expect(findings[1]?.line).toBe(line);
});

describe('code in a list file', () => {
  test('is a warning if the list can still be read', async () => {
    const text = `const names = ['red', 'pink'];
const entries = names.map((alias) => ({ alias }));
export const list = { meta: ${JSON.stringify(meta)}, entries };`;
    const { colours, findings } = await read(module(text));
    expect(colours).toEqual([{ alias: 'red' }, { alias: 'pink' }]);
    expect(findings).toMatchObject([{ code: 'SEC201', severity: 'warning', line: 2, column: 27 }]);
  });

  test('is an error if it would have to run', async () => {
    const text = `function pick() { return Math.random() > 0.5 ? 'red' : 'pink'; }
export const list = { meta: ${JSON.stringify(meta)}, entries: [{ alias: pick() }] };`;
    const { colours, said } = await read(module(text));
    expect(colours).toBeUndefined();
    expect(said).toEqual(['SEC200 error', 'SEC204 error']);
  });

  test('is not run', async () => {
    const { colours, said } = await read(module(`globalThis.listWasRun = true;\n${moduleOf(list)}`));
    expect(colours).toBeUndefined();
    expect(said).toContain('SEC008 error');
    expect(Reflect.get(globalThis, 'listWasRun')).toBeUndefined();
  });
});

describe('the registry', () => {
  test('names a file of any name, which wins over files named after the list', async () => {
    const other = moduleOf({ meta, entries: [{ alias: 'blue' }] });
    const files = { ...registry({ ...noted, file: 'x.mjs' }), 'x.mjs': other };
    expect(await read(files)).toMatchObject({ colours: [{ alias: 'blue' }], said: [] });
  });

  test('may name files in subfolders, but not outside of the folder through a link', async () => {
    const folder = await mkdtemp(join(base, 'lists-'));
    await mkdir(join(folder, 'below'));
    await writeFile(join(folder, 'below/x.mjs'), moduleOf(list));
    await writeFile(join(folder, '_registry.json'), JSON.stringify({ lists: [{ ...noted, file: 'below/x.mjs' }] }));
    expect((await readColours(folder)).colours).toEqual(entries);
    await writeFile(join(base, 'outside.mjs'), moduleOf(list));
    await symlink(join(base, 'outside.mjs'), join(folder, 'link.mjs'));
    await writeFile(join(folder, '_registry.json'), JSON.stringify({ lists: [{ ...noted, file: 'link.mjs' }] }));
    // The link in the folder is followed when the list is looked for by name, as any file there.
    expect((await readColours(folder)).said).toEqual(['LST014 warning']);
  });

  test('may have the hash of the file, or of the list in either form, with or without its prefix', async () => {
    const { canonical, plain: written } = hashForms({ list });
    for (const hash of [fileHash, fileHash.slice(7), fileHash.toUpperCase(), canonical, written]) {
      expect(await read(registry({ ...noted, hash }))).toMatchObject({ said: [], colours: entries });
    }
    const { colours, said } = await read(
      registry({ ...noted, hash: fileHash.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }),
    );
    expect({ colours, said }).toEqual({ colours: undefined, said: ['LST016 error'] });
  });

  test('that names a missing file does not hide the list', async () => {
    expect(await read(registry({ ...noted, file: 'none.mjs' }))).toMatchObject({ colours: entries });
  });
});

test('the entries are frozen, so that programs cannot change them for others', async () => {
  const { colours, folder } = await read(plain);
  expect(() => (colours as unknown[]).push(1)).toThrow(TypeError);
  expect(() => Object.assign(colours?.[0] as object, { alias: 'x' })).toThrow(TypeError);
  const filtered = await readSharedLists([{ ref: 'colours', filter: { key: 'wave', exists: true } }], folder);
  expect(filtered.sharedLists.colours).toEqual([entries[0]]);
  expect(Object.isFrozen(filtered.sharedLists.colours)).toBe(true);
});
