import { mkdirSync, rmdirSync, symlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { SchemaKit } from '@schemakit/core';
import { expect, test } from 'vitest';
import { runCommand } from './support/command.ts';
import { mainWith, moduleText } from './support/schema-module.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** A project whose schema names a database elsewhere, and a document in its folder that is a link. */
async function coast() {
  const elsewhere = await temporaryFolder({ 'diary.md': '# Diary' });
  const [map, diary] = [join(elsewhere, 'map.db'), join(elsewhere, 'diary.md')];
  const database = new DatabaseSync(map);
  database.exec(`CREATE TABLE harbours (name TEXT); INSERT INTO harbours VALUES ('Ulm')`);
  database.close();
  const folder = await temporaryFolder();
  symlinkSync(diary, join(folder, 'guide.md'));
  const query = { sql: 'SELECT name FROM harbours', description: 'All.', parameters: [] };
  const resources = {
    map: { source: 'sqlite', description: 'A map.', database: map, queries: { getAll: query } },
    guide: { source: 'markdown', description: 'A guide.', origin: 'inline', name: 'guide.md' },
  };
  const filePath = join(folder, 'coast.mjs');
  await writeFile(filePath, moduleText(mainWith({ namespace: 'coast', tools: {}, resources })));
  const run = (...args: string[]) => runCommand(args, { cwd: folder, env: { HOME: folder } });
  return { elsewhere, map, diary, folder, filePath, run };
}

test('a resource outside needs trust --read, which --revoke takes back', async () => {
  const { elsewhere, map, diary, run } = await coast();
  const call = () => run('call', 'coast.mjs::resource::map_getAll');
  const refused = call();
  expect(refused.status).toBe(6);
  expect(refused.json.fix).toContain(`schemakit trust coast.mjs --read ${map}`);

  const reads = [
    { resource: 'map', path: map, file: map, state: 'refused' },
    { resource: 'guide', path: 'guide.md', file: diary, state: 'refused' },
  ];
  expect(run('trust', 'coast.mjs').json).toMatchObject({ status: false, schemas: [{ reads }] });
  const warning = { code: 'RES020', hint: expect.stringContaining(`schemakit trust coast.mjs --read ${diary};`) };
  const findings = expect.arrayContaining([expect.objectContaining(warning)]);
  expect(run('validate', 'coast.mjs').json).toMatchObject({ status: true, results: [{ reads, findings }] });

  const grants = { read: [elsewhere] };
  expect(run('trust', 'coast.mjs', '--read', elsewhere, '--yes').json).toMatchObject({ schemas: [{ grants }] });
  expect(call().json.content).toEqual([{ name: 'Ulm' }]);
  const allowed = reads.map((file) => ({ ...file, state: 'read' }));
  expect(run('validate', 'coast.mjs').json).toMatchObject({ results: [{ reads: allowed }] });

  expect(run('trust', 'coast.mjs', '--revoke', '--read', elsewhere).status).toBe(0);
  expect(call().status).toBe(6);
});

test('a grant inside the folder of the lock file is relative to it, and a link is resolved', async () => {
  const { map, folder, run } = await coast();
  symlinkSync(map, join(folder, 'maps.db'));
  await writeFile(join(folder, 'inner.db'), '');
  const trusted = (path: string) => run('trust', 'coast.mjs', '--read', path, '--yes').json;
  expect(trusted('inner.db')).toMatchObject({ schemas: [{ grants: { read: ['inner.db'] } }] });
  expect(trusted('maps.db')).toMatchObject({ schemas: [{ grants: { read: [map, 'inner.db'] } }] });
  expect(run('call', 'coast.mjs::resource::map_getAll').status).toBe(0);
});

test('a grant does not follow a link that is made later', async () => {
  const { elsewhere, folder, run } = await coast();
  mkdirSync(join(folder, 'maps'));
  expect(run('trust', 'coast.mjs', '--read', 'maps', '--yes').status).toBe(0);
  rmdirSync(join(folder, 'maps'));
  symlinkSync(elsewhere, join(folder, 'maps'));
  expect(run('call', 'coast.mjs::resource::map_getAll').status).toBe(6);
});

test('a resource folder of a project that is a link reads nothing elsewhere', async () => {
  const { folder, run } = await coast();
  mkdirSync(join(folder, '.schemakit'));
  symlinkSync('/', join(folder, '.schemakit/resources'));
  expect(run('call', 'coast.mjs::resource::map_getAll').status).toBe(6);
});

test('MCP resources and programs obey it too', async () => {
  const { diary, filePath } = await coast();
  const read = async (grants: { read?: string[] }) => {
    const schema = await SchemaKit.loadSchema({ filePath, grants });
    expect(schema.status).toBe(true);
    const server = new McpServer({ name: 'coast', version: '1.0.0' });
    SchemaKit.activateServerTools({ server, schema });
    const client = new Client({ name: 'test', version: '1.0.0' });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(here), client.connect(there)]);
    return client.readResource({ uri: 'schemakit://coast/guide' }).finally(() => client.close());
  };
  await expect(read({})).rejects.toMatchObject({ data: { findings: [{ code: 'FILE_REFUSED' }] } });
  expect((await read({ read: [diary] })).contents).toMatchObject([{ text: '# Diary' }]);
});
