import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createRepository } from '../../packages/cli/src/sources/fixtures/git-repository.ts';
import { serveRepository } from '../../packages/cli/src/sources/fixtures/git-server.ts';
import { serveRegistry } from '../../packages/cli/src/sources/fixtures/registry-server.ts';
import { listText, schemaText } from '../../packages/cli/src/sources/fixtures/schema-text.ts';
import { filesBelow } from '../../packages/cli/src/sources/fixtures/source-home.ts';
import { makeTar } from '../../packages/cli/src/sources/fixtures/tar-file.ts';
import { cliProject } from './support/cli-project.ts';
import { hasTerminal, runAtTerminal } from './support/command.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { closedOrigin } from './support/upstream.ts';

const newer = (namespace: string) => schemaText(namespace, { tail: '// newer\n' });

/** A registry on the web, and a project that imports it. */
async function tides(files: Readonly<Record<string, string>>) {
  const server = await serveRegistry();
  server.publish(files);
  const project = await cliProject();
  return { ...project, server, url: `${server.origin}/registry.json` };
}

describe('schemakit import', () => {
  test('brings in a repository from a git server; its tools can be added and listed', async () => {
    const repository = createRepository({
      'a/tides.mjs': schemaText('tides'),
      '_lists/colours.mjs': listText('colours'),
    });
    const { url } = await serveRepository(repository.folder);
    const { start, run, home, json } = await cliProject();
    const { status, json: result, stderr } = await start('import', url, '--name', 'sea');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(result).toEqual({
      status: true,
      source: 'sea',
      schemasImported: 1,
      url,
      revision: repository.git(['rev-parse', 'HEAD']),
      downloaded: 2,
      updated: 0,
      skipped: 0,
      failed: 0,
      summary: 'sea: 2 added; 1 schema.',
      files: {
        added: ['_lists/colours.mjs', 'a/tides.mjs'],
        changed: [],
        removed: [],
        edited: [],
        unchanged: [],
        failed: [],
      },
      trusted: ['a/tides.mjs'],
      needsTrust: [],
      requiredModules: [],
      dryRun: false,
      warnings: [],
      errors: [],
      next: ['schemakit add sea/a/tides.mjs'],
    });
    const lock = json('home/schemas/schemakit.lock.json') as { schemas: Record<string, { source: string }> };
    expect(lock.schemas['sea/a/tides.mjs']?.source).toBe(url);
    expect(run('search', 'tides', 'get').json.tools).toContainEqual(expect.objectContaining({ name: 'tides_getOne' }));
    expect(run('add', 'sea/a/tides.mjs').json).toMatchObject({ status: true, added: 'tides_getOne' });
    expect(run('list').json).toMatchObject({ toolCount: 1, tools: [{ name: 'tides_getOne' }] });
    expect(run('status').json.sources).toMatchObject({ sea: { type: 'git', url, schemaCount: 1 } });
    expect(existsSync(join(home, 'config.json'))).toBe(false);
  });

  test('brings in a branch', async () => {
    const repository = createRepository({ 'a.mjs': schemaText('a') });
    repository.git(['checkout', '--quiet', '-b', 'next']);
    repository.commit({ 'b.mjs': schemaText('b') });
    const { run } = await cliProject();
    const result = run('import', repository.url, '--name', 'sea', '--branch', 'next');
    expect(result).toMatchObject({ status: 0, json: { schemasImported: 2 } });
    expect(run('import', repository.url, '--branch', '--upload-pack=x').status).toBe(2);
    const unknown = run('import', repository.url, '--name', 'other', '--branch', 'nothing');
    expect(unknown).toMatchObject({ status: 5, json: { fix: expect.stringContaining('main, next') } });
  });

  test('brings in an archive and a folder', async () => {
    const { run, folder } = await cliProject();
    const members = [{ path: 'tides-1.0/a.mjs', text: schemaText('a') }];
    writeFileSync(join(folder, 'tides-1.0.tar.gz'), gzipSync(makeTar(members)));
    mkdirSync(join(folder, 'mine'));
    writeFileSync(join(folder, 'mine', 'b.mjs'), schemaText('b'));
    expect(run('import', 'tides-1.0.tar.gz').json).toMatchObject({ source: 'tides-1.0', files: { added: ['a.mjs'] } });
    expect(run('import', './mine').json).toMatchObject({ source: 'mine', files: { added: ['b.mjs'] } });
    expect(run('status').json.sources).toMatchObject({ mine: { type: 'folder' }, 'tides-1.0': { type: 'archive' } });
  });

  test('tries with --dry-run, and leaves nothing behind', async () => {
    const { start, url, has } = await tides({ 'a.mjs': schemaText('a') });
    const { status, json } = await start('import', url, '--dry-run');
    expect({ status, json }).toMatchObject({
      status: 0,
      json: { dryRun: true, files: { added: ['a.mjs'] }, next: [] },
    });
    expect([has('home/config.json'), has('home/schemas')]).toEqual([false, false]);
  });

  test('takes the files that are right, and fails over those that are not', async () => {
    const evil = schemaText('evil', { tail: "import fs from 'node:fs';\nexport const handlers = () => ({});" });
    const { start, url, has } = await tides({ 'a.mjs': schemaText('a'), 'evil.mjs': evil });
    const { status, json } = await start('import', url);
    expect(status).toBe(4);
    expect(json).toMatchObject({
      status: false,
      error: 'Files were skipped: tides/evil.mjs.',
      failed: 1,
      files: { added: ['a.mjs'], failed: ['evil.mjs'] },
      errors: [{ code: 'SEC001', line: expect.any(Number) }],
    });
    expect([has('home/schemas/tides/a.mjs'), has('home/schemas/tides/evil.mjs')]).toEqual([true, false]);
  });

  test('says how to install what schemas need, and waits for nobody', async () => {
    const text = schemaText('a').replace('requiredLibraries: []', "requiredLibraries: ['canvas', 'crypto']");
    const { start, url, server, home } = await tides({ 'a.mjs': text });
    const requiredModules = [
      { name: 'canvas', version: '^3.1.0' },
      { name: 'left-pad; touch x', version: '1.0.0' },
    ];
    const registry = JSON.parse(server.files.get('/registry.json') ?? '');
    registry.schemas[0].requiredModules = requiredModules;
    server.files.set('/registry.json', JSON.stringify(registry));
    const { status, json } = await start('import', url);
    expect(status).toBe(0);
    expect(json.requiredModules).toEqual([{ name: 'canvas', version: '^3.1.0', isInstalled: false }]);
    expect(json.next).toContain(`npm install --prefix ${home} canvas@^3.1.0`);
  });

  test('goes on where it was interrupted', async () => {
    const names = [...'abcdefghijklmnopqrst'];
    const files = names.map((name) => [`${name}.mjs`, schemaText(name)] as const);
    const { folder, home, start, url, server, has } = await tides(Object.fromEntries(files));
    const stopped = Promise.withResolvers<void>();
    server.intercept = (request) => {
      if (request.url !== '/t.mjs') return false;
      stopped.resolve();
      return true; // It gets no answer.
    };
    const bin = resolve('packages/cli/bin/schemakit.js');
    const env = { ...process.env, SCHEMAKIT_HOME: home };
    const child = spawn(process.execPath, [bin, 'import', url], { cwd: folder, env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    await stopped.promise;
    child.kill('SIGKILL');
    await ended;
    expect(has('home/schemas/tides')).toBe(false);
    const before = new Set(server.log);
    server.log.length = 0;
    server.intercept = undefined;
    expect(await start('import', url)).toMatchObject({ status: 0, json: { schemasImported: 20 } });
    const fetched = server.log.filter((line) => line.endsWith('.mjs'));
    expect(fetched).toContain('200 /t.mjs');
    // Those whose answers were on their way when it ended are asked for again.
    expect(fetched.filter((line) => before.has(line)).length).toBeLessThan(9);
    expect(has('home/schemas/.staging')).toBe(false);
  });
});

describe('paths that lead elsewhere are left out:', () => {
  const bad = ['../evil.mjs', '/tmp/evil.mjs', '..\\evil.mjs', 'CON.mjs', '.git/hooks/evil.mjs', 'A.mjs', 'evil.mjs.'];

  test.each(bad)('%s of a registry', async (file) => {
    const { start, url, server, home } = await tides({ 'a.mjs': schemaText('a') });
    const registry = JSON.parse(server.files.get('/registry.json') ?? '');
    registry.schemas.push({ file });
    server.files.set('/registry.json', JSON.stringify(registry));
    const { status, json } = await start('import', url);
    expect({ status, json }).toMatchObject({ status: 4, json: { files: { added: ['a.mjs'], failed: [file] } } });
    const files = Object.keys(filesBelow(home)).filter((path) => !path.startsWith('cache/'));
    expect(files).toEqual(['schemas/schemakit.lock.json', 'schemas/tides/_source.json', 'schemas/tides/a.mjs']);
  });

  test('a link of an archive', async () => {
    const { run, folder, home } = await cliProject();
    const link = { path: 'x/b.mjs', type: '2', target: '/etc/passwd' };
    writeFileSync(join(folder, 'x.tgz'), gzipSync(makeTar([{ path: 'x/a.mjs', text: schemaText('a') }, link])));
    expect(run('import', 'x.tgz')).toMatchObject({
      status: 4,
      json: { files: { added: ['a.mjs'], failed: ['b.mjs'] } },
    });
    expect(existsSync(join(home, 'schemas/x/b.mjs'))).toBe(false);
  });

  test('a link of a folder', async () => {
    const { run, folder } = await cliProject();
    mkdirSync(join(folder, 'mine'));
    writeFileSync(join(folder, 'mine', 'a.mjs'), schemaText('a'));
    symlinkSync('/etc/passwd', join(folder, 'mine', 'b.mjs'));
    expect(run('import', 'mine')).toMatchObject({ status: 4, json: { files: { failed: ['b.mjs'] } } });
  });
});

describe('a source that cannot be imported', () => {
  test('is not there', async () => {
    const { start, run, has } = await tides({});
    const server = await serveRegistry();
    expect(await start('import', `${server.origin}/registry.json`)).toMatchObject({
      status: 5,
      json: { status: false, error: expect.stringContaining('answered 404') },
    });
    expect((await start('import-registry', `${await closedOrigin()}/registry.json`)).status).toBe(5);
    expect(run('import', './nowhere')).toMatchObject({ status: 3, json: { fix: 'Check the path.' } });
    expect(run('import', 'nowhere.tar.gz').status).toBe(3);
    expect(run('import', 'file:///nowhere').status).toBe(5);
    expect(has('home/schemas/tides')).toBe(false);
  });

  test.each([
    ['no JSON', '{', 4],
    ['a web page', '<!doctype html><title>x</title>', 4],
    ['without schemas', '{"name": "tides", "schemas": []}', 3],
    ['that leads out', '{"name": "tides", "baseDir": "../..", "schemas": []}', 4],
  ])('is a registry that is %s', async (_, text, expected) => {
    const { start, url, server, has } = await tides({});
    server.files.set('/registry.json', text);
    const { status, json } = await start('import-registry', url);
    expect({ status, json }).toMatchObject({ status: expected, json: { status: false, error: expect.any(String) } });
    expect(has('home/schemas/tides')).toBe(false);
  });

  test.each([
    ['https://user:key@example.com/tides', 'credentials'],
    ['ext::sh -c touch% x', 'unsupported protocol'],
    ['https://example.com/tides.zip', 'zip files are not supported'],
    ['http://93.184.216.34/registry.json', 'has no TLS'],
    ['', 'it is empty'],
  ])('has an address that is refused: %s', async (url, reason) => {
    const { run } = await cliProject();
    const { status, json } = run('import', url);
    expect({ status, json }).toMatchObject({ status: 2, json: { error: expect.stringContaining(reason) } });
  });

  test('is an archive that grows without end', async () => {
    const { run, folder, has } = await cliProject();
    writeFileSync(join(folder, 'bomb.tar.gz'), gzipSync(Buffer.alloc(300 * 2 ** 20)));
    const { status, json } = run('import', 'bomb.tar.gz');
    expect({ status, json }).toMatchObject({ status: 4, json: { errors: [{ code: 'SRC006' }] } });
    writeFileSync(join(folder, 'text.tar.gz'), 'not an archive');
    expect(run('import', 'text.tar.gz')).toMatchObject({ status: 4, json: { errors: [{ code: 'SRC017' }] } });
    expect(has('home/schemas')).toBe(false);
  });

  test('has a name that is taken, until it gets another', async () => {
    const { start, url, run, folder, has } = await tides({ 'a.mjs': schemaText('a') });
    mkdirSync(join(folder, 'tides'));
    writeFileSync(join(folder, 'tides', 'b.mjs'), schemaText('b'));
    await start('import', url);
    const taken = run('import', './tides');
    expect(taken).toMatchObject({ status: 2, json: { fix: expect.stringContaining('--name <name>') } });
    expect(has('home/schemas/tides/b.mjs')).toBe(false);
    expect(run('import', './tides', '--name', 'mine').status).toBe(0);
    expect(run('import', './tides', '--name', '../mine').status).toBe(2);
  });
});

describe('schemakit update', () => {
  test('brings in what changed, keeps what was edited, and says what became of each file', async () => {
    const { start, url, server, home } = await tides({
      'a.mjs': schemaText('a'),
      'b.mjs': schemaText('b'),
      'c.mjs': schemaText('c'),
      'd.mjs': schemaText('d'),
    });
    await start('import-registry', url);
    const edited = join(home, 'schemas/tides/c.mjs');
    writeFileSync(edited, '// mine\n');
    server.publish({ 'a.mjs': schemaText('a'), 'b.mjs': newer('b'), 'c.mjs': newer('c'), 'e.mjs': schemaText('e') });
    // Not all of the home: Node keeps there what it compiled.
    const before = filesBelow(join(home, 'schemas'));
    const trial = await start('update', '--dry-run');
    expect(filesBelow(join(home, 'schemas'))).toEqual(before);
    expect(trial.json).toMatchObject({
      summary: '1 source would be brought up to date.',
      sources: [
        { summary: expect.stringMatching(/1 would be added, 1 would be changed.*Dry run: nothing was written\.$/) },
      ],
    });
    const { status, json } = await start('update', 'tides');
    expect(status).toBe(0);
    expect(json).toMatchObject({
      status: true,
      summary: '1 source updated.',
      sources: [
        {
          sourceName: 'tides',
          status: true,
          totalSchemas: 4,
          downloaded: 2,
          updated: 1,
          skipped: 2,
          removedFiles: ['d.mjs'],
          files: { added: ['e.mjs'], changed: ['b.mjs'], removed: ['d.mjs'], edited: ['c.mjs'], unchanged: ['a.mjs'] },
          warnings: [{ code: 'SRC011' }, { code: 'SRC012' }],
        },
      ],
    });
    const [tried] = trial.json.sources as { files: unknown }[];
    expect(tried?.files).toEqual((json.sources as { files: unknown }[])[0]?.files);
    expect(readFileSync(edited, 'utf8')).toBe('// mine\n');
    rmSync(edited);
    expect((await start('update')).json).toMatchObject({ sources: [{ files: { added: ['c.mjs'] } }] });
  });

  test('asks only whether the registry is the same where nothing changed', async () => {
    const { start, url, server } = await tides({ 'a.mjs': schemaText('a') });
    await start('import', url);
    server.log.length = 0;
    expect((await start('update')).json).toMatchObject({ status: true, sources: [{ downloaded: 0, skipped: 1 }] });
    expect(server.log).toEqual(['304 /registry.json']);
  });

  test('works in the mode agent', async () => {
    const { start, run, url } = await tides({ 'a.mjs': schemaText('a') });
    await start('import', url);
    run('mode', 'agent');
    expect((await start('update')).status).toBe(0);
    expect(run('import', url)).toMatchObject({ status: 2, json: { fix: 'Run: schemakit mode dev' } });
  });

  test('knows no source of another name, and has nothing to do without any', async () => {
    const { start, run, url } = await tides({ 'a.mjs': schemaText('a') });
    expect(run('update')).toMatchObject({
      status: 0,
      json: { sources: [], summary: expect.stringContaining('import') },
    });
    await start('import', url);
    expect(run('update', 'tide')).toMatchObject({ status: 3, json: { fix: 'Did you mean tides?' } });
    expect(run('update', '../tides').status).toBe(3);
  });

  test('brings all others up to date where one fails', async () => {
    const { start, run, url, server, folder, home } = await tides({ 'a.mjs': schemaText('a') });
    await start('import', url, '--name', 'z');
    mkdirSync(join(folder, 'mine'));
    writeFileSync(join(folder, 'mine', 'a.mjs'), schemaText('b'));
    run('import', './mine');
    rmSync(join(folder, 'mine'), { recursive: true });
    server.publish({ 'a.mjs': newer('a') });
    const { status, json } = await start('update');
    expect(status).toBe(3);
    expect(json).toMatchObject({
      status: false,
      error: expect.stringContaining('no folder'),
      sources: [{ status: false }, { status: true, updated: 1 }],
    });
    expect(readFileSync(join(home, 'schemas/z/a.mjs'), 'utf8')).toBe(newer('a'));
  });

  test('says what is wrong with the notes of a source, and so does status', async () => {
    const { start, run, url, home } = await tides({ 'a.mjs': schemaText('a') });
    await start('import', url);
    writeFileSync(join(home, 'schemas/tides/_source.json'), '{');
    expect(run('update')).toMatchObject({ status: 4, json: { sources: [{ errors: [{ code: 'SRC009' }] }] } });
    expect(run('status').json.checks).toContainEqual(expect.objectContaining({ name: 'sources', ok: false }));
  });
});

describe('schemakit init --registry', () => {
  test('imports a registry in place of the catalog', async () => {
    const { start, url, has } = await tides({ 'a.mjs': schemaText('a') });
    const { status, json } = await start('init', '--yes', '--registry', url);
    expect({ status, json }).toMatchObject({
      status: 0,
      json: {
        imported: { source: 'tides', schemaCount: 1 },
        next: expect.arrayContaining(['schemakit add tides/a.mjs']),
      },
    });
    expect(has('home/schemas/catalog')).toBe(false);
    // The settings are of the mode agent now, in which nothing is imported.
    expect(await start('init', '--yes', '--registry', url)).toMatchObject({ status: 2 });
  });

  test('makes the settings where the registry cannot be had, and fails', async () => {
    const { start, has } = await cliProject();
    const url = `${await closedOrigin()}/registry.json`;
    expect(await start('init', '--yes', '--registry', url)).toMatchObject({ status: 5, json: { imported: null } });
    expect(has('project/.schemakit/config.json')).toBe(true);
  });

  test('is refused before anything is written', async () => {
    const { run, has } = await cliProject();
    expect(run('init', '--yes', '--registry', './x').status).toBe(2);
    expect(run('init', '--yes', '--no-import', '--registry', 'https://example.com/registry.json').status).toBe(2);
    expect([has('home/config.json'), has('home/schemas')]).toEqual([false, false]);
  });
});

describe.runIf(hasTerminal)('at a terminal', () => {
  test('progress and text are shown, and nothing that a source says moves the cursor', async () => {
    const server = await serveRegistry();
    server.publish({ 'a.mjs': schemaText('a'), 'b.mjs': schemaText('b') });
    const { folder, home } = await cliProject();
    const env = { SCHEMAKIT_HOME: home, NO_COLOR: '1' };
    const { status, screen } = await runAtTerminal(['import', `${server.origin}/registry.json`], '', {
      cwd: folder,
      env,
    });
    expect(status).toBe(0);
    expect(screen).toMatch(/Fetching 2\/2 [ab]\.mjs/);
    expect(screen).toContain('tides: 2 added; 2 schemas.');
    expect(screen).toContain('schemakit add tides/a.mjs');
    expect(screen).not.toContain('\u001b');
  });

  test('a name with control characters is spelled out', async () => {
    const base = await temporaryFolder({ 'a.mjs': schemaText('a'), 'b\u001b[2J.mjs': schemaText('b') });
    const { folder, home } = await cliProject();
    const env = { SCHEMAKIT_HOME: home, NO_COLOR: '1' };
    const { status, screen } = await runAtTerminal(['import', base], '', { cwd: folder, env });
    expect(status).toBe(4);
    expect(screen).toContain('b\\u{1b}[2J.mjs');
    expect(screen).not.toContain('\u001b');
  });
});

describe('schemakit source', () => {
  test('list shows every source, where it came from and what is in it', async () => {
    const { start, run, url, home, folder } = await tides({ 'a.mjs': schemaText('a'), 'b.mjs': schemaText('b') });
    run('init', '--yes');
    run('mode', 'dev');
    mkdirSync(join(folder, 'schemas'));
    writeFileSync(join(folder, 'schemas/mine.mjs'), schemaText('mine'));
    await start('import-registry', url, '--name', 'sea');
    const { sources } = run('source', 'list').json as { sources: Record<string, unknown>[] };
    expect(sources.map(({ name, type, schemaCount }) => [name, type, schemaCount])).toEqual([
      ['schemas', 'own', 1],
      ['catalog', 'builtin', expect.any(Number)],
      ['sea', 'registry', 2],
    ]);
    expect(sources[2]).toMatchObject({
      url,
      toolCount: 2,
      updatedAt: expect.stringMatching(/^\d{4}-/),
      folder: join(home, 'schemas/sea'),
    });
  });

  test('remove takes files, pins and what the settings note, and names the groups that used it', async () => {
    const { start, run, url, json, has } = await tides({ 'a.mjs': schemaText('a') });
    await start('import-registry', url, '--name', 'sea');
    run('add', 'sea/a.mjs');
    expect(Object.keys(json('home/schemas/schemakit.lock.json').schemas as object)).toEqual(['sea/a.mjs']);
    expect(run('source', 'remove', 'sea')).toMatchObject({
      status: 2,
      json: { fix: 'Run: schemakit source remove sea --yes' },
    });
    expect(run('source', 'remove', 'sea', '--yes').json).toEqual({
      status: true,
      removed: 'sea',
      schemaCount: 1,
      revoked: ['sea/a.mjs'],
      usedBy: { default: ['sea/a.mjs'] },
      next: ['schemakit group remove default --tools sea/a.mjs'],
    });
    expect([has('home/schemas/sea'), has('home/schemas/.staging')]).toEqual([false, false]);
    expect(json('home/schemas/schemakit.lock.json').schemas).toEqual({});
    expect(run('source', 'remove', 'sea', '--yes').status).toBe(3);
    // It can be imported again as if it had never been there.
    expect(await start('import-registry', url, '--name', 'sea')).toMatchObject({
      status: 0,
      json: { trusted: ['a.mjs'], needsTrust: [] },
    });
  });

  test('remove leaves files that nobody imported, and takes the catalog', async () => {
    const { run, has, json } = await cliProject({ 'home/schemas/mine/a.mjs': schemaText('a') });
    expect(run('source', 'remove', 'mine', '--yes')).toMatchObject({
      status: 3,
      json: { error: 'mine is no imported source' },
    });
    expect(run('source', 'remove', '../home', '--yes').status).toBe(3);
    expect(has('home/schemas/mine/a.mjs')).toBe(true);
    run('init', '--yes');
    run('mode', 'dev');
    expect(run('source', 'remove', 'catalog', '--yes').json).toMatchObject({ removed: 'catalog' });
    expect(has('home/schemas/catalog/registry.json')).toBe(false);
    expect(json('home/config.json').sources).toEqual({});
  });

  test('a source never hides behind the folder of the project', async () => {
    const { run, folder, has } = await cliProject({ 'project/schemas/mine.mjs': schemaText('mine') });
    const { json } = run('import', './schemas');
    expect(json).toMatchObject({ status: true, source: 'project' });
    expect((run('source', 'list').json.sources as { url: string }[])[1]?.url).toBe(join(folder, 'schemas'));
    expect(run('import', './schemas', '--name', 'schemas')).toMatchObject({
      status: 2,
      json: { fix: 'Choose another name: --name <name>.' },
    });
    expect(has('home/schemas/schemas')).toBe(false);
  });
});
