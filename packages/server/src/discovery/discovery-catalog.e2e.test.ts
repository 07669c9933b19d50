import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { exposeSchemas, SchemaKit } from '@schemakit/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToolCatalog, type ToolCatalog } from '../catalog/tool-catalog.ts';
import { createMcpServer } from '../create-mcp-server.ts';
import { openTides } from '../fixtures/tides.ts';
import { discoveryCatalog } from './discovery-catalog.ts';

const info = { name: 'tides', version: '1.0.0' };
const folder = openTides();
let catalog: ToolCatalog;

beforeAll(async () => {
  catalog = createToolCatalog(exposeSchemas([await SchemaKit.loadSchema({ filePath: folder.file })]));
});
afterAll(() => folder.remove());

async function connect(catalog: ToolCatalog) {
  const [left, right] = InMemoryTransport.createLinkedPair();
  const client = new Client(info);
  await Promise.all([createMcpServer(catalog, info).connect(left), client.connect(right)]);
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: args });
    const [first] = content as { text: string }[];
    return { isError, text: first?.text ?? '' };
  };
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  return { call, names };
}

describe('a catalog with discovery', () => {
  test('lists three tools, and the pinned ones', async () => {
    const { names } = await connect(discoveryCatalog(catalog, { pinned: ['tides__guide'] }));
    expect(await names()).toEqual(['search_tools', 'describe_tool', 'call_tool', 'tides__guide']);
  });

  test('finds a tool by its words, in any spelling', async () => {
    const { call } = await connect(discoveryCatalog(catalog));
    for (const query of ['stations of a coast', 'STATION coasts', 'stations find', 'staions', 'stat']) {
      const { tools } = JSON.parse((await call('search_tools', { query })).text);
      expect(tools[0], query).toMatchObject({ name: 'tides__stations_find' });
    }
  });

  test('says how many there are if it shows fewer', async () => {
    const { call } = await connect(discoveryCatalog(catalog));
    const { total, tools } = JSON.parse((await call('search_tools', { query: 'tides', limit: 2 })).text);
    expect(tools).toHaveLength(2);
    expect(total).toBe(catalog.tools.all.length);
  });

  test('describes a tool and calls it', async () => {
    const { call } = await connect(discoveryCatalog(catalog));
    const listing = JSON.parse((await call('describe_tool', { name: 'tides__stations_find' })).text);
    expect(listing).toEqual(catalog.tools.byName.get('tides__stations_find')?.listing);
    const input = { name: 'tides__stations_find', arguments: { coast: 'east' } };
    expect((await call('call_tool', input)).text).toBe('[{"name":"Kiel"}]');
  });

  test('describes and calls its own tools like others', async () => {
    const { call } = await connect(discoveryCatalog(catalog));
    expect(JSON.parse((await call('describe_tool', { name: 'search_tools' })).text)).toMatchObject({
      name: 'search_tools',
      inputSchema: { required: ['query'] },
    });
    const { text } = await call('call_tool', { name: 'search_tools', arguments: { query: 'tides' } });
    expect(JSON.parse(text).total).toBe(catalog.tools.all.length);
  });

  test('calls a tool by its own name too', async () => {
    const { call } = await connect(discoveryCatalog(catalog));
    expect((await call('tides__stations_find', { coast: 'east' })).text).toBe('[{"name":"Kiel"}]');
  });

  test.each([
    ['search_tools', {}, 'query: expected words to search for.'],
    ['search_tools', { query: 'x', max: 3 }, 'max: unknown argument. Use query and limit.'],
    ['search_tools', { query: 'x', limit: 0 }, 'limit: expected a whole number from 1 to 50.'],
    ['describe_tool', {}, 'name: expected the name of a tool.'],
    ['describe_tool', { name: 'tides__station_find' }, 'Did you mean tides__stations_find?'],
    ['call_tool', { name: 'nothing like it' }, 'Find one with search_tools.'],
    ['call_tool', { name: 'tides__guide', arguments: [] }, 'arguments: expected an object'],
    ['call_tool', { name: 'tides__stations_find', arguments: { coast: 'west' } }, 'expected one of "north", "east"'],
  ])('says what is wrong with a call of %s with %j', async (name, args, text) => {
    const { call } = await connect(discoveryCatalog(catalog));
    expect(await call(name, args)).toEqual({ isError: true, text: expect.stringContaining(text) });
  });
});
