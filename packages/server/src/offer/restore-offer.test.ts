import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { exposeSchemaPrompts, exposeSchemas, SchemaKit } from '@schemakit/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTides } from '../fixtures/tides.ts';
import { createMcpServer } from '../mcp/create-mcp-server.ts';
import { createOffer, type Offer } from './offer.ts';
import { type OfferSnapshot, snapshotOffer } from './offer-snapshot.ts';
import { restoreOffer } from './restore-offer.ts';

const info = { name: 'tides', version: '1.0.0' };
const folder = openTides();
let offer: Offer;
let snapshot: OfferSnapshot;

beforeAll(async () => {
  const schemas = [await SchemaKit.loadSchema({ filePath: folder.file })];
  offer = createOffer(exposeSchemas(schemas), exposeSchemaPrompts(schemas));
  snapshot = snapshotOffer(offer);
});
afterAll(() => folder.remove());

async function connect(offered: Offer): Promise<Client> {
  const [left, right] = InMemoryTransport.createLinkedPair();
  const client = new Client(info);
  await Promise.all([createMcpServer(offered, info).connect(left), client.connect(right)]);
  return client;
}

describe('an offer that was restored', () => {
  test('lists what the first one listed, and loads nothing for it', async () => {
    const opened: (string | undefined)[] = [];
    const client = await connect(
      await restoreOffer(snapshot, async (file) => {
        opened.push(file);
        return offer;
      }),
    );
    expect((await client.listTools()).tools).toEqual(offer.tools.list);
    expect((await client.listResources()).resources).toEqual(offer.resources.list);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual(offer.resources.templates);
    expect(opened).toEqual([]);
    const { content } = await client.callTool({ name: 'tides__stations_find', arguments: { coast: 'east' } });
    expect(content).toEqual([{ type: 'text', text: '[{"name":"Kiel"}]' }]);
    expect(opened).toEqual([folder.file]);
  });

  test('reads and completes as the first one', async () => {
    const client = await connect(await restoreOffer(snapshot, async () => offer));
    const { contents } = await client.readResource({ uri: 'schemakit://tides/stations/find?coast=east' });
    expect(contents).toMatchObject([{ text: '[{"name":"Kiel"}]' }]);
    const ref = { type: 'ref/resource', uri: 'schemakit://tides/stations/find{?coast,limit}' } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'coast', value: 'n' } });
    expect(completion.values).toEqual(['north']);
  });

  test('says so where its schemas have changed since', async () => {
    const client = await connect(await restoreOffer(snapshot, async () => createOffer([])));
    expect(await client.callTool({ name: 'tides__guide', arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('is gone: its schema has changed') }],
    });
    await expect(client.readResource({ uri: 'schemakit://tides/guide' })).rejects.toThrow('is gone');
  });

  test('loads all where a tool has another name among others', async () => {
    const renamed = createOffer([]);
    const client = await connect(await restoreOffer(snapshot, async (file) => (file === undefined ? offer : renamed)));
    const { content } = await client.callTool({ name: 'tides__stations_find', arguments: { coast: 'east' } });
    expect(content).toEqual([{ type: 'text', text: '[{"name":"Kiel"}]' }]);
  });
});
