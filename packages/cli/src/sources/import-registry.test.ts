import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SchemaKit } from '@schemakit/core';
import { readLock } from '@schemakit/core/lock';
import { beforeEach, describe, expect, test } from 'vitest';
import { type RegistryServer, serveRegistry } from './fixtures/registry-server.ts';
import { listText, schemaText } from './fixtures/schema-text.ts';
import { filesBelow, temporaryFolder, withLimits } from './fixtures/source-home.ts';
import { importRegistry, updateSource } from './import-source.ts';
import type { SourceOptions, sourceLimits } from './source-options.ts';
import { listSources } from './source-state.ts';

interface LimitedOptions extends Partial<SourceOptions> {
  name?: string;
  limits?: Partial<typeof sourceLimits>;
}

let server: RegistryServer;
let folder: string;
beforeEach(async () => {
  server = await serveRegistry();
  folder = join(temporaryFolder(), 'schemas');
});

const runImport = ({ limits = {}, ...options }: LimitedOptions = {}) =>
  withLimits(limits, () => importRegistry({ url: `${server.origin}/registry.json`, folder, ...options }));
const update = (options: Partial<SourceOptions> = {}) => updateSource({ name: 'tides', folder, ...options });
const place = (path: string) => join(folder, 'tides', path);
const text = (path: string) => readFileSync(place(path), 'utf8');
const lock = () => readLock({ lockFile: join(folder, 'schemakit.lock.json'), missing: 'empty' }).lock?.schemas;
const codes = ({ findings }: { findings: readonly { code: string }[] }) => findings.map(({ code }) => code);

describe('an import', () => {
  test('imports schemas and lists, and nothing else', async () => {
    server.publish(
      { 'a/a.mjs': schemaText('a'), 'b.mjs': schemaText('b') },
      { shared: { '_lists/colours.mjs': listText('colours') } },
    );
    server.files.set('/secret.mjs', 'not listed');
    const result = await runImport();
    expect(result).toMatchObject({
      status: true,
      name: 'tides',
      revision: '1.0.0',
      schemaCount: 2,
      added: ['_lists/colours.mjs', 'a/a.mjs', 'b.mjs'],
      trusted: ['a/a.mjs', 'b.mjs'],
      findings: [],
    });
    expect(Object.keys(filesBelow(folder))).toEqual([
      'schemakit.lock.json',
      'tides/_lists/colours.mjs',
      'tides/_source.json',
      'tides/a/a.mjs',
      'tides/b.mjs',
    ]);
    expect(text('b.mjs')).toBe(schemaText('b'));
  });

  test('pins schemas in the lock file with their source and without grants', async () => {
    server.publish({ 'a.mjs': schemaText('a') });
    await runImport();
    expect(lock()?.get('tides/a.mjs')).toMatchObject({
      source: `${server.origin}/registry.json`,
      revision: '1.0.0',
      grants: { network: [], secrets: [] },
    });
    const lockFile = join(folder, 'schemakit.lock.json');
    const loaded = await SchemaKit.loadSchema({
      filePath: place('a.mjs'),
      lockFile,
      onUnlocked: 'refuse',
      approveRoot: false,
    });
    expect(loaded.status).toBe(true);
  });

  test('uses the base folder of the registry', async () => {
    server.publish({ 'a.mjs': schemaText('a') }, { fields: { baseDir: 'schemas/v3' } });
    server.files.set('/schemas/v3/a.mjs', schemaText('a'));
    server.files.delete('/a.mjs');
    expect(await runImport()).toMatchObject({ status: true, added: ['a.mjs'] });
    expect(server.log).toContain('200 /schemas/v3/a.mjs');
  });

  test('imports the files that a schema refers to', async () => {
    const resources = `resources: { places: { source: 'sqlite', description: 'Places.', mode: 'file-based', origin: 'inline',
      name: 'places.db', queries: { all: { description: 'All.', sql: 'SELECT * FROM places', parameters: [], output: {
      mimeType: 'application/json', schema: { type: 'array', items: { type: 'object' } } } } } } },`;
    const skill = `skills: { about: { file: './skills/about.mjs' } },`;
    server.publish({ 'a/a.mjs': schemaText('a', { more: resources + skill }) });
    server.files.set('/a/resources/places.db', 'SQLite format 3');
    server.files.set(
      '/a/skills/about.mjs',
      `export const skill = { name: 'about', version: 'schemakit-skill/1.0.0', description: 'About it.', requires: { tools: ['getOne'] },
        input: [], output: 'Text.', content: 'Call {{tool:getOne}}.' };`,
    );
    const result = await runImport();
    expect(result.added).toEqual(['a/a.mjs', 'a/resources/places.db', 'a/skills/about.mjs']);
    expect(text('a/resources/places.db')).toBe('SQLite format 3');
  });

  test('uses the given name', async () => {
    server.publish({ 'a.mjs': schemaText('a') });
    expect(await runImport({ name: 'mine' })).toMatchObject({ status: true, name: 'mine' });
    expect(existsSync(join(folder, 'mine', 'a.mjs'))).toBe(true);
  });

  test('derives a folder name from the name of the registry', async () => {
    server.publish({ 'a.mjs': schemaText('a') }, { name: '../../Tides & Moons!' });
    expect(await runImport()).toMatchObject({ status: true, name: 'Tides-Moons' });
  });

  test('of the same registry is an update', async () => {
    server.publish({ 'a.mjs': schemaText('a') });
    await runImport();
    server.publish({ 'a.mjs': schemaText('a', { tail: '// newer\n' }) });
    expect(await runImport()).toMatchObject({ status: true, changed: ['a.mjs'] });
  });

  test('follows a redirected registry, and finds its files beside it', async () => {
    const other = await serveRegistry();
    other.publish({ 'a.mjs': schemaText('a') });
    server.intercept = (request, response) => {
      if (request.url !== '/registry.json') return false;
      response.writeHead(302, { location: '/moved/registry.json' }).end();
      return true;
    };
    server.files.set('/moved/registry.json', other.files.get('/registry.json') ?? '');
    server.files.set('/moved/a.mjs', schemaText('a'));
    expect(await runImport()).toMatchObject({ status: true, added: ['a.mjs'] });
  });

  test('writes nothing if no schema loads', async () => {
    server.publish({ 'a.mjs': 'export const main = 1;' });
    const result = await runImport();
    expect(result).toMatchObject({ status: false, added: [], failed: ['a.mjs'] });
    expect(codes(result)).toContain('SRC016');
    expect(filesBelow(folder)).toEqual({});
  });

  test('reports changes in a dry run, and writes nothing', async () => {
    server.publish({ 'a.mjs': schemaText('a') });
    expect(await runImport({ dryRun: true })).toMatchObject({
      status: true,
      dryRun: true,
      added: ['a.mjs'],
      trusted: ['a.mjs'],
    });
    expect(filesBelow(folder)).toEqual({});
  });
});

describe('a file that fails', () => {
  test('is not installed, but the others are', async () => {
    const evil = schemaText('evil', { tail: "import fs from 'node:fs';\nexport const handlers = () => ({});" });
    server.publish({ 'a.mjs': schemaText('a'), 'evil.mjs': evil });
    const result = await runImport();
    expect(result).toMatchObject({ status: false, added: ['a.mjs'], failed: ['evil.mjs'], trusted: ['a.mjs'] });
    expect(result.findings).toContainEqual(expect.objectContaining({ code: 'SEC001', file: place('evil.mjs') }));
    expect(existsSync(place('evil.mjs'))).toBe(false);
    expect(lock()?.has('tides/evil.mjs')).toBe(false);
  });

  test('keeps its previous version', async () => {
    server.publish({ 'a.mjs': schemaText('a') });
    await runImport();
    server.publish({ 'a.mjs': 'export const main = {' });
    expect(await update()).toMatchObject({ status: false, failed: ['a.mjs'], changed: [] });
    expect(text('a.mjs')).toBe(schemaText('a'));
    server.publish({ 'a.mjs': schemaText('a', { tail: '// mended\n' }) });
    expect(await update()).toMatchObject({ status: true, changed: ['a.mjs'] });
  });

  test('because its list is broken is skipped with the list', async () => {
    const uses = schemaText('a', { more: "sharedLists: [{ ref: 'colours', version: '1.0.0' }]," });
    const list = { '_lists/colours.mjs': listText('colours') };
    server.publish({ 'a.mjs': uses }, { shared: list });
    await runImport();
    server.publish({ 'a.mjs': uses }, { shared: { '_lists/colours.mjs': 'export const list = { meta:' } });
    const result = await update();
    expect(result).toMatchObject({ status: false, failed: ['_lists/colours.mjs', 'a.mjs'] });
    expect(text('_lists/colours.mjs')).toBe(listText('colours'));
  });

  test('does not match its hash', async () => {
    server.publish({ 'a.mjs': schemaText('a'), 'b.mjs': schemaText('b') });
    server.files.set('/b.mjs', schemaText('b', { root: 'https://evil.example.com' }));
    const result = await runImport();
    expect(result).toMatchObject({ status: false, added: ['a.mjs'], failed: ['b.mjs'] });
    expect(codes(result)).toEqual(['SRC007']);
  });

  test('is missing, or cannot be fetched', async () => {
    server.publish({ 'a.mjs': schemaText('a'), 'b.mjs': schemaText('b'), 'c.mjs': schemaText('c') });
    server.files.delete('/b.mjs');
    server.intercept = (request, response) => {
      if (request.url !== '/c.mjs') return false;
      response.writeHead(500).end();
      return true;
    };
    const result = await runImport();
    expect(result).toMatchObject({ status: false, added: ['a.mjs'], failed: ['b.mjs', 'c.mjs'] });
    expect(result.findings.map(({ path }) => path).sort()).toEqual(['b.mjs', 'c.mjs']);
  });

  test('is missing as often as an import allows', async () => {
    const names = Array.from({ length: 400 }, (_, index) => `s${index}.mjs`);
    server.publish(Object.fromEntries(names.map((name) => [name, schemaText(name.slice(0, -4))])));
    for (const name of names) server.files.delete(`/${name}`);
    let asked = 0;
    server.intercept = () => {
      asked += 1;
      return false;
    };
    const result = await runImport();
    expect(result.findings[0]?.message).toMatch(/^stopped after \d+ files could not be fetched/);
    expect(asked).toBeLessThan(60);
  });

  test('is too large', async () => {
    server.publish({ 'a.mjs': schemaText('a'), 'b.mjs': schemaText('b', { tail: `// ${'x'.repeat(5000)}` }) });
    const result = await runImport({ limits: { fileBytes: 4000 } });
    expect(result).toMatchObject({ status: false, added: ['a.mjs'], failed: ['b.mjs'] });
    expect(codes(result)).toEqual(['SRC006']);
  });
});

describe('an update', () => {
  const shared = { '_lists/colours.mjs': listText('colours') };
  beforeEach(async () => {
    server.publish({ 'a.mjs': schemaText('a'), 'b.mjs': schemaText('b'), 'c.mjs': schemaText('c') }, { shared });
    await runImport();
    server.log.length = 0;
  });

  test('requests only the registry if nothing changed, and writes nothing', async () => {
    const before = filesBelow(folder);
    expect(await update()).toMatchObject({
      status: true,
      unchanged: ['_lists/colours.mjs', 'a.mjs', 'b.mjs', 'c.mjs'],
    });
    expect(server.log).toEqual(['304 /registry.json']);
    expect(filesBelow(folder)).toEqual(before);
  });

  test('fetches only changed files', async () => {
    const newer = schemaText('b', { tail: '// newer\n' });
    server.publish({ 'a.mjs': schemaText('a'), 'b.mjs': newer, 'd.mjs': schemaText('d') }, { shared });
    const result = await update();
    expect(result).toMatchObject({ status: true, added: ['d.mjs'], changed: ['b.mjs'], removed: ['c.mjs'] });
    expect(server.log.sort()).toEqual(['200 /b.mjs', '200 /d.mjs', '200 /registry.json']);
    expect(text('b.mjs')).toBe(newer);
  });

  test('fetches all files without hashes, and writes changed ones', async () => {
    const files = { 'a.mjs': schemaText('a'), 'b.mjs': schemaText('b') };
    server.publish(files, { name: 'plain', hashes: false });
    await runImport({ name: 'plain' });
    server.publish({ ...files, 'b.mjs': schemaText('b', { tail: '// newer\n' }) }, { name: 'plain', hashes: false });
    server.log.length = 0;
    expect(await updateSource({ name: 'plain', folder })).toMatchObject({ changed: ['b.mjs'], unchanged: ['a.mjs'] });
    expect(server.log.sort()).toEqual(['200 /a.mjs', '200 /b.mjs', '304 /registry.json']);
  });

  test('writes nothing in a dry run', async () => {
    const before = filesBelow(folder);
    server.publish({ 'a.mjs': schemaText('a', { tail: '// newer\n' }), 'd.mjs': schemaText('d') });
    const result = await update({ dryRun: true });
    expect(result).toMatchObject({
      added: ['d.mjs'],
      changed: ['a.mjs'],
      removed: ['_lists/colours.mjs', 'b.mjs', 'c.mjs'],
    });
    expect(filesBelow(folder)).toEqual(before);
  });

  test('keeps files that the source no longer has, warns once, and forgets them once they are removed', async () => {
    server.publish({ 'a.mjs': schemaText('a'), 'b.mjs': schemaText('b') }, { shared });
    const first = await update();
    expect(first).toMatchObject({ status: true, removed: ['c.mjs'], schemaCount: 2 });
    expect(codes(first)).toEqual(['SRC012']);
    expect(text('c.mjs')).toBe(schemaText('c'));
    expect(codes(await update())).toEqual([]);
    rmSync(place('c.mjs'));
    expect(await update()).toMatchObject({ removed: [], findings: [] });
    expect(text('_source.json')).not.toContain('c.mjs"');
  });

  test('never overwrites local edits', async () => {
    writeFileSync(place('b.mjs'), '// mine\n');
    expect(await update()).toMatchObject({ status: true, edited: ['b.mjs'], findings: [] });
    const newer = schemaText('b', { tail: '// newer\n' });
    server.publish({ 'a.mjs': schemaText('a'), 'b.mjs': newer, 'c.mjs': schemaText('c') }, { shared });
    for (const _ of [1, 2]) {
      const result = await update();
      expect(result).toMatchObject({ status: true, edited: ['b.mjs'], changed: [] });
      expect(codes(result)).toEqual(['SRC011']);
      expect(text('b.mjs')).toBe('// mine\n');
    }
    rmSync(place('b.mjs'));
    expect(await update()).toMatchObject({ status: true, added: ['b.mjs'], edited: [] });
    expect(text('b.mjs')).toBe(newer);
  });

  test('does not overwrite other files with new ones', async () => {
    writeFileSync(place('d.mjs'), '// mine\n');
    mkdirSync(place('e.mjs'));
    const outside = temporaryFolder();
    symlinkSync(outside, place('linked'));
    const more = { 'd.mjs': schemaText('d'), 'e.mjs': schemaText('e'), 'linked/f.mjs': schemaText('f') };
    server.publish(
      { 'a.mjs': schemaText('a'), 'b.mjs': schemaText('b'), 'c.mjs': schemaText('c'), ...more },
      { shared },
    );
    expect(await update()).toMatchObject({ added: [], edited: ['d.mjs', 'e.mjs', 'linked/f.mjs'] });
    expect(text('d.mjs')).toBe('// mine\n');
    expect(filesBelow(outside)).toEqual({});
  });

  test('does not write through a link that replaced a file', async () => {
    const outside = join(temporaryFolder(), 'b.mjs');
    writeFileSync(outside, schemaText('b'));
    rmSync(place('b.mjs'));
    symlinkSync(outside, place('b.mjs'));
    server.publish(
      { 'a.mjs': schemaText('a'), 'b.mjs': schemaText('b', { tail: '// newer\n' }), 'c.mjs': schemaText('c') },
      { shared },
    );
    expect(await update()).toMatchObject({ edited: ['b.mjs'] });
    expect(readFileSync(outside, 'utf8')).toBe(schemaText('b'));
  });

  test('restores a file that was removed locally', async () => {
    rmSync(place('b.mjs'));
    expect(await update()).toMatchObject({ status: true, added: ['b.mjs'] });
    expect(text('b.mjs')).toBe(schemaText('b'));
  });

  test('requires trust again if a schema changed, and keeps its entry', async () => {
    const before = lock()?.get('tides/b.mjs');
    const newer = schemaText('b', { root: 'https://elsewhere.example.com' });
    server.publish(
      { 'a.mjs': schemaText('a'), 'b.mjs': newer, 'c.mjs': schemaText('c', { tail: '// comment\n' }) },
      { shared },
    );
    const result = await update();
    expect(result).toMatchObject({ status: true, changed: ['b.mjs', 'c.mjs'], needsTrust: ['b.mjs'], trusted: [] });
    const finding = result.findings.find(({ code }) => code === 'SRC013');
    expect(finding?.message).toContain('root changed from https://api.example.com to https://elsewhere.example.com');
    expect(finding?.hint).toContain('schemakit trust');
    expect(lock()?.get('tides/b.mjs')).toEqual(before);
    const lockFile = join(folder, 'schemakit.lock.json');
    expect((await SchemaKit.loadSchema({ filePath: place('b.mjs'), lockFile })).status).toBe(false);
  });

  test('requires trust again if only a list changed', async () => {
    const uses = schemaText('a', { more: "sharedLists: [{ ref: 'colours', version: '1.0.0' }]," });
    server.publish({ 'a.mjs': uses }, { name: 'lists', shared });
    await runImport({ name: 'lists' });
    const longer = { '_lists/colours.mjs': listText('colours', ['a', 'b', 'c']) };
    server.publish({ 'a.mjs': uses }, { name: 'lists', shared: longer });
    const result = await updateSource({ name: 'lists', folder });
    expect(result).toMatchObject({ changed: ['_lists/colours.mjs'], unchanged: ['a.mjs'], needsTrust: ['a.mjs'] });
  });

  test('does not trust a schema again after its trust was revoked', async () => {
    rmSync(join(folder, 'schemakit.lock.json'));
    expect(await update()).toMatchObject({ trusted: [], needsTrust: [] });
    expect(lock()?.size).toBe(0);
  });

  test('writes nothing if the lock file cannot be read', async () => {
    writeFileSync(join(folder, 'schemakit.lock.json'), '{');
    server.publish({ 'a.mjs': schemaText('a', { tail: '// newer\n' }) });
    const result = await update();
    expect(result.status).toBe(false);
    expect(codes(result)).toContain('LCK002');
    expect(text('a.mjs')).toBe(schemaText('a'));
  });
});

describe('a registry is refused', () => {
  const answer = (body: string | Buffer, status = 200) => {
    server.intercept = (_, response) => {
      response.writeHead(status).end(body);
      return true;
    };
  };

  test.each([
    ['is not there', '', 404, 'SRC002', /answered 404/],
    ['needs a login', '', 401, 'SRC002', /answered 401/],
    ['is out of order', '', 500, 'SRC002', /answered 500/],
    ['answers that nothing changed', '', 304, 'SRC002', /answered 304/],
    ['is a web page', '<!doctype html><title>x</title>', 200, 'SRC003', /is a web page, not JSON/],
    ['is no JSON', '{"name": ', 200, 'SRC003', /is not JSON/],
    ['is nothing', '', 200, 'SRC003', /is not JSON/],
    ['is a list', '[]', 200, 'SRC003', /is not a JSON object/],
    ['is null', 'null', 200, 'SRC003', /is not a JSON object/],
    ['is deep', '['.repeat(100_000), 200, 'SRC003', /is not JSON/],
    ['has no name', '{"schemas": []}', 200, 'SRC003', /has no name/],
    ['has a name that is no text', '{"name": 1, "schemas": []}', 200, 'SRC003', /has no name/],
    ['has no schemas', '{"name": "x"}', 200, 'SRC003', /has no list of schemas/],
    ['has no list of schemas', '{"name": "x", "schemas": {}}', 200, 'SRC003', /has no list of schemas/],
    ['has an empty list of schemas', '{"name": "x", "schemas": []}', 200, 'SRC016', /no loadable schema/],
    ['leads out by its base', '{"name": "x", "baseDir": "../..", "schemas": []}', 200, 'SRC004', /baseDir/],
    [
      'has a name of which nothing is left',
      '{"name": "…", "schemas": [{"file": "a.mjs"}]}',
      200,
      'SRC008',
      /not a valid folder name/,
    ],
  ])('that %s', async (_, body, status, code, message) => {
    answer(body, status);
    const result = await runImport();
    expect(result.status).toBe(false);
    expect(result.findings).toContainEqual(expect.objectContaining({ code, message: expect.stringMatching(message) }));
    expect(filesBelow(folder)).toEqual({});
  });

  test('that is huge', async () => {
    answer(Buffer.alloc(300_000, 0x20));
    expect(codes(await runImport({ limits: { registryBytes: 200_000 } }))).toEqual(['SRC006']);
  });

  test('that lists too many files', async () => {
    server.publish({ 'a.mjs': schemaText('a'), 'b.mjs': schemaText('b'), 'c.mjs': schemaText('c') });
    expect(codes(await runImport({ limits: { files: 2 } }))).toEqual(['SRC006']);
  });

  test('whose files are too large in total', async () => {
    const files = Array.from({ length: 30 }, (_, index): [string, string] => [
      `s${index}.mjs`,
      schemaText(`s${index}`),
    ]);
    server.publish(Object.fromEntries(files));
    const result = await runImport({ limits: { totalBytes: 3000 } });
    expect(codes(result)).toEqual(['SRC006']);
    expect(filesBelow(folder)).toEqual({});
  });

  test('if no file can be fetched, without requesting all of them', async () => {
    const files = Array.from({ length: 100 }, (_, index): [string, string] => [
      `s${index}.mjs`,
      schemaText(`s${index}`),
    ]);
    server.publish(Object.fromEntries(files));
    server.intercept = (request, response) => {
      if (request.url === '/registry.json') return false;
      response.writeHead(500).end();
      return true;
    };
    expect(codes(await runImport())).toEqual(['SRC002']);
    expect(server.log.length).toBeLessThan(50);
  });

  test('that sends nothing', async () => {
    server.intercept = () => true;
    const result = await runImport({ limits: { silenceMs: 100 } });
    expect(result).toMatchObject({ status: false, findings: [{ code: 'SRC002', hint: 'Try again later.' }] });
    expect(filesBelow(folder)).toEqual({});
  });

  test('that takes too long', async () => {
    server.intercept = (_, response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
      return true;
    };
    const result = await runImport({ limits: { requestMs: 200 } });
    expect(result).toMatchObject({ status: false, findings: [{ code: 'SRC002', hint: 'Try again later.' }] });
  });

  test('that cannot be reached', async () => {
    const result = await importRegistry({ url: 'http://127.0.0.1:1/registry.json', folder });
    expect(result).toMatchObject({ status: false, findings: [{ code: 'SRC002' }] });
    expect(result.findings[0]?.message).toContain('Target server not running');
  });

  test('that is on a public host without TLS', async () => {
    const result = await importRegistry({ url: 'http://93.184.216.34/registry.json', folder });
    expect(result).toMatchObject({ status: false, findings: [{ code: 'SRC001', hint: 'Use https.' }] });
  });

  test.each([
    'file:///etc/passwd',
    './registry.json',
    'git@example.com:x/y.git',
    'https://user:key@example.com/registry.json',
  ])('at %s', async (url) => {
    expect(codes(await importRegistry({ url, folder }))).toEqual(['SRC001']);
  });

  test('that redirects to another private address', async () => {
    const inner = await serveRegistry();
    inner.publish({ 'a.mjs': schemaText('a') });
    server.intercept = (_, response) => {
      response.writeHead(302, { location: `${inner.origin}/registry.json` }).end();
      return true;
    };
    const result = await runImport();
    expect(result).toMatchObject({ status: false, findings: [{ code: 'SRC002' }] });
    expect(result.findings[0]?.message).toContain('Address is not public');
    expect(inner.log).toEqual([]);
  });

  test('whose entries are invalid, with the position of each', async () => {
    const schemas = [{ file: 7 }, {}, null, { file: 'a.mjs', sha256: 'abc' }, { file: 'b.txt' }, { file: 'c.mjs' }];
    server.files.set('/registry.json', JSON.stringify({ name: 'tides', schemas }));
    server.files.set('/c.mjs', schemaText('c'));
    const result = await runImport();
    expect(result).toMatchObject({ status: false, added: ['c.mjs'] });
    expect(result.findings.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'SRC003 schemas[0]',
      'SRC003 schemas[1]',
      'SRC003 schemas[2]',
      'SRC003 schemas[3].sha256',
      'SRC004 schemas[4].file',
    ]);
  });
});

describe('a path in a registry does not lead out of the folder:', () => {
  test.each([
    '../evil.mjs',
    '../../../../tmp/evil.mjs',
    'a/../../evil.mjs',
    '/tmp/evil.mjs',
    'C:/evil.mjs',
    '..\\evil.mjs',
    '%2e%2e/evil.mjs',
    '..%2fevil.mjs',
    '.git/hooks/evil.mjs',
    'node_modules/ethers/evil.mjs',
    'CON.mjs',
    'evil.mjs. ',
    'evil\0.mjs',
    'https://evil.example.com/evil.mjs',
    '//evil.example.com/evil.mjs',
    `${'a'.repeat(300)}.mjs`,
  ])('%j', async (file) => {
    server.publish({ 'a.mjs': schemaText('a') }, { hashes: false });
    const registry = JSON.parse(server.files.get('/registry.json') ?? '') as { schemas: object[]; shared: object[] };
    registry.schemas.push({ file, shared: [file] });
    registry.shared.push({ file });
    server.files.set('/registry.json', JSON.stringify(registry));
    const result = await runImport();
    expect(result).toMatchObject({ status: false, added: ['a.mjs'], failed: [file] });
    expect(new Set(codes(result))).toEqual(new Set(['SRC004']));
    expect(result.findings).toHaveLength(3);
    expect(Object.keys(filesBelow(folder))).toEqual(['schemakit.lock.json', 'tides/_source.json', 'tides/a.mjs']);
    expect(server.log.sort()).toEqual(['200 /a.mjs', '200 /registry.json']);
  });

  test('two paths that collide', async () => {
    server.publish({ 'Tides.mjs': schemaText('a'), 'tides.mjs': schemaText('b') });
    expect(await runImport()).toMatchObject({ status: false, added: ['Tides.mjs'], failed: ['tides.mjs'] });
  });

  test('also in the files that a schema refers to', async () => {
    const skills = `skills: { about: { file: '../../../about.mjs' }, other: { file: '/etc/passwd.mjs' } },`;
    server.publish({ 'a.mjs': schemaText('a'), 'b.mjs': schemaText('b', { more: skills }) });
    expect(await runImport()).toMatchObject({ added: ['a.mjs'], failed: ['b.mjs'] });
    expect(server.log.filter((line) => !/registry|\/[ab]\.mjs/.test(line))).toEqual([]);
  });
});

describe('a name', () => {
  test.each(['..', '.', '.hidden', 'a/b', 'a\\b', '', 'CON', 'nul.x', '_lists', 'x'.repeat(65), 'a.', '-x'])(
    'that can be no folder is refused: %j',
    async (name) => {
      server.publish({ 'a.mjs': schemaText('a') });
      expect(codes(await runImport({ name }))).toEqual(['SRC008']);
      expect(codes(await updateSource({ name, folder }))).toEqual(['SRC015']);
    },
  );

  test.each(['mine', 'MINE'])('that is taken is refused: %s', async (name) => {
    mkdirSync(join(folder, 'mine'), { recursive: true });
    writeFileSync(join(folder, 'mine', 'a.mjs'), '// mine\n');
    server.publish({ 'a.mjs': schemaText('a') });
    expect(codes(await runImport({ name }))).toEqual(['SRC008']);
    expect(filesBelow(folder)).toEqual({ 'mine/a.mjs': '// mine\n' });
  });

  test('of another source is refused', async () => {
    server.publish({ 'a.mjs': schemaText('a') });
    await runImport();
    const other = await serveRegistry();
    other.publish({ 'a.mjs': schemaText('z') });
    const result = await importRegistry({ url: `${other.origin}/registry.json`, folder });
    expect(codes(result)).toEqual(['SRC008']);
    expect(text('a.mjs')).toBe(schemaText('a'));
  });
});

describe('_source.json', () => {
  test('records the origin of a source', async () => {
    server.publish({ 'a.mjs': schemaText('a') });
    await runImport();
    expect(await listSources({ folder })).toMatchObject([
      {
        status: true,
        name: 'tides',
        address: { type: 'registry', url: `${server.origin}/registry.json` },
        schemaCount: 1,
      },
    ]);
  });

  test.each([
    ['is no JSON', '{'],
    ['has another version', '{"sourceVersion": 2}'],
    ['has a path that leads out', (text: string) => text.replaceAll('"a.mjs": {', '"../a.mjs": {')],
    [
      'has an address that git would take for an option',
      (text: string) =>
        text.replace(/"type": "registry",\s+"url": "[^"]*"/, '"type": "git", "url": "--upload-pack=touch x"'),
    ],
    [
      'has an address that runs a program',
      (text: string) => text.replace(/"type": "registry",\s+"url": "[^"]*"/, '"type": "git", "url": "ext::sh -c true"'),
    ],
    ['has no hash', (text: string) => text.replace(/"kind": "schema",\s+"sha256": "[^"]*"/, '"kind": "schema"')],
  ])('that %s stops an update', async (_, change) => {
    server.publish({ 'a.mjs': schemaText('a') });
    await runImport();
    const before = text('_source.json');
    const changed = typeof change === 'string' ? change : change(before);
    expect(changed).not.toBe(before);
    writeFileSync(place('_source.json'), changed);
    expect(codes(await update())).toEqual(['SRC009']);
    expect(await listSources({ folder })).toMatchObject([{ status: false, name: 'tides' }]);
  });

  test('is required for an update', async () => {
    expect(codes(await update())).toEqual(['SRC015']);
  });
});
