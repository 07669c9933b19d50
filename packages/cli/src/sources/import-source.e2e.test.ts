import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { commitRawTree, createRepository } from './fixtures/git-repository.ts';
import { serveRepository } from './fixtures/git-server.ts';
import { serveRegistry } from './fixtures/registry-server.ts';
import { listText, schemaText } from './fixtures/schema-text.ts';
import { filesBelow, temporaryFolder, withLimits } from './fixtures/source-home.ts';
import { type MadeMember, makeTar } from './fixtures/tar-file.ts';
import { importSource, updateAll, updateSource } from './import-source.ts';
import type { SourceOptions, sourceLimits } from './source-options.ts';
import { listSources } from './source-state.ts';

interface LimitedOptions extends Partial<SourceOptions> {
  name?: string;
  branch?: string;
  limits?: Partial<typeof sourceLimits>;
}

let folder: string;
beforeEach(() => {
  folder = join(temporaryFolder(), 'schemas');
});

const runImport = (url: string, { limits = {}, ...options }: LimitedOptions = {}) =>
  withLimits(limits, () => importSource({ url, folder, ...options }));
const codes = ({ findings }: { findings: readonly { code: string }[] }) => findings.map(({ code }) => code);
const imported = () => Object.keys(filesBelow(folder)).filter((path) => !/(_source|schemakit\.lock)\.json$/.test(path));

describe('a repository', () => {
  test('over http imports its schemas and lists, and records the commit', async () => {
    const repository = createRepository({
      'tides/tides.mjs': schemaText('tides'),
      '_lists/colours.mjs': listText('colours'),
      'README.md': 'Read me.',
      'scripts/build.mjs': "import fs from 'node:fs';\nfs.rmSync('x');\n",
      '.github/x.mjs': schemaText('hidden'),
      '_drafts/x.mjs': schemaText('draft'),
      'node_modules/x/x.mjs': schemaText('installed'),
    });
    const server = await serveRepository(repository.folder);
    const commit = repository.git(['rev-parse', 'HEAD']);
    const result = await runImport(server.url, { name: 'mine' });
    expect(result).toMatchObject({ status: true, revision: commit, schemaCount: 1, findings: [] });
    expect(imported()).toEqual(['mine/_lists/colours.mjs', 'mine/tides/tides.mjs']);
    expect(server.log[0]).toMatch(/^GET .*\/info\/refs$/);
  });

  test('imports only what its registry lists, and its lists', async () => {
    const registry = { name: 'tides', baseDir: 'schemas/v3', schemas: [{ file: 'a.mjs' }] };
    const { url } = createRepository({
      'flowmcp-registry.json': JSON.stringify(registry),
      'schemas/v3/a.mjs': schemaText('a'),
      'schemas/v3/b.mjs': schemaText('b'),
      'schemas/v3/_lists/colours.mjs': listText('colours'),
      'schemas/v2/a.mjs': schemaText('old'),
    });
    expect(await runImport(url)).toMatchObject({ status: true, name: 'tides', added: ['_lists/colours.mjs', 'a.mjs'] });
  });

  test('with another program’s file that is named like a registry is imported without it', async () => {
    const { url } = createRepository({ 'registry.json': '{"registries": []}', 'a.mjs': schemaText('a') });
    expect(await runImport(url)).toMatchObject({ status: true, added: ['a.mjs'] });
  });

  test('imports another branch, a tag or a commit', async () => {
    const repository = createRepository({ 'a.mjs': schemaText('a') });
    repository.git(['tag', '-a', 'v1', '-m', 'One.']);
    const first = repository.git(['rev-parse', 'HEAD']);
    repository.git(['checkout', '--quiet', '-b', 'feature/next']);
    const second = repository.commit({ 'b.mjs': schemaText('b') });
    expect(await runImport(repository.url, { name: 'x1', branch: 'feature/next' })).toMatchObject({
      revision: second,
      schemaCount: 2,
    });
    expect(await runImport(repository.url, { name: 'x2', branch: 'v1' })).toMatchObject({
      revision: first,
      schemaCount: 1,
    });
    expect(await runImport(repository.url, { name: 'x3', branch: first })).toMatchObject({
      revision: first,
      schemaCount: 1,
    });
    const unknown = await runImport(repository.url, { name: 'x4', branch: 'nothing' });
    expect(unknown).toMatchObject({ status: false, findings: [{ code: 'SRC002' }] });
    expect(unknown.findings[0]?.hint).toContain('feature/next, main');
  });

  test('imports a folder of a branch, from the address of its page', async () => {
    const repository = createRepository({ 'a.mjs': schemaText('a') });
    repository.git(['checkout', '--quiet', '-b', 'feature/next']);
    repository.commit({ 'schemas/b.mjs': schemaText('b') });
    const { url } = await serveRepository(repository.folder);
    // Pages are addressed as on GitLab; the repository is called `<name>.git` there.
    execFileSync('git', ['clone', '--quiet', '--bare', repository.folder, `${repository.folder}/pages.git`]);
    const page = `${url}/pages/-/tree/feature/next/schemas`;
    expect(await runImport(page, { name: 'part' })).toMatchObject({ status: true, added: ['b.mjs'] });
    expect(await listSources({ folder })).toMatchObject([{ address: { branch: 'feature/next', path: 'schemas' } }]);
    expect(await updateSource({ name: 'part', folder })).toMatchObject({ status: true, unchanged: ['b.mjs'] });
  });

  test('is not fetched again if nothing changed', async () => {
    const repository = createRepository({ 'a.mjs': schemaText('a') });
    const server = await serveRepository(repository.folder);
    await runImport(server.url, { name: 'mine' });
    server.log.length = 0;
    expect(await updateSource({ name: 'mine', folder })).toMatchObject({ status: true, unchanged: ['a.mjs'] });
    // Protocol 2 asks for the branches with a POST; one that fetches has at least another.
    expect(server.log.filter((line) => line.startsWith('POST'))).toHaveLength(1);
  });

  test('restores a file that was removed locally, even if the source has not changed', async () => {
    const repository = createRepository({ 'a.mjs': schemaText('a'), 'b.mjs': schemaText('b') });
    await runImport(repository.url, { name: 'mine' });
    rmSync(join(folder, 'mine', 'b.mjs'));
    expect(await updateSource({ name: 'mine', folder })).toMatchObject({ status: true, added: ['b.mjs'] });
  });

  test('is updated, and local edits stay', async () => {
    const repository = createRepository({
      'a.mjs': schemaText('a'),
      'b.mjs': schemaText('b'),
      'c.mjs': schemaText('c'),
    });
    await runImport(repository.url, { name: 'mine' });
    const place = (path: string) => join(folder, 'mine', path);
    writeFileSync(place('b.mjs'), '// mine\n');
    repository.git(['rm', '--quiet', 'c.mjs']);
    const newer = schemaText('b', { tail: '// newer\n' });
    const commit = repository.commit({ 'b.mjs': newer, 'd.mjs': schemaText('d') });
    const result = await updateSource({ name: 'mine', folder });
    expect(result).toMatchObject({
      revision: commit,
      added: ['d.mjs'],
      edited: ['b.mjs'],
      removed: ['c.mjs'],
      unchanged: ['a.mjs'],
    });
    expect(readFileSync(place('b.mjs'), 'utf8')).toBe('// mine\n');
    rmSync(place('b.mjs'));
    expect(await updateSource({ name: 'mine', folder })).toMatchObject({ added: ['b.mjs'] });
    expect(readFileSync(place('b.mjs'), 'utf8')).toBe(newer);
  });

  test('cannot run code: no hook, no filter, no submodule', async () => {
    const trace = join(temporaryFolder(), 'ran');
    const repository = createRepository({
      'a.mjs': schemaText('a'),
      '.gitattributes': '*.mjs filter=evil\n',
      '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::touch% ${trace}\n`,
    });
    for (const hook of ['post-checkout', 'post-merge', 'pre-receive', 'reference-transaction', 'pre-auto-gc']) {
      writeFileSync(join(repository.folder, '.git', 'hooks', hook), `#!/bin/sh\ntouch ${trace}\n`, { mode: 0o755 });
    }
    repository.git(['config', 'filter.evil.smudge', `touch ${trace}`]);
    repository.git(['config', 'uploadpack.packObjectsHook', `touch ${trace}`]);
    expect(await runImport(repository.url)).toMatchObject({ status: true, added: ['a.mjs'] });
    expect(filesBelow(dirname(trace))).toEqual({});
  });

  test.each([
    ['a folder that leads up', [{ name: '..', entries: [{ name: 'evil.mjs', text: 'x' }] }], '../evil.mjs', 'SRC004'],
    ['a name with a slash', [{ name: '../../evil.mjs', text: 'x' }], '../../evil.mjs', 'SRC004'],
    ['a backslash', [{ name: '..\\evil.mjs', text: 'x' }], '..\\evil.mjs', 'SRC004'],
    ['an encoded slash', [{ name: '..%2fevil.mjs', text: 'x' }], '..%2fevil.mjs', 'SRC004'],
    ['the name of a device', [{ name: 'nul.mjs', text: 'x' }], 'nul.mjs', 'SRC004'],
    ['a dot behind it', [{ name: 'evil.mjs.', text: 'x' }], 'evil.mjs.', 'SRC004'],
    ['a space behind it', [{ name: 'evil.mjs ', text: 'x' }], 'evil.mjs ', 'SRC004'],
    ['bytes that are no text', [{ name: 'ev\u0007il.mjs', text: 'x' }], 'ev\u0007il.mjs', 'SRC004'],
    ['a long name', [{ name: `${'e'.repeat(250)}.mjs`, text: 'x' }], `${'e'.repeat(250)}.mjs`, 'SRC004'],
    ['a link', [{ name: 'evil.mjs', mode: '120000', text: '/etc/passwd' }], 'evil.mjs', 'SRC005'],
    ['a submodule', [{ name: 'evil.mjs', mode: '160000' }], 'evil.mjs', 'SRC005'],
  ])('that has %s is imported without it', async (_, entries, path, code) => {
    const repository = createRepository({ 'a.mjs': schemaText('a') });
    commitRawTree(repository, [{ name: 'a.mjs', text: schemaText('a') }, ...entries]);
    const result = await runImport(repository.url, { name: 'mine' });
    expect(result).toMatchObject({ status: false, added: ['a.mjs'], failed: [path] });
    expect(codes(result)).toEqual([code]);
    expect(imported()).toEqual(['mine/a.mjs']);
  });

  test('with colliding paths is imported with the first of them', async () => {
    const repository = createRepository({ 'a.mjs': schemaText('a') });
    commitRawTree(repository, [
      { name: 'Tides.mjs', text: schemaText('a') },
      { name: 'tides.mjs', text: schemaText('b') },
    ]);
    expect(await runImport(repository.url)).toMatchObject({ added: ['Tides.mjs'], failed: ['tides.mjs'] });
  });

  test('with a folder that is a link is imported without it', async () => {
    const repository = createRepository({ 'a.mjs': schemaText('a') });
    commitRawTree(repository, [
      { name: 'a.mjs', text: schemaText('a') },
      { name: 'docs', mode: '120000', text: '/etc' },
    ]);
    const result = await runImport(repository.url);
    expect(result).toMatchObject({
      status: true,
      added: ['a.mjs'],
      findings: [{ code: 'SRC005', severity: 'warning' }],
    });
  });

  test('with a link that its registry lists fails for that file', async () => {
    const repository = createRepository({ 'a.mjs': schemaText('a') });
    commitRawTree(repository, [
      { name: 'a.mjs', text: schemaText('a') },
      { name: 'evil.mjs', mode: '120000', text: '/etc/passwd' },
      { name: 'registry.json', text: '{"name": "x", "schemas": [{"file": "a.mjs"}, {"file": "evil.mjs"}]}' },
    ]);
    const result = await runImport(repository.url);
    expect(result).toMatchObject({ status: false, added: ['a.mjs'], failed: ['evil.mjs'] });
    expect(codes(result)).toEqual(['SRC005']);
  });

  test('that is too large is refused', async () => {
    const big = createRepository({
      'a.mjs': schemaText('a'),
      'b.mjs': schemaText('b', { tail: `// ${'x'.repeat(9000)}` }),
    });
    expect(await runImport(big.url, { limits: { fileBytes: 5000 } })).toMatchObject({
      added: ['a.mjs'],
      failed: ['b.mjs'],
    });
    expect(codes(await runImport(big.url, { name: 'two', limits: { files: 1 } }))).toEqual(['SRC006']);
    expect(codes(await runImport(big.url, { name: 'three', limits: { totalBytes: 5000 } }))).toEqual(['SRC006']);
  });

  test('that is empty, missing or not a repository is refused', async () => {
    expect(await runImport(createRepository().url)).toMatchObject({ status: false, findings: [{ code: 'SRC002' }] });
    expect((await runImport('file:///does/not/exist')).findings[0]?.message).toMatch(
      /git cannot read .*does not exist|not appear to be a/,
    );
    const web = await serveRegistry();
    const result = await runImport(`${web.origin}/tides`);
    expect(result).toMatchObject({ status: false, findings: [{ code: 'SRC002' }] });
    expect(result.findings[0]?.message).toContain('git cannot read');
  });

  test('that asks for a password fails without a prompt', async () => {
    const web = await serveRegistry();
    web.intercept = (_, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      return true;
    };
    const result = await runImport(`${web.origin}/tides`);
    expect(result).toMatchObject({ status: false, findings: [{ code: 'SRC002' }] });
    expect(result.findings[0]?.hint).toContain('credentials');
  });

  test('that redirects git is not followed', async () => {
    const other = await serveRepository(createRepository({ 'a.mjs': schemaText('a') }).folder);
    const web = await serveRegistry();
    web.intercept = (request, response) => {
      response.writeHead(302, { location: `${other.url}${(request.url ?? '').replace('/moved', '')}` }).end();
      return true;
    };
    const result = await runImport(`${web.origin}/moved`);
    expect(result.status).toBe(false);
    expect(other.log).toEqual([]);
  });
});

describe('a folder', () => {
  test('imports its schemas, and does not follow links', async () => {
    const source = temporaryFolder();
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'secret.mjs'), schemaText('secret'));
    writeFileSync(join(source, 'a.mjs'), schemaText('a'));
    symlinkSync(join(outside, 'secret.mjs'), join(source, 'b.mjs'));
    symlinkSync(outside, join(source, 'more'));
    execFileSync('mkfifo', [join(source, 'pipe.mjs')]);
    const result = await runImport(source, { name: 'mine' });
    expect(result).toMatchObject({ status: false, added: ['a.mjs'], failed: ['b.mjs', 'pipe.mjs'] });
    expect(codes(result)).toEqual(['SRC005', 'SRC005', 'SRC005']);
    expect(imported()).toEqual(['mine/a.mjs']);
  });

  test('imports the skills that its schemas refer to, which are modules too', async () => {
    const skill = {
      name: 'plan',
      version: 'flowmcp-skill/1.0.0',
      description: 'Plan',
      input: [],
      content: 'Plan.',
      output: 'A plan',
    };
    const { url } = createRepository({
      'tides/tides.mjs': schemaText('tides').replace(
        /(namespace: )/,
        "skills: { plan: { file: './skills/plan.mjs' } }, $1",
      ),
      'tides/skills/plan.mjs': `export const skill = ${JSON.stringify(skill)};`,
      'tides/skills/unused.mjs': `export const skill = ${JSON.stringify(skill)};`,
    });
    expect(await runImport(url, { name: 'mine' })).toMatchObject({ status: true, schemaCount: 1, findings: [] });
    expect(imported()).toEqual(['mine/tides/skills/plan.mjs', 'mine/tides/tides.mjs']);
  });

  test('is updated', async () => {
    const source = temporaryFolder();
    writeFileSync(join(source, 'a.mjs'), schemaText('a'));
    await runImport(source, { name: 'mine' });
    writeFileSync(join(source, 'a.mjs'), schemaText('a', { tail: '// newer\n' }));
    mkdirSync(join(source, 'more'));
    writeFileSync(join(source, 'more', 'b.mjs'), schemaText('b'));
    expect(await updateSource({ name: 'mine', folder })).toMatchObject({ added: ['more/b.mjs'], changed: ['a.mjs'] });
  });

  test('that does not exist is refused', async () => {
    expect(await runImport('./does/not/exist')).toMatchObject({ status: false, findings: [{ code: 'SRC019' }] });
  });
});

describe('an archive', () => {
  const archive = (members: readonly MadeMember[]) => {
    const file = join(temporaryFolder(), 'tides-1.0.tar.gz');
    writeFileSync(file, gzipSync(makeTar(members)));
    return file;
  };

  test('created by tar is read without its top folder', async () => {
    const source = temporaryFolder();
    const long = `${'a-long-name-'.repeat(8)}/${'b'.repeat(80)}.mjs`;
    for (const [path, text] of Object.entries({
      'a/a.mjs': schemaText('a'),
      [long]: schemaText('b'),
      'README.md': 'x',
    })) {
      mkdirSync(dirname(join(source, 'tides-1.0', path)), { recursive: true });
      writeFileSync(join(source, 'tides-1.0', path), text);
    }
    for (const format of ['gnu', 'pax', 'ustar']) {
      const file = join(temporaryFolder(), 'tides.tgz');
      execFileSync('tar', [`--format=${format}`, '-czf', file, '-C', source, 'tides-1.0']);
      expect(await runImport(file, { name: format })).toMatchObject({ status: true, added: [long, 'a/a.mjs'] });
      expect(readFileSync(join(folder, format, long), 'utf8')).toBe(schemaText('b'));
    }
  });

  test('on the web is fetched again only if it changed', async () => {
    const server = await serveRegistry();
    const tar = makeTar([{ path: 'tides/a.mjs', text: schemaText('a') }]);
    server.files.set('/tides.tar.gz', tar.toString('latin1'));
    const url = `${server.origin}/tides.tar.gz`;
    expect(await runImport(url)).toMatchObject({ status: true, name: 'tides', added: ['a.mjs'] });
    server.log.length = 0;
    expect(await runImport(url)).toMatchObject({ status: true, unchanged: ['a.mjs'] });
    expect(server.log).toEqual(['304 /tides.tar.gz']);
    rmSync(join(folder, 'tides', 'a.mjs'));
    expect(await runImport(url)).toMatchObject({ status: true, added: ['a.mjs'] });
  });

  test.each<[string, MadeMember, string, string]>([
    ['leads up', { path: '../evil.mjs', text: 'x' }, '../evil.mjs', 'SRC004'],
    ['leads up later', { path: 't/../../evil.mjs', text: 'x' }, '../../evil.mjs', 'SRC004'],
    ['is absolute', { path: '/tmp/evil.mjs', text: 'x' }, '/tmp/evil.mjs', 'SRC004'],
    ['is a link', { path: 't/evil.mjs', type: '2', target: '/etc/passwd' }, 'evil.mjs', 'SRC005'],
    ['is a hard link', { path: 't/evil.mjs', type: '1', target: '/etc/passwd' }, 'evil.mjs', 'SRC005'],
    ['is a device', { path: 't/evil.mjs', type: '3' }, 'evil.mjs', 'SRC005'],
    ['is a pipe', { path: 't/evil.mjs', type: '6' }, 'evil.mjs', 'SRC005'],
    ['is called like a device', { path: 't/com1.mjs', text: 'x' }, 'com1.mjs', 'SRC004'],
  ])('with a file that %s is imported without it', async (_, member, path, code) => {
    const result = await runImport(archive([{ path: 't/a.mjs', text: schemaText('a') }, member]), { name: 'mine' });
    expect(result).toMatchObject({ status: false, added: ['a.mjs'], failed: [path] });
    expect(codes(result)).toEqual([code]);
    expect(imported()).toEqual(['mine/a.mjs']);
  });

  test('does not write through a link from an earlier import', async () => {
    const outside = temporaryFolder();
    const members = [
      { path: 't/a.mjs', text: schemaText('a') },
      { path: 't/out', type: '2', target: outside },
      { path: 't/out/evil.mjs', text: schemaText('evil') },
    ];
    await runImport(archive(members), { name: 'mine' });
    expect(filesBelow(outside)).toEqual({});
  });

  test('that unpacks to too many bytes is refused', async () => {
    const bomb = archive([{ path: 'a.mjs', text: schemaText('a', { tail: `//${' '.repeat(5_000_000)}` }) }]);
    expect(codes(await runImport(bomb))).toEqual(['SRC006']);
    expect(codes(await runImport(bomb, { limits: { expansion: 10_000, unpackedBytes: 2 ** 21 } }))).toEqual(['SRC006']);
    expect(codes(await runImport(bomb, { limits: { archiveBytes: 1000 } }))).toEqual(['SRC006']);
  });

  test.each([
    ['is no archive', Buffer.from('PK\x03\x04 not a tar')],
    ['is cut off', gzipSync(makeTar([{ path: 'a.mjs', text: schemaText('a') }])).subarray(0, 100)],
    ['is cut off inside', gzipSync(makeTar([{ path: 'a.mjs', text: schemaText('a') }]).subarray(0, 700))],
    ['has a broken header', gzipSync(Buffer.alloc(2048, 'x'))],
  ])('that %s is refused', async (_, bytes) => {
    const file = join(temporaryFolder(), 'x.tgz');
    writeFileSync(file, bytes);
    const result = await runImport(file);
    expect(result).toMatchObject({ status: false });
    expect(['SRC016', 'SRC017']).toContain(result.findings[0]?.code);
    expect(imported()).toEqual([]);
  });
});

test('all sources are updated, even if one fails', async () => {
  const one = createRepository({ 'a.mjs': schemaText('a') });
  const two = temporaryFolder();
  writeFileSync(join(two, 'b.mjs'), schemaText('b'));
  await runImport(one.url, { name: 'one' });
  await runImport(two, { name: 'two' });
  mkdirSync(join(folder, 'own'));
  one.commit({ 'c.mjs': schemaText('c') });
  rmSync(two, { recursive: true });
  const results = await updateAll({ folder });
  expect(results).toMatchObject([
    { name: 'one', status: true, added: ['c.mjs'] },
    { name: 'two', status: false },
  ]);
  expect(results.flatMap(codes)).toEqual(['SRC019']);
});

test('a folder that cannot be written is an error', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const { url } = createRepository({ 'a.mjs': schemaText('a') });
  const result = await importSource({ url, folder: join(file, 'schemas') });
  expect(result).toMatchObject({ status: false, findings: [{ code: 'SRC014' }] });
});
