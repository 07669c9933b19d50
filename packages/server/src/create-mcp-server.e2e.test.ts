import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as OldInMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { exposeSchemas, SchemaKit } from '@schemakit/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selectCatalog } from './catalog/select-catalog.ts';
import { createToolCatalog, type ServedResource, type ServedTool, type ToolCatalog } from './catalog/tool-catalog.ts';
import { createMcpServer } from './create-mcp-server.ts';
import { openTides } from './fixtures/tides.ts';

const info = { name: 'tides', version: '1.0.0' };
const folder = openTides();
let catalog: ToolCatalog;

beforeAll(async () => {
  const schema = await SchemaKit.loadSchema({ filePath: folder.file });
  if (!schema.status) throw new Error(schema.messages.join('\n'));
  catalog = createToolCatalog(exposeSchemas([schema]));
});
afterAll(() => folder.remove());

async function connectNew(served: ToolCatalog): Promise<Client> {
  const [left, right] = InMemoryTransport.createLinkedPair();
  const client = new Client(info);
  await Promise.all([createMcpServer(served, info).connect(left), client.connect(right)]);
  return client;
}

async function connectOld(served: ToolCatalog): Promise<Client> {
  const [left, right] = OldInMemoryTransport.createLinkedPair();
  const client = new OldClient(info);
  await Promise.all([createMcpServer(served, info).connect(left as never), client.connect(right)]);
  return client as unknown as Client;
}

describe.each([
  ['second', connectNew],
  ['first', connectOld],
])('a client of the %s generation', (_, connect) => {
  test('lists resources and templates in the order of the schema', async () => {
    const client = await connect(catalog);
    expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: {}, completions: {} });
    const { resources } = await client.listResources();
    expect(resources).toEqual([
      expect.objectContaining({ uri: 'schemakit://tides/stations/getSchema', mimeType: 'application/json' }),
      expect.objectContaining({ uri: 'schemakit://tides/stations/describeTables' }),
      {
        uri: 'schemakit://tides/guide',
        name: 'tides__guide',
        title: 'Guide',
        description: 'How to read the tide tables.',
        mimeType: 'text/markdown',
      },
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'schemakit://tides/stations/find{?coast,limit}',
      'schemakit://tides/stations/runSql{?sql,limit}',
      'schemakit://tides/guide{?section,lines,search}',
    ]);
  });

  test('reads rows and documents', async () => {
    const client = await connect(catalog);
    const read = async (uri: string) => (await client.readResource({ uri })).contents;
    const uri = 'schemakit://tides/stations/find?coast=north&limit=1';
    expect(await read(uri)).toEqual([{ uri, mimeType: 'application/json', text: '[{"name":"Husum"}]' }]);
    expect(await read('schemakit://tides/guide?section=Signs')).toMatchObject([
      { mimeType: 'text/markdown', text: '## Signs\n\nA plus is high.' },
    ]);
  });

  test('gets errors with the reason', async () => {
    const client = await connect(catalog);
    const failure = (uri: string) => client.readResource({ uri }).catch((reason) => reason);
    expect(await failure('schemakit://tides/stations/find?coast=west')).toMatchObject({
      code: -32602,
      message: expect.stringContaining('coast: expected one of "north", "east", got "west"'),
      data: { findings: [{ code: 'INP004' }] },
    });
    expect(await failure('schemakit://tides/nothing')).toMatchObject({
      code: -32602,
      message: expect.stringContaining('Resource schemakit://tides/nothing not found'),
      data: { uri: 'schemakit://tides/nothing' },
    });
    expect(await failure('schemakit://tides/stations/runSql?sql=SELECT+*+FROM+nowhere')).toMatchObject({
      code: -32603,
      message: expect.stringContaining('SQL error: no such table: nowhere'),
    });
    expect(await failure('schemakit://tides/stations/runSql?sql=DROP+TABLE+stations')).toMatchObject({ code: -32602 });
  });

  test('calls runSql by its older name, which is not listed', async () => {
    const client = await connect(catalog);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names.filter((name) => /runSql|freeQuery/.test(name))).toEqual(['tides__stations_runSql']);
    const result = await client.callTool({
      name: 'tides__stations_freeQuery',
      arguments: { sql: 'SELECT 1 AS one' },
    });
    expect(result.content).toEqual([{ type: 'text', text: '[{"one":1}]' }]);
  });

  test('is told what a limit left out', async () => {
    const client = await connect(catalog);
    const sql = "SELECT value FROM json_each('[1,2,3]')";
    const result = await client.callTool({ name: 'tides__stations_runSql', arguments: { sql, limit: 2 } });
    expect(result.content).toEqual([
      { type: 'text', text: '[{"value":1},{"value":2}]' },
      { type: 'text', text: expect.stringContaining('only the first 2 are returned') },
    ]);
    expect(result._meta).toMatchObject({
      'schemakit/warnings': [expect.stringContaining('only the first 2 are returned')],
    });
  });

  test('completes arguments', async () => {
    const client = await connect(catalog);
    const ref = { type: 'ref/resource', uri: 'schemakit://tides/stations/find{?coast,limit}' } as const;
    const complete = async (name: string, value: string) =>
      (await client.complete({ ref, argument: { name, value } })).completion.values;
    expect(await complete('coast', 'N')).toEqual(['north']);
    expect(await complete('limit', '')).toEqual([]);
    expect(await complete('other', '')).toEqual([]);
    const unknown = (ref: Parameters<typeof client.complete>[0]['ref']) =>
      client.complete({ ref, argument: { name: 'coast', value: '' } }).catch((reason) => reason);
    expect(await unknown({ type: 'ref/resource', uri: 'schemakit://tides/nothing' })).toMatchObject({ code: -32602 });
    expect(await unknown({ type: 'ref/prompt', name: 'nothing' })).toMatchObject({ code: -32602 });
  });
});

test('a server without resources has no such capability', async () => {
  const main = {
    namespace: 'shop',
    name: 'Shop',
    description: 'A shop.',
    version: '3.0.0',
    root: 'https://example.com',
    requiredServerParams: [],
    requiredLibraries: [],
    headers: {},
    tools: { ping: { method: 'GET', path: '/', description: 'Ping.', parameters: [] } },
  };
  const client = await connectNew(createToolCatalog(exposeSchemas([main])));
  expect(client.getServerCapabilities()).toEqual({ tools: {} });
  await expect(client.readResource({ uri: 'schemakit://shop/x' })).rejects.toThrow();
});

const counting: ServedTool = {
  listing: {
    name: 'count',
    title: 'Count',
    description: 'Counts.',
    inputSchema: { type: 'object' },
    annotations: {
      title: 'Count',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  },
  aliases: [],
  namespace: 'own',
  tags: [],
  toolName: 'count',
  requiredServerParams: [],
  async call(_args, { onProgress } = {}) {
    onProgress?.('one');
    onProgress?.('two');
    return {
      content: [{ type: 'resource', resource: { uri: 'own://count', text: String(onProgress !== undefined) } }],
    };
  },
};

const note: ServedResource = {
  resourceName: 'note',
  uri: 'own://note',
  listing: { uri: 'own://note', name: 'note', title: 'Note', mimeType: 'image/png' },
  template: { uriTemplate: 'own://note{?line}', name: 'note', title: 'Note' },
  matches: (address) => address === 'own://note',
  read: async (uri) => ({ ok: true, contents: [{ uri, mimeType: 'image/png', blob: 'AAAA' }] }),
  complete: () => Array.from({ length: 150 }, (_, index) => String(index)),
};

describe('tools and resources of a program besides schemas', () => {
  test('a tool reports progress if the client asks for it', async () => {
    const client = await connectNew(createToolCatalog([counting]));
    const steps: unknown[] = [];
    const told = await client.callTool({ name: 'count' }, { onprogress: (step) => steps.push(step) });
    expect(steps).toEqual([
      { progress: 1, message: 'one' },
      { progress: 2, message: 'two' },
    ]);
    expect(told.content).toEqual([{ type: 'resource', resource: { uri: 'own://count', text: 'true' } }]);
    const untold = await client.callTool({ name: 'count' });
    expect(untold.content).toMatchObject([{ resource: { text: 'false' } }]);
  });

  test('a resource that belongs to no tool is listed and read, and is in every view of the catalog', async () => {
    const whole = createToolCatalog([counting], [], [note]);
    for (const served of [whole, selectCatalog(whole, { tools: ['other'] })]) {
      const client = await connectNew(served);
      expect((await client.listResources()).resources).toEqual([note.listing]);
      const { contents } = await client.readResource({ uri: 'own://note' });
      expect(contents).toEqual([{ uri: 'own://note', mimeType: 'image/png', blob: 'AAAA' }]);
    }
  });

  test('a completion has no more values than clients accept', async () => {
    const client = await connectNew(createToolCatalog([], [], [note]));
    const ref = { type: 'ref/resource', uri: 'own://note{?line}' } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'line', value: '' } });
    expect(completion).toMatchObject({ total: 150, hasMore: true });
    expect(completion.values).toHaveLength(100);
  });
});
