import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasTerminal, runAtTerminal, startCommand } from './support/command.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const command = resolve('packages/cli/bin/schemakit.js');

const limit = { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

const first = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://pets.example.com' }],
  paths: {
    '/pets': {
      get: { operationId: 'listPets', tags: ['pets'], summary: 'List pets.', parameters: [limit] },
      delete: { operationId: 'removePets', tags: ['pets'], summary: 'Remove all pets.' },
    },
    '/pets/{id}': { get: { operationId: 'getPet', tags: ['pets'], summary: 'Get a pet.', parameters: [id] } },
  },
};

const lowLimit = { ...limit, schema: { type: 'integer', maximum: 50 } };
const second = {
  ...first,
  info: { title: 'Pets', version: '2' },
  paths: {
    '/pets': {
      get: { operationId: 'listAllPets', tags: ['pets'], summary: 'List pets.', parameters: [lowLimit] },
      post: { operationId: 'createPet', tags: ['pets'], summary: 'Create a pet.' },
    },
    '/pets/{id}': { get: { operationId: 'getPet', tags: ['pets'], summary: 'Get one pet.', parameters: [id] } },
  },
};

/** A folder that was written from the first version, and a server that has the second from then on. */
async function imported({ query = '' } = {}) {
  let document: object | undefined = first;
  const server = createServer(({ url }, response) => {
    const isFound = document !== undefined && url?.startsWith('/openapi.json');
    response.writeHead(isFound ? 200 : 404).end(JSON.stringify(isFound ? document : {}));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json${query}`;
  const cwd = await temporaryFolder({});
  const run = (...args: string[]) => startCommand(args, { cwd });
  expect((await run('new', address, '--out', 'pets')).status).toBe(0);
  const path = (name: string) => join(cwd, 'pets', name);
  const read = (name = 'pets.mjs') => readFileSync(path(name), 'utf8');
  return {
    ...{ cwd, run, path, read, address },
    serve: (next: object | undefined) => {
      document = next;
    },
    write: (text: string, name = 'pets.mjs') => writeFileSync(path(name), text),
    all: () => Object.fromEntries(readdirSync(join(cwd, 'pets')).map((name) => [name, read(name)])),
  };
}

const handler = `
export const handlers = () => ({ getPet: { postRequest: async ({ response }) => ({ response }) } });
`;

describe('schemakit update <folder>', () => {
  test.runIf(hasTerminal)('says at a terminal what docs/import.md shows', async () => {
    const cwd = await temporaryFolder({ 'pets.json': JSON.stringify(first) });
    await startCommand(['new', 'pets.json'], { cwd });
    const file = join(cwd, 'schemas/pets/pets.mjs');
    writeFileSync(file, readFileSync(file, 'utf8').replace("'List pets.'", "'Our list of pets.'"));
    writeFileSync(join(cwd, 'pets.json'), JSON.stringify(second));
    const { screen } = await runAtTerminal(['update', 'schemas/pets'], '', { cwd });
    const [, shown] =
      /\$ schemakit update schemas\/pets\n([\s\S]*?)```/.exec(readFileSync('docs/import.md', 'utf8')) ?? [];
    expect(stripVTControlCharacters(screen).replaceAll('\r', '')).toBe(shown);
  });

  test('takes what is new and keeps what was edited', async () => {
    const { run, read, write, serve } = await imported();
    write(read().replace("'List pets.'", "'Our list of pets.'") + handler);
    serve(second);
    const dry = await run('update', 'pets', '--dry-run');
    expect(dry).toMatchObject({ status: 0, json: { status: true, dryRun: true, files: [join('pets', 'pets.mjs')] } });
    expect(read()).not.toContain('createPet');
    const { status, json } = await run('update', 'pets');
    expect({ status, json }).toMatchObject({
      status: 0,
      json: {
        added: [{ tool: 'pets__createPet' }],
        removed: [{ tool: 'pets__removePets' }],
        conflicts: [],
        kept: [{ part: 'tool listPets' }, { part: 'statement handlers' }],
      },
    });
    expect(json.changed).toContainEqual({
      ...{ tool: 'pets__listPets', file: 'pets.mjs', breaking: true },
      changes: [{ place: 'parameter limit', message: '`maximum` is 50 instead of 100', breaking: true }],
    });
    expect(read()).toMatch(/Our list of pets\.[\s\S]*max\(50\)[\s\S]*Get one pet[\s\S]*createPet[\s\S]*handlers/);
    expect((await run('validate', 'pets')).status).toBe(0);
    const again = await run('update', 'pets');
    expect(again.json).toMatchObject({ status: true, files: [], changed: [], added: [], removed: [] });
  });

  test('says that it is up to date, and writes nothing', async () => {
    const { run, all, serve } = await imported();
    const before = all();
    serve({ ...first, 'x-build': 2 });
    expect((await run('update', 'pets')).json).toMatchObject({ status: true, files: [] });
    expect(all()).toEqual(before);
    serve(first);
    expect(
      (await run('new', (JSON.parse(before['import.json'] ?? '') as { url: string }).url, '--out', 'pets')).status,
    ).toBe(0);
    expect(all()).toEqual(before);
  });

  test('a conflict writes nothing, names the line and both texts, and is decided by --prefer', async () => {
    const { run, read, write, all, serve } = await imported();
    write(read().replace("'Get a pet.'", "'Get our pet.'"));
    serve(second);
    const before = all();
    const { status, json, stderr } = await run('update', 'pets');
    expect(status).toBe(4);
    const line =
      read()
        .split('\n')
        .findIndex((text) => text.includes('Get our pet.')) + 1;
    expect(json.conflicts).toMatchObject([
      {
        path: 'pets.mjs',
        part: 'tool getPet.description',
        line,
        file: expect.stringContaining('our'),
        document: expect.stringContaining('one'),
      },
    ]);
    expect(stderr).toContain(`pets.mjs:${line}:1: error IMP027`);
    expect(all()).toEqual(before);
    expect((await run('update', 'pets', '--prefer', 'document')).status).toBe(0);
    expect(read()).toContain('Get one pet.');
  });

  test('--fail-on breaking refuses breaking changes only', async () => {
    const { run, all, serve } = await imported();
    const before = all();
    serve(second);
    const breaking = await run('update', 'pets', '--fail-on', 'breaking');
    expect(breaking).toMatchObject({
      status: 4,
      json: { error: expect.stringContaining('breaks callers of 2 tools') },
    });
    expect(all()).toEqual(before);
    const { get } = first.paths['/pets'];
    const paths = { ...first.paths, '/pets': { ...first.paths['/pets'], get: { ...get, summary: 'All pets.' } } };
    serve({ ...first, paths });
    expect((await run('update', 'pets', '--fail-on', 'any')).status).toBe(4);
    expect((await run('update', 'pets', '--fail-on', 'breaking')).status).toBe(0);
  });

  test.each([
    ['is missing', undefined, 'IMP026'],
    ['is not JSON', '{', 'IMP026'],
    ['is of a newer format', '{"version":2}', 'IMP026'],
    [
      'names other files',
      '{"version":1,"source":{"kind":"curl"},"options":{"namespace":"a"},"tools":[],"files":{"../a.mjs":""}}',
      'IMP026',
    ],
  ])('an import.json that %s', async (_, text, code) => {
    const { run, write, path } = await imported();
    if (text === undefined) rmSync(path('import.json'));
    else write(text, 'import.json');
    const { status, json } = await run('update', './pets');
    expect(status).not.toBe(0);
    expect(json).toMatchObject({ status: false, fix: expect.any(String), findings: [{ code }] });
  });

  test('a document that is gone, or another one, changes nothing', async () => {
    const { run, all, serve } = await imported();
    const before = all();
    serve(undefined);
    expect(await run('update', 'pets')).toMatchObject({
      status: 5,
      json: {
        error: expect.stringContaining('404'),
        fix: 'If the document is elsewhere now: schemakit update pets --from <source>',
      },
    });
    serve({ ...first, paths: { '/stars': { get: {} } } });
    expect((await run('update', 'pets')).json.findings).toMatchObject([{ code: 'IMP029' }]);
    expect(all()).toEqual(before);
  });

  test('keys in addresses and curl commands are not kept (IMP034), and --from gives them', async () => {
    const { run, all, serve, address } = await imported({ query: '?key=s3cret' });
    expect(JSON.stringify(all())).not.toContain('s3cret');
    serve(second);
    expect(await run('update', 'pets')).toMatchObject({ status: 2, json: { findings: [{ code: 'IMP034' }] } });
    expect((await run('update', 'pets', '--from', address)).status).toBe(0);
    expect(JSON.stringify(all())).not.toContain('s3cret');
    await run('new', "curl 'https://api.sea.example/tides' -H 'X-Api-Key: s3cret'", '--out', 'sea');
    expect((await run('update', 'sea')).json.findings).toMatchObject([{ code: 'IMP034' }]);
  });

  test('a document that says no longer where the API is gets --server, which is kept', async () => {
    const { run, read, cwd } = await imported();
    writeFileSync(join(cwd, 'pets.json'), JSON.stringify({ ...second, servers: [{ url: '/v2' }] }));
    const moved = ['update', 'pets', '--from', 'pets.json'];
    expect(await run(...moved)).toMatchObject({ status: 2, json: { findings: [{ code: 'IMP005' }] } });
    expect((await run(...moved, '--server', 'https://new.example.com/v2')).status).toBe(0);
    expect(read()).toContain("root: 'https://new.example.com/v2'");
    expect(await run('update', 'pets')).toMatchObject({ status: 0, json: { files: [] } });
    expect(await run('update', '--server', 'https://a.example')).toMatchObject({ status: 2 });
  });

  test.skipIf(process.getuid?.() === 0)('a folder without write permission stays as it was', async () => {
    const { run, all, serve, path } = await imported();
    const before = all();
    serve(second);
    chmodSync(path('.'), 0o555);
    onTestFinished(() => chmodSync(path('.'), 0o755));
    expect((await run('update', 'pets')).status).toBe(1);
    expect(all()).toEqual(before);
  });

  test.each(['plain', './plain', 'plain/', '.'])('%s, a folder without an import.json, says so', async (folder) => {
    const cwd = await temporaryFolder({ 'plain/a.mjs': '' });
    const { status, json } = await startCommand(['update', folder, '--prefer', 'file'], { cwd });
    expect({ status, json }).toMatchObject({ status: 3, json: { findings: [{ code: 'IMP026' }] } });
    expect(json.fix).toMatch(new RegExp(`schemakit new <source> --out ${folder}$`));
  });

  test('a folder that does not exist is no source', async () => {
    const cwd = await temporaryFolder({});
    const { status, json } = await startCommand(['update', 'schemas/pets'], { cwd });
    expect({ status, json }).toMatchObject({ status: 3, json: { error: 'There is no folder schemas/pets.' } });
    expect(json.fix).toContain('schemakit new');
  });

  test('a removed file is reported, and not written again', async () => {
    const { run, serve, path } = await imported();
    rmSync(path('pets.mjs'));
    serve(second);
    const { status, json } = await run('update', 'pets');
    expect({ status, json }).toMatchObject({ status: 0, json: { kept: [{ path: 'pets.mjs', kind: 'removed' }] } });
    expect(existsSync(path('pets.mjs'))).toBe(false);
  });

  test('killed while it writes, every file is whole, and the next update finishes', async () => {
    const { run, read, write, serve, cwd, path } = await imported();
    write(read().replace("'List pets.'", "'Our list of pets.'"));
    const before = [read(), read('import.json')] as const;
    serve(second);
    await run('update', 'pets');
    const after = [read(), read('import.json')] as const;
    for (const wanted of [1, 2, 4, 6]) {
      write(before[0]);
      write(before[1], 'import.json');
      const child = spawn(process.execPath, [command, 'update', 'pets'], { cwd, stdio: 'ignore' });
      let events = 0;
      const watcher = watch(path('.'), () => {
        events += 1;
        if (events === wanted) child.kill('SIGKILL');
      });
      await once(child, 'exit');
      watcher.close();
      expect([before[0], after[0]]).toContain(read());
      expect([before[1], after[1]]).toContain(read('import.json'));
      expect((await run('update', 'pets')).status).toBe(0);
      expect([read(), read('import.json')]).toEqual(after);
      expect(readdirSync(path('.')).toSorted()).toEqual(['import.json', 'pets.mjs']);
    }
  });
});
