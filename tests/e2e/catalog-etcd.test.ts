import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCatalogSchema } from './peers/catalog-schema.ts';
import { etcdProgram, startEtcd } from './peers/etcd.ts';
import type { Peer } from './peers/peer-process.ts';
import { connectToSchema, type SchemakitClient } from './peers/schemakit-client.ts';

const schema = await readCatalogSchema('etcd/etcd.mjs');

describe.skipIf(!etcdProgram.path)('the etcd schema and a real server', () => {
  let peer: Peer | undefined;
  let server: SchemakitClient;

  beforeAll(async () => {
    peer = await startEtcd();
    server = await connectToSchema({ file: schema.file, root: peer.url });
  });
  afterAll(async () => {
    await server?.close();
    await peer?.stop();
  });

  const call = async (tool: string, args?: Record<string, unknown>) =>
    (await schema.call(server, tool, args)).structuredContent;

  /** Writes past the tools, for what callers of the tools cannot write. */
  const putBytes = (key: string, value: Uint8Array) =>
    fetch(`${peer?.url}/v3/kv/put`, {
      method: 'POST',
      body: JSON.stringify({ key: btoa(key), value: Buffer.from(value).toString('base64') }),
    });

  test('all tools are listed, and nothing that is fixed is asked for', async () => {
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(schema.toolNames.toSorted());
    const put = tools.find(({ name }) => name === 'etcd__putKey');
    expect(Object.keys(put?.inputSchema.properties ?? {})).toEqual(['key', 'value', 'lease']);
  });

  test.each(schema.cases)('$tool: $about', async ({ tool, args }) => {
    expect(await call(tool, args)).toMatchObject({ header: { cluster_id: expect.stringMatching(/^\d+$/) } });
  });

  test('a key is text on the way in and on the way out', async () => {
    const key = 'life/größe';
    expect(await call('putKey', { key, value: 'eins' })).not.toHaveProperty('prev_kv');
    expect(await call('putKey', { key, value: '二 🌱 "quoted"' })).toMatchObject({ prev_kv: { key, value: 'eins' } });
    expect(await call('getKey', { key })).toMatchObject({
      kvs: [{ key, value: '二 🌱 "quoted"', version: '2' }],
      more: false,
      count: 1,
    });
    expect(await call('deleteKey', { key })).toMatchObject({ deleted: 1, prev_kvs: [{ value: '二 🌱 "quoted"' }] });
    expect(await call('getKey', { key })).toMatchObject({ kvs: [], count: 0 });
  });

  test('a key can be read as it was at an earlier revision', async () => {
    const before = (await call('putKey', { key: 'past', value: 'before' })) as { header: { revision: string } };
    await call('putKey', { key: 'past', value: 'after' });
    const revision = Number(before.header.revision);
    expect(await call('getKey', { key: 'past', revision })).toMatchObject({ kvs: [{ value: 'before' }] });
    expect(await call('getKey', { key: 'past' })).toMatchObject({ kvs: [{ value: 'after' }] });
  });

  test('a prefix selects what starts with it and nothing else', async () => {
    for (const key of ['p/a', 'p/b', 'p/~', 'p0', 'p', 'pö/ÿ', 'pö']) await call('putKey', { key, value: key });
    const keysOf = async (args: Record<string, unknown>) =>
      ((await call('listKeys', args)) as { kvs: { key: string }[] }).kvs.map(({ key }) => key);
    expect(await keysOf({ prefix: 'p/' })).toEqual(['p/a', 'p/b', 'p/~']);
    expect(await keysOf({ prefix: 'pö' })).toEqual(['pö', 'pö/ÿ']);
    expect(await keysOf({})).toEqual(expect.arrayContaining(['p', 'p0', 'pö']));
    expect(await call('listKeys', { prefix: 'p/', limit: 2 })).toMatchObject({ more: true, count: 3 });
    expect(await call('listKeys', { prefix: 'p/a', keys_only: true })).toMatchObject({ kvs: [{ value: '' }] });
  });

  test('a key goes with its lease', async () => {
    const { ID } = (await call('grantLease', { TTL: 60 })) as { ID: string };
    await call('putKey', { key: 'leased', value: 'x', lease: ID });
    expect(await call('getLease', { ID })).toMatchObject({ ID, grantedTTL: 60, keys: ['leased'] });
    expect(await call('getKey', { key: 'leased' })).toMatchObject({ kvs: [{ lease: ID }] });
  });

  test('bytes that are no text stay base64 and say so', async () => {
    await putBytes('bytes', Uint8Array.of(0xff, 0x00, 0xc3));
    expect(await call('getKey', { key: 'bytes' })).toMatchObject({
      kvs: [{ key: btoa('bytes'), value: '/wDD', encoding: 'base64' }],
    });
  });

  test("what the server refuses is an error with the server's words", async () => {
    const args = { key: 'k', value: 'v', lease: '4711' };
    const result = await server.client.callTool({ name: 'etcd__putKey', arguments: args });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain('requested lease not found');
  });

  test('the status and the members name the same member', async () => {
    const { leader } = (await call('getStatus')) as { leader: string };
    expect(await call('listMembers')).toMatchObject({ members: [{ ID: leader, name: 'test' }] });
  });
});
