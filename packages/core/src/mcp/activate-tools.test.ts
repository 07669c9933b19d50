import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer, Server } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SchemaKit } from '../schemakit.ts';
import { info, serverKinds } from './fixtures/server-kinds.ts';

let api: HttpServer;
let root: string;

beforeAll(async () => {
  api = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url?.startsWith('/broken')) response.statusCode = 500;
    response.end(JSON.stringify({ url: request.url, count: 1, odd: 'text' }));
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  root = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => api.close(resolve)));

const parameter = (key: string, primitive: string, options: string[] = []) => ({
  position: { key, value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive, options },
});

const schema = () => ({
  namespace: 'shop',
  name: 'Shop',
  description: 'A shop',
  version: '3.0.0',
  root,
  requiredServerParams: [],
  headers: {},
  tools: {
    findThings: {
      method: 'GET',
      path: '/things',
      description: 'Find things',
      parameters: [parameter('q', 'string()', ['min(2)']), parameter('limit', 'number()', ['default(10)', 'max(100)'])],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: { url: { type: 'string' }, count: { type: 'number', nullable: true }, odd: { type: 'number' } },
        },
      },
    },
    addThing: { method: 'POST', path: '/broken', description: 'Add a thing', parameters: [] },
  },
});

describe.each(serverKinds)('$kind', ({ make, connect, structured }) => {
  test('names all problems of the arguments in our words', async () => {
    const server = make();
    const getThing = {
      method: 'GET',
      path: '/things/{{id}}',
      description: 'Get a thing',
      parameters: [
        {
          position: { key: 'id', value: '{{USER_PARAM}}', location: 'insert' },
          z: { primitive: 'string()', options: [] },
        },
        parameter('unit', 'enum(cm,inch)'),
      ],
    };
    SchemaKit.activateServerTools({ server, schema: { ...schema(), tools: { getThing } } });
    const client = await connect(server);
    const { tools } = await client.listTools();
    expect(tools[0]?.inputSchema.required).toEqual(['id', 'unit']);
    const call = async (args: Record<string, unknown>) =>
      JSON.stringify(await client.callTool({ name: 'shop__getThing', arguments: args }));
    expect(await call({ unit: 'cm' })).toContain('id: required argument is missing');
    const both = await call({ id: '..', unit: 'mile' });
    expect(both).toContain('unit: expected');
    expect(both).toContain('id: a value for the path may not have');
  });

  test('lists the tools with inputs, output and annotations', async () => {
    const server = make();
    const { status, mcpTools } = SchemaKit.activateServerTools({ server, schema: schema() });
    expect(status).toBe(true);
    expect(Object.keys(mcpTools)).toEqual(['shop__findThings', 'shop__addThing']);
    const { tools } = await (await connect(server)).listTools();
    expect(tools.map(({ name }) => name)).toEqual(['shop__findThings', 'shop__addThing']);
    expect(tools[0]?.inputSchema).toMatchObject({
      type: 'object',
      properties: { q: { type: 'string', minLength: 2 }, limit: { type: 'number', maximum: 100, default: 10 } },
      required: ['q'],
    });
    expect(tools[0]?.annotations).toMatchObject({ readOnlyHint: true, openWorldHint: true });
    expect(tools[1]?.annotations).toMatchObject({ readOnlyHint: false });
    if (structured)
      expect(tools[0]?.outputSchema).toMatchObject({ properties: { count: { type: ['number', 'null'] } } });
  });

  test('calls the upstream; values that do not match the schema are left out of the structured answer only', async () => {
    const server = make();
    SchemaKit.activateServerTools({ server, schema: schema() });
    const client = await connect(server);
    const result = await client.callTool({ name: 'shop__findThings', arguments: { q: 'ab', limit: 5 } });
    expect(result.isError).toBeFalsy();
    expect(result.content).toEqual([{ type: 'text', text: '{"url":"/things?q=ab&limit=5","count":1,"odd":"text"}' }]);
    if (structured) {
      expect(result.structuredContent).toEqual({ url: '/things?q=ab&limit=5', count: 1 });
      expect(result._meta).toMatchObject({ 'schemakit/omitted': ['$.odd'] });
    }
  });

  test('a failed call is a result with isError and the reason', async () => {
    const server = make();
    SchemaKit.activateServerTools({ server, schema: schema() });
    const result = await (await connect(server)).callTool({ name: 'shop__addThing', arguments: {} });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain('HTTP 500: Internal Server Error');
  });

  test('invalid arguments are refused with the expected type', async () => {
    const server = make();
    SchemaKit.activateServerTools({ server, schema: schema() });
    const result = await (await connect(server)).callTool({
      name: 'shop__findThings',
      arguments: { q: 'ab', limit: 500 },
    });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toMatch(/100/);
  });

  test('one tool can be registered alone, and others later', async () => {
    const server = make();
    const { toolName, mcpTool } = SchemaKit.activateServerTool({ server, schema: schema(), routeName: 'addThing' });
    expect(toolName).toBe('shop__addThing');
    expect(mcpTool).toBeTypeOf('object');
    SchemaKit.activateServerTool({ server, schema: schema(), routeName: 'findThings' });
    const { tools } = await (await connect(server)).listTools();
    expect(tools.map(({ name }) => name)).toEqual(['shop__addThing', 'shop__findThings']);
  });
});

describe('in-band failures', () => {
  test('an invalid server, an invalid schema, an unknown route', () => {
    // @ts-expect-error: the types refuse it too
    expect(SchemaKit.activateServerTools({ server: {}, schema: schema() }).messages).toEqual([
      'server must be an McpServer or a Server of the MCP SDK',
    ]);
    // @ts-expect-error: the types refuse it too
    expect(SchemaKit.activateServerTools({ server: new McpServer(info) }).findings).toMatchObject([
      { code: 'ARG003', severity: 'error', path: 'schema', message: 'schema or schemas is required' },
    ]);
    expect(
      SchemaKit.activateServerTool({ server: new McpServer(info), schema: schema(), routeName: 'nope' }),
    ).toMatchObject({
      status: false,
      toolName: null,
      messages: ['Route "nope" not found in schema'],
    });
  });
});

test('a prepared tool has a name, a description, Zod schemas and a function that calls it', async () => {
  const tool = SchemaKit.prepareServerTool({ schema: schema(), routeName: 'findThings' });
  expect(tool).toMatchObject({ status: true, toolName: 'shop__findThings', description: 'Find things' });
  expect(Object.keys(tool.zod)).toEqual(['q', 'limit']);
  expect(tool.zod.limit?.parse('7')).toBe(7);
  const result = await tool.func({ q: 'ab' });
  expect(result).toMatchObject({
    status: true,
    messages: [expect.stringContaining('$.odd')],
    data: { url: '/things?q=ab&limit=10' },
  });
  expect(JSON.parse(result.dataAsString ?? '')).toEqual(result.data);
  expect(result.content).toEqual([{ type: 'text', text: result.dataAsString }]);
});

test('tools of several schemas with the same name get unique names', () => {
  const server = new Server(info);
  const { mcpTools } = SchemaKit.activateServerTools({ server, schemas: [schema(), schema()] });
  expect(Object.keys(mcpTools)).toEqual([
    'shop__findThings',
    'shop__addThing',
    'shop__findThings_2',
    'shop__addThing_2',
  ]);
});
