import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { MarkdownResource } from '../schema/schema.ts';
import { databaseOf, documentOf, openFolder } from './fixtures/places.ts';
import { type LocateOptions, locateFile } from './locate-file.ts';

const folder = openFolder();
afterAll(() => folder.remove());
const at = (...parts: string[]) => join(folder.path, ...parts);
const options = { schemaFile: at('schemas', 'places.mjs'), cwd: at('project'), home: at('home'), env: {} };

function put(...parts: string[]): string {
  const file = at(...parts);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  return file;
}

async function locate(definition: Record<string, unknown>, more: LocateOptions = {}) {
  const located = await locateFile(databaseOf(definition), { ...options, ...more });
  return located.ok ? located.file : located.finding;
}

describe('a database by origin and name', () => {
  test.each([
    ['inline', ['schemas/resources', 'schemas/data', 'schemas']],
    [
      'project',
      [
        'project/.schemakit/resources',
        'project/.schemakit/data',
        'project/.flowmcp/resources',
        'project/.flowmcp/data',
      ],
    ],
    ['global', ['home/.schemakit/resources', 'home/.schemakit/data', 'home/.flowmcp/resources', 'home/.flowmcp/data']],
  ])('%s: the first of its folders that has it', async (origin, folders) => {
    const name = `${origin}.db`;
    const missing = await locate({ origin, name });
    expect(missing).toMatchObject({ code: 'FILE_MISSING', hint: `Put the file at ${at(folders[0] ?? '', name)}.` });
    for (const place of folders) expect(missing).toMatchObject({ message: expect.stringContaining(at(place, name)) });
    for (const place of folders.toReversed()) {
      const file = put(place, name);
      expect(await locate({ origin, name })).toBe(file);
      expect(await locate({ origin, database: name })).toBe(file);
    }
  });

  test.each([
    ['an absolute path', () => at('own'), ['own']],
    ['a path from the working directory', () => 'own', ['project', 'own']],
    ['a path from the home', () => '~/own', ['home', 'own']],
  ])('global: SCHEMAKIT_HOME names the folder by %s', async (_, named, folder) => {
    const env = { SCHEMAKIT_HOME: named() };
    const definition = { origin: 'global', name: 'named.db' };
    put('home', '.schemakit', 'resources', 'named.db');
    expect(await locate(definition, { env })).toMatchObject({
      code: 'FILE_MISSING',
      hint: `Put the file at ${at(...folder, 'resources', 'named.db')}.`,
    });
    const file = put(...folder, 'resources', 'named.db');
    expect(await locate(definition, { env })).toBe(file);
    // Schemas from elsewhere may read there as well, but not in the target folder.
    expect(await locate(definition, { env, approved: false })).toBe(file);
    const other = put('home', '.schemakit', 'resources', 'other.db');
    expect(await locate({ database: other }, { env, approved: false })).toMatchObject({ code: 'FILE_REFUSED' });
  });

  test('inline is missing for a schema without a file', async () => {
    expect(await locate({ origin: 'inline', name: 'a.db' }, { schemaFile: undefined })).toMatchObject({
      code: 'FILE_MISSING',
      message: expect.stringContaining('but this schema has no file'),
    });
  });
});

describe('a database by path', () => {
  test('relative: beside the schema, then in the working directory', async () => {
    const second = put('project', 'db', 'a.db');
    expect(await locate({ database: './db/a.db' })).toBe(second);
    const first = put('schemas', 'db', 'a.db');
    expect(await locate({ database: './db/a.db' })).toBe(first);
    expect(await locate({ name: 'db/a.db' })).toBe(first);
  });

  test('in the home', async () => {
    const file = put('home', '.flowmcp', 'data', 'home.db');
    expect(await locate({ database: '~/.flowmcp/data/home.db' })).toBe(file);
    expect(await locate({ database: '~/nowhere.db' })).toMatchObject({
      message: `Failed to open database "~/nowhere.db": there is no such file. Looked for it at ${at('home', 'nowhere.db')}.`,
    });
  });

  test('absolute, in a folder that schemas may read', async () => {
    for (const parts of [
      ['schemas', 'b.db'],
      ['project', '.flowmcp', 'data', 'b.db'],
    ] as const) {
      const file = put(...parts);
      expect(await locate({ database: file })).toBe(file);
    }
  });

  test('a folder with this name is not a file', async () => {
    mkdirSync(at('schemas', 'folder.db'), { recursive: true });
    expect(await locate({ database: 'folder.db' })).toMatchObject({ code: 'FILE_MISSING' });
  });

  test.each(['../a.db', 'a/../../b.db', '~/../a.db', 'a\\..\\b.db', '/tmp/../a.db', 'a\0.db'])(
    '%j is refused',
    async (path) => {
      const resource = { ...databaseOf({ database: 'a.db' }), file: { path } };
      expect(await locateFile(resource, options)).toMatchObject({ ok: false, finding: { code: 'FILE_REFUSED' } });
    },
  );
});

describe('a schema from elsewhere', () => {
  const approved = false;

  test('reads from its own folder and the resource folders', async () => {
    const files = [put('schemas', 'own.db'), put('home', '.schemakit', 'data', 'own2.db')];
    expect(await locate({ database: 'own.db' }, { approved })).toBe(files[0]);
    expect(await locate({ database: '~/.schemakit/data/own2.db' }, { approved })).toBe(files[1]);
    expect(await locate({ origin: 'global', name: 'own2.db' }, { approved })).toBe(files[1]);
  });

  test('reads nothing of the working directory', async () => {
    const file = put('project', 'production.db');
    expect(await locate({ database: 'production.db' }, { approved })).toMatchObject({ code: 'FILE_MISSING' });
    expect(await locate({ database: 'production.db' })).toBe(file);
  });
});

describe.each([true, false])('a schema (approved: %s)', (approved) => {
  test('reads nothing in the home, at absolute paths and beside the resource folders without a grant', async () => {
    const cookies = put('home', '.browser', 'cookies.db');
    put('home', '.schemakit', 'config.db');
    const refused = await locate({ database: '~/.browser/cookies.db' }, { approved });
    expect(refused).toMatchObject({
      code: 'FILE_REFUSED',
      hint: expect.stringContaining(`Put the file at ${at('home', '.schemakit', 'resources', 'cookies.db')}.`),
    });
    expect(refused).toMatchObject({ hint: expect.stringContaining(`schemakit trust <file> --read ${cookies};`) });
    expect(await locate({ database: cookies }, { approved })).toMatchObject({ code: 'FILE_REFUSED' });
    expect(await locate({ database: '~/.schemakit/config.db' }, { approved })).toMatchObject({ code: 'FILE_REFUSED' });
    for (const read of [[cookies], ['~/.browser'], [at('home')], ['../home/.browser/cookies.db']]) {
      expect(await locate({ database: cookies }, { approved, read })).toBe(cookies);
    }
    for (const read of [[at('home', '.brow')], ['~/.browser/cookies'], [at('project')]]) {
      expect(await locate({ database: cookies }, { approved, read })).toMatchObject({ code: 'FILE_REFUSED' });
    }
  });

  test('reads nothing else through a link either', async () => {
    const target = put('home', '.browser', `history-${approved}.db`);
    const link = at('schemas', `linked-${approved}.db`);
    symlinkSync(target, link);
    const definition = { database: `linked-${approved}.db` };
    expect(await locate(definition, { approved })).toMatchObject({
      code: 'FILE_REFUSED',
      message: expect.stringContaining(`${link}, a link to ${target}`),
    });
    expect(await locate(definition, { approved, read: [target] })).toBe(target);
  });

  test.runIf(process.platform === 'linux')('reads no files of the system, even with a grant', async () => {
    const name = `environ-${approved}.md`;
    symlinkSync('/proc/self/environ', at('schemas', name));
    const resource = documentOf({ origin: 'inline', name }) as MarkdownResource;
    expect(await locateFile(resource, { ...options, approved, read: ['/'] })).toMatchObject({
      finding: { code: 'FILE_REFUSED', message: expect.stringContaining('a file of the system') },
    });
  });
});

test.each([true, false])(
  'resource folders that are links out of their project or home are not read (approved: %s)',
  async (approved) => {
    const file = put('private', `a-${approved}.db`);
    for (const base of ['project', 'home']) {
      const name = `cloned-${base}-${approved}`;
      mkdirSync(at(name, '.schemakit'), { recursive: true });
      symlinkSync('/', at(name, '.schemakit', 'resources'));
      const places = { [base === 'project' ? 'cwd' : 'home']: at(name), approved };
      expect(await locate({ database: file }, places)).toMatchObject({ code: 'FILE_REFUSED' });
      symlinkSync(at('private'), at(name, '.schemakit', 'data'));
      const definition = { origin: base === 'project' ? 'project' : 'global', name: `a-${approved}.db` };
      expect(await locate(definition, places)).toMatchObject({ code: 'FILE_REFUSED' });
    }
    // A global folder that the user named may be anywhere.
    const named = at('named');
    put('elsewhere', 'resources', 'n.db');
    if (approved) symlinkSync(at('elsewhere'), named);
    expect(await locate({ origin: 'global', name: 'n.db' }, { env: { SCHEMAKIT_HOME: named }, approved })).toBe(
      at('elsewhere', 'resources', 'n.db'),
    );
  },
);

test('a grant does not follow a link that was made later', async () => {
  const secret = put('private', 'keys.db');
  const granted = at('schemas', 'granted');
  mkdirSync(granted, { recursive: true });
  expect(await locate({ database: secret }, { read: [granted] })).toMatchObject({ code: 'FILE_REFUSED' });
  symlinkSync(at('private'), at('later'));
  expect(await locate({ database: at('later', 'keys.db') }, { read: [at('later')] })).toMatchObject({
    code: 'FILE_REFUSED',
  });
  expect(await locate({ database: at('later', 'keys.db') }, { read: [at('private')] })).toBe(secret);
});

test('a name in a command is quoted', async () => {
  const file = put('elsewhere', '$(touch x) it.db');
  expect(await locate({ database: file })).toMatchObject({
    hint: expect.stringContaining(`--read '${file}'; in a program`),
  });
});

test('a schema file that is a link reads beside its target too', async () => {
  put('library', 'places.mjs');
  const target = put('library', 'places.db');
  put('linked', 'here');
  symlinkSync(at('library', 'places.mjs'), at('linked', 'places.mjs'));
  symlinkSync(target, at('linked', 'places.db'));
  expect(await locate({ database: 'places.db' }, { schemaFile: at('linked', 'places.mjs') })).toBe(target);
});

test('documents are found by the same rules', async () => {
  const file = put('schemas', 'resources', 'guide.md');
  const resource = documentOf({ origin: 'inline', name: 'guide.md' });
  expect(resource.kind === 'markdown' && (await locateFile(resource, options))).toEqual({ ok: true, file });
});
