import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoadedSchema } from '../load/load-schema.ts';
import { harbourResources, mainWith, openHarbours } from '../mcp/fixtures/harbours.ts';
import { closeQueryPool } from '../resources/query-pool.ts';
import { SchemaKit } from '../schemakit.ts';

const folder = openHarbours();
let site: Server;
let origin: string;
let schema: LoadedSchema;

beforeAll(async () => {
  site = createServer(({ url }, response) => {
    if (url === '/away.md') response.writeHead(302, { location: 'http://localhost:1/doc.md' });
    response.end('# Terms\n\nBe kind.\n');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  schema = await load('coast.mjs', harbourResources);
});
afterAll(async () => {
  await closeQueryPool();
  folder.remove();
  await new Promise((resolve) => site.close(resolve));
});

async function load(
  name: string,
  resources: Record<string, unknown>,
  { root = '', ...options }: { root?: string; approveRoot?: boolean; grants?: { network: string[] } } = {},
): Promise<LoadedSchema> {
  const filePath = folder.write(name, mainWith(resources, { root }));
  const loaded = await SchemaKit.loadSchema({ filePath, ...options });
  if (!loaded.status) throw new Error(loaded.messages.join('\n'));
  return loaded;
}

const call = (routeName: string, userParams: object = {}, more: Record<string, unknown> = {}) =>
  SchemaKit.fetch({ schema, routeName, userParams, ...more });

describe('fetch', () => {
  test('runs a query by the name of its resource and its own', async () => {
    expect(await call('harbours_findDeep', { country: 'DE', 'from-depth': 16 })).toEqual({
      status: true,
      messages: [],
      findings: [],
      data: [{ name: 'Wilhelmshaven', depth: 18 }],
      dataAsString: '[{"name":"Wilhelmshaven","depth":18}]',
    });
  });

  test('reads a document by its name, and a part of it', async () => {
    expect((await call('guide')).data).toBe('# Guide\n\nRead it.\n\n## Limits\n\nNone.\n');
    expect((await call('guide', { section: 'Limits' })).data).toBe('## Limits\n\nNone.');
  });

  test('warns if a limit left out rows', async () => {
    const { status, data, findings } = await call('harbours_count');
    expect({ status, rows: (data as unknown[]).length }).toEqual({ status: true, rows: 1000 });
    expect(findings).toMatchObject([{ code: 'ROWS_CUT', severity: 'warning' }]);
  });

  test('reports invalid arguments', async () => {
    const { status, data, findings } = await call('harbours_findDeep', { country: 'FR' });
    expect({ status, data }).toEqual({ status: false, data: null });
    expect(findings).toMatchObject([{ code: 'INP004', path: 'country' }]);
  });

  test('runs a statement by the older name too', async () => {
    const params = { sql: 'SELECT 1 AS one' };
    expect((await call('harbours_freeQuery', params)).data).toEqual([{ one: 1 }]);
    expect((await call('harbours_runSql', params)).data).toEqual([{ one: 1 }]);
  });

  test('a schema with the older name has the newer one as well', async () => {
    const queries = { freeQuery: { sql: '{{DYNAMIC_SQL}}', description: 'Ask.', parameters: [] } };
    const older = await load('older.mjs', { harbours: { ...harbourResources.harbours, queries } });
    const result = await SchemaKit.fetch({
      schema: older,
      routeName: 'harbours_runSql',
      userParams: { sql: 'SELECT 2 AS two' },
    });
    expect(result.data).toEqual([{ two: 2 }]);
  });

  test('ends a query at the deadline of the caller', async () => {
    const sql = 'WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n';
    const { findings } = await call('harbours_runSql', { sql }, { timeoutMs: 300 });
    expect(findings).toMatchObject([{ code: 'QUERY_TIMEOUT' }]);
  });

  test('ends a query when the caller does', async () => {
    const { findings } = await call('harbours_getSchema', {}, { signal: AbortSignal.abort() });
    expect(findings).toMatchObject([{ code: 'QUERY_ABORTED' }]);
  });

  test.each([
    ['harbours_findDep', 'Did you mean harbours_findDeep?'],
    [
      'harbours',
      'The tools are: harbours_getSchema, harbours_findDeep, harbours_echo, harbours_count, harbours_runSql, harbours_describeTables, guide.',
    ],
    [undefined, expect.stringContaining('harbours_getSchema')],
  ])('for %s says what there is', async (routeName, hint) => {
    const { status, findings } = await SchemaKit.fetch({ schema, routeName: routeName as string });
    expect(status).toBe(false);
    expect(findings).toMatchObject([{ code: 'TOOL_UNKNOWN', hint }]);
  });
});

describe('a prepared tool', () => {
  test.each([
    ['harbours_findDeep', 'coast__harbours_findDeep', { country: 'NL' }, [{ name: 'Rotterdam', depth: 24 }]],
    ['harbours_freeQuery', 'coast__harbours_runSql', { sql: 'SELECT 1 AS one' }, [{ one: 1 }]],
    ['guide', 'coast__guide', { section: 'Limits' }, '## Limits\n\nNone.'],
  ])('named %s calls it', async (routeName, toolName, params, data) => {
    const tool = SchemaKit.prepareServerTool({ schema, routeName });
    expect(tool).toMatchObject({ status: true, messages: [], toolName });
    expect(await tool.func(params)).toMatchObject({ status: true, data });
  });

  test('of the second of two schemas calls the second', async () => {
    const other = await load('other.mjs', { notes: { ...harbourResources.guide, description: 'Notes.' } });
    const tool = SchemaKit.prepareServerTool({ schemas: [schema, other], routeName: 'notes' });
    expect(await tool.func({ lines: '1-1' })).toMatchObject({ status: true, data: '# Guide' });
  });

  test('that does not exist also fails when it is called', async () => {
    const tool = SchemaKit.prepareServerTool({ schema, routeName: 'harbours_find' });
    expect(tool).toMatchObject({ status: false, toolName: null, findings: [{ code: 'TOOL_UNKNOWN' }] });
    expect(await tool.func({})).toMatchObject({ status: false, isError: true, messages: tool.messages });
  });
});

describe('a document on a private address', () => {
  const at = (path: string) => ({ terms: { source: 'http', url: `${origin}${path}`, description: 'The terms.' } });
  const read = async (loaded: LoadedSchema) => SchemaKit.fetch({ schema: loaded, routeName: 'terms' });

  test('is read if it is below the root of a schema that the program named', async () => {
    const { status, data } = await read(await load('own.mjs', at('/doc.md'), { root: origin }));
    expect({ status, data }).toEqual({ status: true, data: '# Terms\n\nBe kind.\n' });
  });

  test('is read if its origin was granted', async () => {
    const loaded = await load('granted.mjs', at('/doc.md'), { grants: { network: [origin] } });
    expect((await read(loaded)).status).toBe(true);
  });

  test.each([
    ['is elsewhere', '/doc.md', {}],
    ['is below a root that nobody approved', '/doc.md', { approveRoot: false }],
    ['is led to by a redirect', '/away.md', { approveRoot: true }],
  ])('is refused where it %s, with what to do', async (_, path, options) => {
    const root = 'approveRoot' in options ? origin : '';
    const { status, findings } = await read(await load('refused.mjs', at(path), { ...options, root }));
    const blocked = path === '/away.md' ? 'http://localhost:1' : origin;
    expect(status).toBe(false);
    expect(findings).toMatchObject([
      { code: 'DOCUMENT_UNREADABLE', message: expect.stringContaining('ADDRESS_BLOCKED') },
    ]);
    expect(findings[0]?.hint).toContain(`schemakit trust <file> --network ${blocked}`);
    expect(findings[0]?.hint).toContain(`loadSchema({ filePath, grants: { network: ["${blocked}"] } })`);
  });
});

describe('options of the wrong type are findings', () => {
  test.each([
    ['timeoutMs', Number.NaN],
    ['timeoutMs', -1],
    ['timeoutMs', 0],
    ['timeoutMs', Number.POSITIVE_INFINITY],
    ['timeoutMs', 2 ** 31],
    ['timeoutMs', '1000'],
    ['signal', {}],
    ['signal', 'stop'],
    ['onLog', 'console'],
    ['serverParams', 'KEY=1'],
    ['serverParams', ['KEY']],
    ['handlerMap', 5],
  ])('%s: %j', async (name, value) => {
    const { status, findings } = await call('harbours_getSchema', {}, { [name]: value });
    expect(status).toBe(false);
    expect(findings).toMatchObject([{ code: 'ARG001', path: name, message: expect.stringContaining(name) }]);
  });

  test('undefined and null are not findings', async () => {
    const nothing = { timeoutMs: undefined, signal: null, onLog: undefined, serverParams: null, handlerMap: null };
    expect((await call('harbours_getSchema', {}, nothing)).messages).toEqual([]);
    expect((await call('harbours_getSchema', {}, { timeoutMs: null })).status).toBe(true);
  });
});
