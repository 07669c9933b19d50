import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, test, vi } from 'vitest';
import { startEchoApi } from './schema/legacy/fixtures/echo-api.ts';
import { SchemaKit, Validation } from './v1.ts';

type Parts = Record<string, unknown>;

const serverParams = { QUOTES_KEY: 'secret-of-quotes' };

/** The schema of the fixture of format 1.2.0, with another root and other parts. */
async function quotes(parts: Parts = {}): Promise<Parts> {
  const { schema } = await import(new URL('./load/legacy/fixtures/quotes-1.2.0.mjs', import.meta.url).href);
  return { ...(schema as Parts), ...parts };
}

const schemaOf = (
  namespace: string,
  { tags = [], routes = ['get'] }: { tags?: string[]; routes?: string[] } = {},
): Parts => ({
  namespace,
  tags,
  routes: Object.fromEntries(routes.map((name) => [name, {}])),
});

describe('validateSchema', () => {
  test('accepts a schema of format 1.2.0', async () => {
    expect(SchemaKit.validateSchema({ schema: await quotes() })).toEqual({ status: true, messages: [] });
  });

  test('accepts an older one, which has no namespace, docs and tags', async () => {
    const { namespace, docs, tags, ...schema } = await quotes({ flowMCP: '1.0.0', version: '1.1.1' });
    expect(SchemaKit.validateSchema({ schema })).toEqual({ status: true, messages: [] });
  });

  test.each<[string, Parts, string]>([
    ['a missing key', { namespace: undefined }, 'schema.namespace: Missing value'],
    ['an unknown key', { mode: 'fast' }, 'schema.mode: Is not a known key'],
    [
      'a namespace',
      { namespace: 'a-b' },
      'schema.namespace: Must start with a letter and have letters and digits only',
    ],
    ['tags', { tags: ['ok', 'a.!b', 'a b'] }, 'schema.tags[2]: Must be <word> or <word>.<word>'],
    ['a version', { flowMCP: '2.0.0' }, 'schema.flowMCP: Must be a version 1.x.x'],
    ['text', { name: 5 }, 'schema.name: Must be text'],
    ['arrays', { docs: 'link' }, 'schema.docs: Must be an array of text'],
    ['objects', { headers: [] }, 'schema.headers: Must be an object'],
    ['routes', { routes: { get: null } }, 'schema.routes.get: Must be an object'],
  ])('refuses %s', async (_, parts, message) => {
    expect(SchemaKit.validateSchema({ schema: await quotes(parts) })).toEqual({ status: false, messages: [message] });
  });

  test.each<[string, Parts, string[]]>([
    ['a missing key', { tests: undefined }, ['schema.routes.get.tests: Missing value']],
    ['a method', { requestMethod: 'PUT' }, ['schema.routes.get.requestMethod: Must be GET or POST']],
    [
      'a modifier',
      { modifiers: [{ phase: 'late', handlerName: 'nobody' }] },
      [
        'schema.routes.get.modifiers[0].phase: Must be pre, execute or post',
        'schema.routes.get.modifiers[0].handlerName: Handler "nobody" is not in schema.handlers',
      ],
    ],
    [
      'a parameter',
      { parameters: [{ position: { key: 'a', location: 'header' } }, {}] },
      [
        'schema.routes.get.parameters[0].position.value: Missing value',
        'schema.routes.get.parameters[0].position.location: Must be body, query or insert',
        'schema.routes.get.parameters[1].position: Must be an object',
      ],
    ],
    [
      'a z block',
      {
        parameters: [
          { position: { key: 'a', value: 'b', location: 'query' }, z: { primitive: 'date()', options: ['email()'] } },
        ],
      },
      [
        'schema.routes.get.parameters[0].z.primitive: Is not a known primitive: date()',
        'schema.routes.get.parameters[0].z.options: Is not a known option: email()',
      ],
    ],
  ])('refuses %s of a route', async (_, parts, messages) => {
    const get = {
      requestMethod: 'GET',
      description: 'd',
      route: '/',
      parameters: [],
      tests: [],
      modifiers: [],
      ...parts,
    };
    const schema = await quotes({ routes: { get } });
    expect(SchemaKit.validateSchema({ schema })).toEqual({ status: false, messages });
  });

  test('accepts more than eight routes', async () => {
    const get = { requestMethod: 'GET', description: 'd', route: '/', parameters: [], tests: [], modifiers: [] };
    const routes = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`get${index}`, get]));
    const schema = await quotes({ routes });
    expect(SchemaKit.validateSchema({ schema })).toEqual({ status: true, messages: [] });
    expect(Object.keys(SchemaKit.getZodInterfaces({ schema }))).toHaveLength(12);
  });

  test('refuses a schema that format 3 cannot run', async () => {
    const schema = await quotes({ headers: { 'a b': 'c' } });
    expect(SchemaKit.validateSchema({ schema }).messages).toEqual([expect.stringContaining('"a b" cannot be sent')]);
  });

  test.each([undefined, null, 'text', []])('%j is not a schema', (schema) => {
    expect(SchemaKit.validateSchema({ schema })).toEqual({ status: false, messages: ['schema: Must be an object'] });
  });
});

describe('fetch', () => {
  test('runs a route with its handlers, in this process', async () => {
    const api = await startEchoApi(() => ({ price: 4 }));
    const schema = await quotes({ root: api.origin });
    const result = await SchemaKit.fetch({ schema, routeName: 'getPrice', userParams: { thing: 'tea' }, serverParams });
    const data = { price: 4, asked: true, currency: 'EUR' };
    expect(result).toEqual({ status: true, messages: [], data, dataAsString: JSON.stringify(data) });
  });

  test('returns failures of the call as a result', async () => {
    const api = await startEchoApi(() => ({ error: 'closed' }));
    const schema = await quotes({ root: api.origin });
    const call = { schema, routeName: 'getPrice', serverParams };
    expect(await SchemaKit.fetch({ ...call, userParams: { thing: 'tea' } })).toEqual({
      status: false,
      messages: ['The desk says: closed'],
      data: null,
      dataAsString: null,
    });
    const { status, messages } = await SchemaKit.fetch({ ...call, userParams: {} });
    expect({ status, messages }).toEqual({ status: false, messages: [expect.stringContaining('thing')] });
  });

  test('handlers may send requests to other origins, but not to private addresses', async () => {
    const modifiers = [{ phase: 'pre', handlerName: 'elsewhere' }];
    const get = { requestMethod: 'GET', description: 'd', route: '/', parameters: [], tests: [], modifiers };
    const handlers = {
      elsewhere: ({ payload }: { payload: Parts }) => {
        payload.url = 'http://192.0.2.1/';
      },
    };
    const schema = await quotes({ requiredServerParams: [], headers: {}, routes: { get }, handlers });
    const { messages } = await SchemaKit.fetch({ schema, routeName: 'get', serverParams: {} });
    // The origin is allowed; the address, reserved for documentation, is not public.
    expect(messages).toEqual([expect.stringMatching(/192\.0\.2\.1/)]);
    expect(messages.join()).not.toContain('may reach only');
  });

  test.each<[string, Parts, string]>([
    ['a route', { routeName: 'getNothing' }, 'routeName: Route "getNothing" not found in schema'],
    ['missing server parameters', { serverParams: {} }, 'serverParams.QUOTES_KEY: Missing value'],
    ['empty server parameters', { serverParams: { QUOTES_KEY: '' } }, 'serverParams.QUOTES_KEY: Must not be empty'],
    [
      'more server parameters',
      { serverParams: { ...serverParams, MORE: 'x' } },
      'serverParams.MORE: Is not required by the schema',
    ],
    ['arguments', { userParams: 5 }, 'userParams: Must be an object'],
    ['a schema', { schema: {} }, 'schema.name: Missing value'],
  ])('throws for %s', async (_, parts, message) => {
    const call = { schema: await quotes(), routeName: 'ping', userParams: {}, serverParams, ...parts };
    await expect(SchemaKit.fetch(call)).rejects.toThrow(`\nValidation Error(s):\n- ${message}`);
  });
});

describe('servers', () => {
  async function connect(server: McpServer): Promise<Client> {
    const [left, right] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '1.0.0' });
    await Promise.all([server.connect(left), client.connect(right)]);
    return client;
  }

  test('get all routes under the names of format 1, and results as text', async () => {
    const api = await startEchoApi(() => ({ price: 4 }));
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    const { mcpTools } = SchemaKit.activateServerTools({
      server,
      schema: await quotes({ root: api.origin }),
      serverParams,
    });
    const names = ['get_price_quote_desk2', 'search_things_quote_desk2', 'explain_quote_desk2', 'ping_quote_desk2'];
    expect(Object.keys(mcpTools)).toEqual(names);
    const client = await connect(server);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    expect(tools[0]?.inputSchema).toMatchObject({ required: ['thing'], properties: { currency: { default: 'eur' } } });
    const called = await client.callTool({ name: 'get_price_quote_desk2', arguments: { thing: 'tea' } });
    expect(called).toMatchObject({
      content: [{ type: 'text', text: 'Result: {"price":4,"asked":true,"currency":"EUR"}' }],
    });
    expect(called.isError).toBeFalsy();
    const failed = await client.callTool({
      name: 'get_price_quote_desk2',
      arguments: { thing: 'tea', currency: 'yen' },
    });
    expect(JSON.stringify(failed.content)).toMatch(/"text":"Error: currency: /);
    expect(failed.isError).toBeFalsy();
  });

  test('get one route', async () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    const { toolName, mcpTool } = SchemaKit.activateServerTool({
      server,
      schema: await quotes(),
      serverParams,
      routeName: 'ping',
    });
    expect(toolName).toBe('ping_quote_desk2');
    expect(mcpTool).toBeTypeOf('object');
    const { tools } = await (await connect(server)).listTools();
    expect(tools.map(({ name }) => name)).toEqual(['ping_quote_desk2']);
  });

  test('changes to the schema are written to the error console if silent is false', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const schema = await quotes();
    const activate = (silent: boolean) =>
      SchemaKit.activateServerTools({
        server: new McpServer({ name: 't', version: '1.0.0' }),
        schema,
        serverParams,
        silent,
      });
    activate(true);
    expect(warn).not.toHaveBeenCalled();
    activate(false);
    expect(warn.mock.calls.flat()).toContain('namespace "quoteDesk2" is read as "quotedesk"');
    warn.mockRestore();
  });

  test('invalid servers and server parameters throw', async () => {
    const schema = await quotes();
    expect(() => SchemaKit.activateServerTools({ server: {}, schema, serverParams: {} })).toThrow(
      '\nValidation Error(s):\n- server: Must be a server of the MCP SDK\n- serverParams.QUOTES_KEY: Missing value',
    );
  });

  test('may skip the checks, but unusable schemas still throw', async () => {
    const { docs, ...schema } = await quotes({ extra: true });
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    expect(() => SchemaKit.activateServerTools({ server, schema })).toThrow('schema.extra: Is not a known key');
    const { mcpTools } = SchemaKit.activateServerTools({ server, schema, validate: false });
    expect(Object.keys(mcpTools)).toHaveLength(4);
    expect(() => SchemaKit.activateServerTools({ server, schema: 5, validate: false })).toThrow('Validation Error(s)');
    expect(() => SchemaKit.prepareServerTool({ schema, routeName: 'no', validate: false })).toThrow(
      'Route "no" not found',
    );
  });

  test('of other kinds get a prepared tool', async () => {
    const api = await startEchoApi(() => ({ price: 4 }));
    const tool = SchemaKit.prepareServerTool({
      schema: await quotes({ root: api.origin }),
      serverParams,
      routeName: 'getPrice',
    });
    expect(tool).toMatchObject({
      toolName: 'get_price_quote_desk2',
      description: 'Get the price of a thing in a currency',
    });
    expect(Object.keys(tool.zod)).toEqual(['thing', 'currency']);
    expect(await tool.func({ thing: 'tea' })).toEqual({
      content: [{ type: 'text', text: 'Result: {"price":4,"asked":true,"currency":"EUR"}' }],
    });
    expect(await tool.func()).toEqual({ content: [{ type: 'text', text: expect.stringMatching(/^Error: thing/) }] });
  });
});

test('getZodInterfaces returns the inputs of each route', async () => {
  const interfaces = SchemaKit.getZodInterfaces({ schema: await quotes() });
  expect(Object.keys(interfaces)).toEqual(['getPrice', 'searchThings', 'explain', 'ping']);
  expect(interfaces.getPrice).toMatchObject({ toolName: 'get_price_quote_desk2' });
  expect(interfaces.getPrice?.zod.currency?.parse(undefined)).toBe('eur');
  expect(() => SchemaKit.getZodInterfaces({ schema: {} })).toThrow('Validation Error(s)');
});

test('getAllTests returns the tests of all routes', async () => {
  expect(SchemaKit.getAllTests({ schema: await quotes() })).toEqual([
    { routeName: 'getPrice', description: 'Tea in euros', userParams: { thing: 'tea' } },
    { routeName: 'getPrice', description: 'Tea in dollars', userParams: { thing: 'tea', currency: 'usd' } },
  ]);
});

describe('prepareActivations', () => {
  test('takes the server parameters of each schema from the environment', async () => {
    const schema = await quotes();
    const { activationPayloads } = SchemaKit.prepareActivations({
      arrayOfSchemas: [schema],
      envObject: { QUOTES_KEY: 'k', OTHER: 'o' },
    });
    expect(activationPayloads).toEqual([{ schema, serverParams: { QUOTES_KEY: 'k' }, messages: [] }]);
  });

  test('throws once for all missing parameters', async () => {
    const arrayOfSchemas = [await quotes(), await quotes({ requiredServerParams: ['QUOTES_KEY', 'MORE'] })];
    expect(() => SchemaKit.prepareActivations({ arrayOfSchemas, envObject: { MORE: '' } })).toThrow(
      /^Activation preparation failed: Missing QUOTES_KEY in \.env file, Missing MORE in \.env file$/,
    );
  });

  test('throws for filters, which have moved', async () => {
    const options = { arrayOfSchemas: [await quotes()], envObject: {}, activateTags: [] };
    expect(() => SchemaKit.prepareActivations(options)).toThrow('prepareActivations: activateTags deprecated');
  });

  test('throws for bad arguments', () => {
    expect(() => SchemaKit.prepareActivations({ arrayOfSchemas: [], envObject: {} })).toThrow(
      '\nValidation Error(s):\n- Missing or invalid arrayOfSchemas',
    );
  });
});

describe('filterArrayOfSchemas', () => {
  const arrayOfSchemas = [schemaOf('shopOne', { tags: ['food'], routes: ['get', 'put'] }), schemaOf('bank')];

  test('filters by namespace, tag and route', () => {
    expect(SchemaKit.filterArrayOfSchemas({ arrayOfSchemas, includeNamespaces: ['BANK'] })).toEqual({
      filteredArrayOfSchemas: [arrayOfSchemas[1]],
    });
    expect(SchemaKit.filterArrayOfSchemas({ arrayOfSchemas, activateTags: ['shopone.!put'] })).toEqual({
      filteredArrayOfSchemas: [{ ...arrayOfSchemas[0], routes: { get: {} } }],
    });
  });

  test('throws once for all unknown names', () => {
    expect(() =>
      SchemaKit.filterArrayOfSchemas({ arrayOfSchemas, activateTags: ['none', 'none', 'bank.PUT', 'x.y', 'a.b.c'] }),
    ).toThrow(
      "Invalid activateTags found:\n- Tag 'none' not found in any schema\n- Route 'put' not found in namespace 'bank'\n" +
        "- Namespace 'x' not found in schemas\n- Invalid activateTags syntax: 'a.b.c'",
    );
  });

  test('throws for bad arguments', () => {
    expect(() => SchemaKit.filterArrayOfSchemas({ arrayOfSchemas: [] })).toThrow(
      '\nValidation Error(s):\n- Missing or invalid arrayOfSchemas',
    );
    expect(() => SchemaKit.filterArrayOfSchemas({ arrayOfSchemas, activateTags: 'food' as never })).toThrow(
      '\nValidation Error(s):\n- activateTags: Must be an array',
    );
  });

  test('is checked without throwing by Validation', () => {
    expect(Validation.filterArrayOfSchemas({ arrayOfSchemas })).toEqual({ status: true, messages: [] });
    expect(Validation.filterArrayOfSchemas()).toMatchObject({ status: false });
    expect(() => Validation.error({ messages: ['a', 'b'] })).toThrow('\nValidation Error(s):\n- a\n- b');
  });
});

test('getArgvParameters reads filters from the command line', () => {
  const argv = ['node', 'main.mjs', '--source=desk', '--includeNamespaces=a, b', '--activateTags=', '--other=1'];
  expect(SchemaKit.getArgvParameters({ argv, excludeNamespaces: ['c'], activateTags: ['d'] })).toEqual({
    source: 'desk',
    includeNamespaces: ['a', 'b'],
    excludeNamespaces: ['c'],
    activateTags: [],
  });
  expect(SchemaKit.getArgvParameters()).toEqual({
    source: undefined,
    includeNamespaces: [],
    excludeNamespaces: [],
    activateTags: [],
  });
});
