import { Server as OldServer } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer, Server } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoadedSchema } from '../load/load-schema.ts';
import { closeQueryPool } from '../resources/query-pool.ts';
import type { Finding } from '../schema/finding.ts';
import { SchemaKit } from '../schemakit.ts';
import { exposeSchemas } from './expose-schemas.ts';
import { harbourResources, mainWith, openHarbours } from './fixtures/harbours.ts';
import { info, serverKinds } from './fixtures/server-kinds.ts';

const folder = openHarbours();
let coast: LoadedSchema;

beforeAll(async () => {
  coast = await SchemaKit.loadSchema({ filePath: folder.write('coast.mjs', mainWith(harbourResources)) });
});
afterAll(async () => {
  await closeQueryPool();
  folder.remove();
});

const tool = (path: string) => ({ method: 'GET', path, description: `Get ${path}.`, parameters: [] });

const shop = (more: Record<string, unknown> = {}) =>
  mainWith({}, { namespace: 'shop', root: 'https://example.com', tools: { a: tool('/a'), b: tool('/b') }, ...more });

const told = (findings: readonly Finding[]) =>
  findings.map(({ code, severity, path }) => `${severity} ${code} ${path}`);

describe.each(serverKinds)('$kind', ({ make, connect }) => {
  test('a name that is taken gets a number, and a warning', async () => {
    const server = make();
    const first = SchemaKit.activateServerTools({ server, schema: shop() });
    const second = SchemaKit.activateServerTools({ server, schema: shop() });
    const third = SchemaKit.activateServerTool({ server, schema: shop(), routeName: 'a' });
    expect([first.status, first.findings]).toEqual([true, []]);
    expect([second.status, Object.keys(second.mcpTools)]).toEqual([true, ['shop__a_2', 'shop__b_2']]);
    expect(told(second.findings)).toEqual(['warning REF005 shop__a', 'warning REF005 shop__b']);
    expect(second.messages[0]).toBe(
      'the server already has a tool named shop__a; that of this schema is exposed as shop__a_2',
    );
    expect([third.status, third.toolName]).toEqual([true, 'shop__a_3']);
    expect(told(third.findings)).toEqual(['warning REF005 shop__a']);
    const { tools } = await (await connect(server)).listTools();
    expect(tools.map(({ name }) => name)).toEqual(['shop__a', 'shop__b', 'shop__a_2', 'shop__b_2', 'shop__a_3']);
  });

  test('an existing resource is kept, and the tools of the other are registered', async () => {
    const server = make();
    SchemaKit.activateServerTools({ server, schema: coast });
    const { status, findings, mcpResources } = SchemaKit.activateServerTools({ server, schema: coast });
    expect([status, mcpResources]).toEqual([true, {}]);
    expect(findings.filter(({ code }) => code === 'RES031')).toHaveLength(7);
    const client = await connect(server);
    const { content } = await client.callTool({ name: 'coast__guide_2', arguments: { lines: '1-1' } });
    expect(content).toEqual([{ type: 'text', text: '# Guide' }]);
  });

  test('a result that a limit shortened tells models and programs', async () => {
    const server = make();
    SchemaKit.activateServerTools({ server, schema: coast });
    const client = await connect(server);
    const cut = await client.callTool({ name: 'coast__harbours_count', arguments: {} });
    const [rows, note] = cut.content as { type: string; text: string }[];
    expect(JSON.parse(rows?.text ?? '')).toHaveLength(1000);
    expect(note?.text).toMatch(
      /^This answer is incomplete\. There are more rows: only the first 1000 are returned.*LIMIT with OFFSET/,
    );
    expect(cut._meta).toMatchObject({
      'schemakit/warnings': [expect.stringContaining('only the first 1000 are returned')],
    });
    const whole = await client.callTool({ name: 'coast__harbours_getSchema', arguments: {} });
    expect(whole.content).toHaveLength(1);
    expect(whole._meta ?? {}).not.toHaveProperty('schemakit/warnings');
  });

  test('a connected server that accepts no tools is an error, not an exception', async () => {
    const server = make();
    await connect(server);
    const { status, findings, mcpTools } = SchemaKit.activateServerTools({ server, schema: shop() });
    expect([status, mcpTools]).toEqual([false, {}]);
    expect(findings).toMatchObject([
      { code: 'ARG002', message: expect.stringContaining('the server accepts no tools') },
    ]);
  });
});

test.each([
  ['second', () => new Server(info)],
  ['first', () => new OldServer(info)],
])('a Server of the %s generation takes the older name of runSql without listing it', async (_, make) => {
  const kind = serverKinds.find(({ make: other }) => (other() as object).constructor === make().constructor);
  const server = make();
  SchemaKit.activateServerTools({ server, schema: coast });
  const client = await kind?.connect(server);
  const names = (await client?.listTools())?.tools.map(({ name }) => name);
  expect(names).toContain('coast__harbours_runSql');
  expect(names).not.toContain('coast__harbours_freeQuery');
  const result = await client?.callTool({
    name: 'coast__harbours_freeQuery',
    arguments: { sql: 'SELECT 1 AS one' },
  });
  expect(result?.content).toEqual([{ type: 'text', text: '[{"one":1}]' }]);
});

test('a tool of the user keeps its name', () => {
  const server = new McpServer(info);
  server.registerTool('shop__a', { description: 'Mine.' }, () => ({ content: [] }));
  const { mcpTools } = SchemaKit.activateServerTools({ server, schema: shop() });
  expect(Object.keys(mcpTools)).toEqual(['shop__a_2', 'shop__b']);
});

test('tools of several schemas with the same name are reported', () => {
  const schemas = [shop(), shop()];
  const { status, findings } = SchemaKit.activateServerTools({ server: new Server(info), schemas });
  expect(status).toBe(true);
  expect(told(findings)).toEqual(['warning REF005 shop__a', 'warning REF005 shop__b']);
  const seen: Finding[] = [];
  exposeSchemas(schemas, { onFinding: (finding) => seen.push(finding) });
  expect(seen).toEqual(findings);
  const one = SchemaKit.activateServerTool({ server: new Server(info), schemas, routeName: 'a' });
  expect(told(one.findings)).toEqual(['warning REF005 shop__a']);
});

describe('a server parameter that is not set', () => {
  const schema = shop({ requiredServerParams: ['SHOP_KEY', 'SHOP_ID'] });

  test('is reported with the tools that will fail', () => {
    const serverParams = { SHOP_ID: '7', SHOP_KEY: '' };
    const { status, findings } = SchemaKit.activateServerTools({ server: new Server(info), schema, serverParams });
    expect(status).toBe(true);
    expect(findings).toEqual([
      {
        code: 'SECRET_MISSING',
        severity: 'warning',
        path: 'serverParams.SHOP_KEY',
        message: 'Required server parameter SHOP_KEY is not set: calls of shop__a, shop__b will fail',
        hint: 'Pass it in serverParams, or set SHOP_KEY in the environment of the server.',
      },
    ]);
    const seen: Finding[] = [];
    exposeSchemas([schema], { serverParams, onFinding: (finding) => seen.push(finding) });
    expect(seen).toEqual(findings);
  });

  test('is reported for a single tool, and for a prepared one', () => {
    const one = SchemaKit.activateServerTool({ server: new Server(info), schema, routeName: 'b' });
    expect(one.messages).toEqual([
      'Required server parameter SHOP_KEY is not set: calls of shop__b will fail',
      'Required server parameter SHOP_ID is not set: calls of shop__b will fail',
    ]);
    expect(SchemaKit.prepareServerTool({ schema, routeName: 'b' }).messages).toEqual(one.messages);
  });

  test('is reported in one line for any number of tools', () => {
    const tools = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`t${index}`, tool('/')]));
    const { messages } = SchemaKit.activateServerTools({ server: new Server(info), schema: { ...schema, tools } });
    expect(messages[0]).toMatch(/calls of shop__t0, shop__t1, shop__t2, shop__t3, shop__t4, 3 more will fail$/);
  });

  test('does not matter to queries and documents', () => {
    const main = mainWith(harbourResources, { requiredServerParams: ['SHOP_KEY'] });
    expect(SchemaKit.activateServerTools({ server: new Server(info), schema: main }).messages).toEqual([]);
  });
});

test('a schema that is left out is named', async () => {
  const filePath = folder.write('broken.mjs', { namespace: 'broken' });
  const broken = await SchemaKit.loadSchema({ filePath });
  const schemas = [shop(), broken, { namespace: 'Nope' }, 5];
  const { status, findings, mcpTools } = SchemaKit.activateServerTools({
    server: new Server(info),
    // @ts-expect-error: 5 is no schema
    schemas,
    validate: false,
  });
  expect([status, Object.keys(mcpTools)]).toEqual([true, ['shop__a', 'shop__b']]);
  expect(told(findings)).toEqual(['schemas[1]', 'schemas[2]', 'schemas[3]'].map((path) => `warning VAL091 ${path}`));
  expect(findings[0]?.message).toMatch(`schemas[1] (${filePath}) is left out: this schema did not load; `);
  expect(findings[1]?.message).toMatch('schemas[2] (Nope) is left out: ');
  expect(findings[2]?.message).toMatch('schemas[3] is left out: ');
});
