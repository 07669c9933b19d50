import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createRepository } from './fixtures/git-repository.ts';
import { type RegistryServer, serveRegistry } from './fixtures/registry-server.ts';
import { schemaText } from './fixtures/schema-text.ts';
import { filesBelow, temporaryFolder } from './fixtures/source-home.ts';
import { kill, runCall, runUntil } from './fixtures/source-program.ts';
import { importRegistry, importSource, updateSource } from './import-source.ts';

const names = Array.from({ length: 24 }, (_, index) => `s${String.fromCharCode(97 + index)}`);
const version = (tail: string) => Object.fromEntries(names.map((name) => [`${name}.mjs`, schemaText(name, { tail })]));

let server: RegistryServer;
let folder: string;
let url: string;
beforeEach(async () => {
  server = await serveRegistry();
  folder = join(temporaryFolder(), 'schemas');
  url = `${server.origin}/registry.json`;
});

const runImport = () => importRegistry({ url, folder });
const update = () => updateSource({ name: 'tides', folder });
const call = (name: string, options: object) =>
  `sources.${name}({ ...${JSON.stringify({ folder, ...options })}, onProgress })`;
const inPlace = () => Object.entries(filesBelow(folder)).filter(([path]) => path.startsWith('tides/s'));
const fetched = () => server.log.filter((line) => /^200 \/s/.test(line));

describe('an import that was killed', () => {
  test.each<['fetch' | 'check', number]>([
    ['fetch', 1],
    ['fetch', 12],
    ['check', 12],
    ['check', 24],
  ])('during %s %i installs nothing, and resumes', async (step, done) => {
    server.publish(version('// one\n'));
    await kill(await runUntil(call('importRegistry', { url }), { step, done }));
    expect(inPlace()).toEqual([]);
    const before = fetched().length;
    expect(await runImport()).toMatchObject({ status: true, schemaCount: 24, findings: [] });
    // Those that were under way when it ended may be fetched twice.
    expect(fetched().length).toBeLessThanOrEqual(24 + 8);
    expect(fetched().length - before).toBeLessThanOrEqual(24 - done + 8);
    expect(Object.keys(filesBelow(folder)).filter((path) => path.startsWith('.'))).toEqual([]);
  });

  test('leaves files that are reused only if they are complete', async () => {
    server.publish(version('// one\n'));
    const staging = join(folder, '.staging', 'files-tides');
    mkdirSync(join(staging, '_lists'), { recursive: true });
    writeFileSync(join(staging, 'sa.mjs'), schemaText('sa').slice(0, 50));
    writeFileSync(join(staging, 'sz.mjs'), schemaText('sz'));
    writeFileSync(join(staging, '_lists', 'left.mjs'), 'export const list = {');
    expect(await runImport()).toMatchObject({ status: true, schemaCount: 24, findings: [] });
    expect(inPlace().map(([path]) => path)).toEqual(names.map((name) => `tides/${name}.mjs`));
    expect(inPlace().every(([, text]) => text.endsWith('// one\n'))).toBe(true);
  });
});

describe('an update that was killed', () => {
  beforeEach(async () => {
    server.publish(version('// one\n'));
    await runImport();
    server.publish(version('// two\n'));
  });

  test.each<['fetch' | 'check' | 'write', number]>([
    ['fetch', 12],
    ['check', 12],
    ['write', 1],
    ['write', 12],
    ['write', 24],
  ])('during %s %i leaves complete files, and none of them counts as edited', async (step, done) => {
    await kill(await runUntil(call('updateSource', { name: 'tides' }), { step, done }));
    const texts = inPlace().map(([, text]) => text.slice(-7));
    expect(texts.filter((tail) => tail === '// two\n')).toHaveLength(step === 'write' ? done : 0);
    expect(texts.filter((tail) => tail === '// one\n')).toHaveLength(step === 'write' ? 24 - done : 24);
    const result = await update();
    expect(result).toMatchObject({ status: true, edited: [], failed: [], findings: [] });
    expect(result.changed).toHaveLength(step === 'write' ? 24 - done : 24);
    expect(inPlace().every(([, text]) => text.endsWith('// two\n'))).toBe(true);
    expect(readFileSync(join(folder, 'tides', '_source.json'), 'utf8')).not.toContain('pending');
    expect(Object.keys(filesBelow(folder)).filter((path) => path.startsWith('.'))).toEqual([]);
    expect(await update()).toMatchObject({ unchanged: names.map((name) => `${name}.mjs`) });
  });

  test('twice, with a third version in between, still recognizes its own files', async () => {
    await kill(await runUntil(call('updateSource', { name: 'tides' }), { step: 'write', done: 12 }));
    server.publish(version('// three\n'));
    await kill(await runUntil(call('updateSource', { name: 'tides' }), { step: 'write', done: 6 }));
    server.publish(version('// four\n'));
    expect(await update()).toMatchObject({ status: true, edited: [], findings: [] });
    expect(inPlace().every(([, text]) => text.endsWith('// four\n'))).toBe(true);
  });
});

describe('concurrent imports', () => {
  test('in one process: one works, the other fails', async () => {
    server.publish(version('// one\n'));
    const results = await Promise.all([runImport(), runImport()]);
    expect(results.filter(({ status }) => status)).toHaveLength(1);
    expect(results.find(({ status }) => !status)).toMatchObject({ findings: [{ code: 'SRC010' }] });
    expect(inPlace()).toHaveLength(24);
  });

  test('in two processes: one works, the other names its process', async () => {
    server.publish(version('// one\n'));
    const first = await runUntil(call('importRegistry', { url }), { step: 'fetch', done: 5 });
    const second = await runImport();
    expect(second).toMatchObject({ status: false, findings: [{ code: 'SRC010' }] });
    expect(second.findings[0]?.message).toContain(`process ${first.pid}`);
    await kill(first);
    expect(await runImport()).toMatchObject({ status: true, schemaCount: 24 });
  });

  test('one after the other: the second finds the files of the first', async () => {
    server.publish(version('// one\n'));
    const held = new Promise<() => void>((resolve) => {
      server.intercept = (request, response) => {
        if (request.url !== '/registry.json') return false;
        server.intercept = undefined;
        resolve(() => response.writeHead(200).end(server.files.get('/registry.json')));
        return true;
      };
    });
    const slow = runImport();
    const answer = await held;
    expect(await runImport()).toMatchObject({ status: true, added: expect.arrayContaining(['sa.mjs']) });
    answer();
    expect(await slow).toMatchObject({ status: true, added: [], unchanged: expect.arrayContaining(['sa.mjs']) });
  });

  test('of different sources run at the same time', async () => {
    server.publish(version('// one\n'));
    const repository = createRepository({ 'a.mjs': schemaText('a'), 'b.mjs': schemaText('b') });
    const results = await Promise.all([
      runImport(),
      importSource({ url: repository.url, folder, name: 'x1' }),
      runCall(`sources.importSource(${JSON.stringify({ url: repository.url, folder, name: 'x2' })})`),
      importSource({ url: repository.url, folder, name: 'x3' }),
    ]);
    const errors = results.map((result) => (result as { findings: { severity: string }[] }).findings);
    expect(errors.map((found) => found.filter(({ severity }) => severity === 'error'))).toEqual([[], [], [], []]);
    const lock = readFileSync(join(folder, 'schemakit.lock.json'), 'utf8');
    expect(lock.match(/"source":/g)).toHaveLength(24 + 6);
    expect(Object.keys(filesBelow(folder)).filter((path) => path.startsWith('.'))).toEqual([]);
  });

  test('after the first was killed: the next takes over at once', async () => {
    server.publish(version('// one\n'));
    const first = await runUntil(call('importRegistry', { url }), { step: 'fetch', done: 5 });
    const exit = once(first, 'exit');
    first.kill('SIGKILL');
    await exit;
    const results = await Promise.all([runImport(), runImport(), runImport()]);
    expect(results.filter(({ status }) => status)).toHaveLength(1);
  });
});
