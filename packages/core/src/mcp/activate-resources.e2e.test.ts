import { UriTemplate } from '@modelcontextprotocol/client';
import { McpServer, Server } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoadedSchema } from '../load/load-schema.ts';
import { closeQueryPool } from '../resources/query-pool.ts';
import { SchemaKit } from '../schemakit.ts';
import { harbourResources, mainWith, openHarbours } from './fixtures/harbours.ts';
import { info, type ServerKind, serverKinds } from './fixtures/server-kinds.ts';

const folder = openHarbours();
let schema: LoadedSchema;

beforeAll(async () => {
  schema = await load('coast.mjs', harbourResources);
});
afterAll(async () => {
  await closeQueryPool();
  folder.remove();
});

async function load(name: string, resources: Record<string, unknown>): Promise<LoadedSchema> {
  const loaded = await SchemaKit.loadSchema({ filePath: folder.write(name, mainWith(resources)) });
  if (!loaded.status) throw new Error(loaded.messages.join('\n'));
  return loaded;
}

/** A client of a server on which the schema is activated. */
function open({ make, connect }: ServerKind, activated: object = schema) {
  const server = make();
  const { messages } = SchemaKit.activateServerTools({ server, schema: activated });
  expect(messages).toEqual([]);
  return connect(server);
}

const findDeep = 'schemakit://coast/harbours/findDeep';

describe.each(serverKinds)('$kind', (kind) => {
  test('lists resources that can be read without arguments', async () => {
    const { resources } = await (await open(kind)).listResources();
    expect(resources).toEqual([
      {
        uri: 'schemakit://coast/harbours/getSchema',
        name: 'coast__harbours_getSchema',
        title: 'Harbours Get Schema',
        description: 'The tables.',
        mimeType: 'application/json',
      },
      expect.objectContaining({ uri: 'schemakit://coast/harbours/count' }),
      expect.objectContaining({ uri: 'schemakit://coast/harbours/describeTables' }),
      {
        uri: 'schemakit://coast/guide',
        name: 'coast__guide',
        title: 'Guide',
        description: 'How to read the tables.',
        mimeType: 'text/markdown',
      },
    ]);
  });

  test('lists templates of resources with arguments', async () => {
    const { resourceTemplates } = await (await open(kind)).listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate, mimeType }) => [uriTemplate, mimeType])).toEqual([
      ['schemakit://coast/harbours/findDeep{?country,from%2Ddepth}', 'application/json'],
      ['schemakit://coast/harbours/echo{?text}', 'application/json'],
      ['schemakit://coast/harbours/runSql{?sql,limit}', 'application/json'],
      ['schemakit://coast/guide{?section,lines,search}', undefined],
    ]);
    expect(resourceTemplates[0]).toMatchObject({
      name: 'coast__harbours_findDeep',
      title: 'Harbours Find Deep',
      description: 'Find the harbours of a country that are at least so deep.',
    });
  });

  test('reads rows as JSON, with arguments of the right type and with defaults', async () => {
    const client = await open(kind);
    const read = async (uri: string) => {
      const { contents } = await client.readResource({ uri });
      expect(contents).toEqual([{ uri, mimeType: 'application/json', text: expect.any(String) }]);
      return JSON.parse((contents[0] as { text: string }).text);
    };
    expect(await read('schemakit://coast/harbours/getSchema')).toEqual([{ name: 'harbours' }]);
    expect(await read(`${findDeep}?from%2Ddepth=16&country=DE`)).toEqual([{ name: 'Wilhelmshaven', depth: 18 }]);
    expect(await read(`${findDeep}?country=NL`)).toEqual([{ name: 'Rotterdam', depth: 24 }]);
    expect(await read(`${findDeep}?country=DE&from-depth=`)).toHaveLength(2);
    expect(await read('schemakit://coast/harbours/runSql?sql=SELECT%201%20AS%20one')).toEqual([{ one: 1 }]);
  });

  test('reads a document and a part of it', async () => {
    const client = await open(kind);
    const uri = 'schemakit://coast/guide';
    const read = async (query: string) => (await client.readResource({ uri: `${uri}${query}` })).contents;
    expect(await read('')).toEqual([
      { uri, mimeType: 'text/markdown', text: '# Guide\n\nRead it.\n\n## Limits\n\nNone.\n' },
    ]);
    expect(await read('?section=Limits')).toMatchObject([{ mimeType: 'text/markdown', text: '## Limits\n\nNone.' }]);
    const [found] = await read('?search=read');
    expect(found).toMatchObject({ mimeType: 'application/json', text: expect.stringContaining('Read it.') });
  });

  test('any text reaches the query unchanged', async () => {
    const client = await open(kind);
    const template = new UriTemplate('schemakit://coast/harbours/echo{?text}');
    for (const text of [
      'a&b=c',
      '100% + 1',
      'ö ü 👩‍🚀',
      "'; DROP TABLE harbours; --",
      '?#/../%2e',
      '\n\t',
      '{{API_KEY}}',
      '',
    ]) {
      const { contents } = await client.readResource({ uri: template.expand({ text }) });
      expect(JSON.parse((contents[0] as { text: string }).text)).toEqual([{ said: text }]);
    }
  });

  test('reports in the result that a limit left out rows', async () => {
    const { contents } = await (await open(kind)).readResource({ uri: 'schemakit://coast/harbours/count' });
    expect(contents[0]?._meta).toEqual({
      'schemakit/warnings': [expect.stringContaining('There are more rows: only the first 1000 are returned')],
    });
  });

  test.each<[string, string, RegExp]>([
    ['a value that is not allowed', '?country=FR', /country: expected one of "DE", "NL", "BE", got "FR"/],
    ['a number that is none', '?country=DE&from-depth=deep', /from-depth: expected a number, got "deep"/],
    ['an argument that is missing', '', /country: required argument is missing/],
    ['an unknown argument', '?country=DE&contry=NL', /contry: unknown .* Did you mean "country"/],
    ['an argument that is given twice', '?country=DE&country=NL', /country: expected one of .*, got a list/],
  ])('refuses %s', async (_, query, message) => {
    const client = await open(kind);
    const error = await client.readResource({ uri: `${findDeep}${query}` }).catch((reason) => reason);
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) });
    expect(error.data.findings[0].code).toMatch(/^INP/);
    expect(error.data).not.toHaveProperty('uri');
  });

  test('an unknown address is an error with the address', async () => {
    const client = await open(kind);
    for (const uri of ['schemakit://coast/nothing', 'schemakit://coast/harbours', 'https://example.com/']) {
      const error = await client.readResource({ uri }).catch((reason) => reason);
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(uri) });
    }
  });

  test('a missing database is an error that lists the paths that were tried', async () => {
    const gone = { ...harbourResources.harbours, name: 'gone.db' };
    const client = await open(kind, await load('gone.mjs', { gone }));
    const error = await client.readResource({ uri: 'schemakit://coast/gone/getSchema' }).catch((reason) => reason);
    expect(error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('Failed to open database "gone.db": there is no such file. Looked for it at'),
      data: { findings: [{ code: 'FILE_MISSING' }] },
    });
  });

  test('completes the values of an enum', async () => {
    const client = await open(kind);
    const complete = async (uri: string, name: string, value: string) => {
      const { completion } = await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } });
      return completion.values;
    };
    const template = `${findDeep}{?country,from%2Ddepth}`;
    expect(await complete(template, 'country', '')).toEqual(['DE', 'NL', 'BE']);
    expect(await complete(template, 'country', 'd')).toEqual(['DE']);
    expect(await complete(template, 'from%2Ddepth', '')).toEqual([]);
  });

  test('a schema without resources registers none', async () => {
    const tools = { ping: { method: 'GET', path: '/', description: 'Ping.', parameters: [] } };
    const client = await open(kind, mainWith({}, { root: 'https://example.com', tools }));
    expect(client.getServerCapabilities()).not.toHaveProperty('resources');
    expect(client.getServerCapabilities()).not.toHaveProperty('completions');
  });

  test('one query can be registered alone', async () => {
    const server = kind.make();
    const { toolName } = SchemaKit.activateServerTool({ server, schema, routeName: 'harbours_getSchema' });
    expect(toolName).toBe('coast__harbours_getSchema');
    const client = await kind.connect(server);
    expect((await client.listResources()).resources).toHaveLength(1);
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  test('a connected server keeps its tools and reports what it rejects', async () => {
    const server = kind.make();
    const tools = { ping: { method: 'GET', path: '/', description: 'Ping.', parameters: [] } };
    SchemaKit.activateServerTools({ server, schema: mainWith({}, { root: 'https://example.com', tools }) });
    const client = await kind.connect(server);
    const { status, findings, mcpResources } = SchemaKit.activateServerTools({ server, schema });
    expect(status).toBe(true);
    expect(findings).toMatchObject([{ code: 'RES031', severity: 'warning' }]);
    expect(mcpResources).toEqual({});
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('coast__guide');
  });
});

test('registered resources are returned by address and template', () => {
  const { mcpResources } = SchemaKit.activateServerTools({ server: new Server(info), schema });
  expect(Object.keys(mcpResources)).toEqual([
    'schemakit://coast/harbours/getSchema',
    'schemakit://coast/harbours/findDeep{?country,from%2Ddepth}',
    'schemakit://coast/harbours/echo{?text}',
    'schemakit://coast/harbours/count',
    'schemakit://coast/harbours/runSql{?sql,limit}',
    'schemakit://coast/harbours/describeTables',
    'schemakit://coast/guide',
    'schemakit://coast/guide{?section,lines,search}',
  ]);
});

test('a low-level server with resources of its own keeps them', () => {
  const server = new Server(info, { capabilities: { resources: {} } });
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  const { status, findings, mcpResources } = SchemaKit.activateServerTools({ server, schema });
  expect({ status, mcpResources }).toEqual({ status: true, mcpResources: {} });
  expect(findings.map(({ code }) => code)).toEqual(['RES031']);
});

test('resources with the same name in two files are all registered, in any order', async () => {
  const guides = [
    await load('a.mjs', { guide: harbourResources.guide }),
    await load('b.mjs', { guide: { ...harbourResources.guide, description: 'The other guide.' } }),
  ];
  for (const schemas of [guides, guides.toReversed()]) {
    const server = new McpServer(info);
    SchemaKit.activateServerTools({ server, schemas });
    const kind = serverKinds[0] as ServerKind;
    const { resources } = await (await kind.connect(server)).listResources();
    const described = resources.map(({ uri, description }) => [uri, description]).sort();
    expect(described).toEqual([
      ['schemakit://coast/guide', 'How to read the tables.'],
      ['schemakit://coast/guide_2', 'The other guide.'],
    ]);
  }
});
