import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { exposeSchemas, type LoadedSchema, type LoadSchemaOptions, SchemaKit } from '@schemakit/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { faultlessTool, mainWith, moduleText, parameter } from './support/schema-module.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { startUpstream } from './support/upstream.ts';

type Parts = Record<string, unknown>;

const chains = [
  { alias: 'ETHEREUM', chainId: 1, isTestnet: false, slug: 'eth' },
  { alias: 'BASE', chainId: 8453, isTestnet: false, slug: null },
  { alias: 'SEPOLIA', chainId: 11155111, isTestnet: true, slug: 'eth-test' },
  { alias: 'HARDHAT', chainId: 31337, isTestnet: true },
];

const listText = (name: string, entries: unknown[] = chains, version = '1.0.0') =>
  `export const list = ${JSON.stringify({ meta: { name, version, description: name, fields: [] }, entries })};\n`;

const byChain = {
  ...faultlessTool,
  parameters: [parameter('chain', 'query', ['enum({{evmChains:alias}})'])],
  tests: faultlessTool.tests.map((test) => ({ ...test, chain: 'BASE' })),
};

const schemaText = (parts: Parts = {}, handlers?: string) =>
  moduleText(
    mainWith({ sharedLists: [{ ref: 'evmChains', version: '1.0.0' }], tools: { getThing: byChain }, ...parts }),
    handlers,
  );

/** Writes files, and loads the schema among them. */
async function load(
  files: Record<string, string>,
  { filePath = 'schema.mjs', ...options }: Partial<LoadSchemaOptions> = {},
): Promise<LoadedSchema & { folder: string }> {
  const folder = await temporaryFolder(files);
  const { listsDir } = options;
  const loaded = await SchemaKit.loadSchema({
    ...options,
    filePath: join(folder, filePath),
    ...(listsDir !== undefined && { listsDir: join(folder, listsDir) }),
  });
  return { ...loaded, folder };
}

/** The values that the tool's only enum offers to callers. */
function offered(schema: unknown): unknown {
  const [tool] = exposeSchemas([schema]);
  return Object.values(Object(tool?.listing.inputSchema.properties) as Record<string, { enum?: unknown }>)[0]?.enum;
}

const allAliases = chains.map(({ alias }) => alias);

test('a query of a database offers the values of a list too', async () => {
  const query = {
    sql: 'SELECT ?',
    description: 'd',
    parameters: [
      {
        position: { key: 'chain', value: '{{USER_PARAM}}' },
        z: { primitive: 'enum({{evmChains:alias}})', options: [] },
      },
    ],
  };
  const resources = { coins: { source: 'sqlite', description: 'd', database: 'x.db', queries: { find: query } } };
  const schema = schemaText({ tools: {}, resources });
  const loaded = await load({ '_lists/evm-chains.mjs': listText('evmChains'), 'schema.mjs': schema });
  expect(loaded.status).toBe(true);
  const tool = exposeSchemas([loaded]).find(({ toolName }) => toolName.includes('find'));
  expect(tool?.listing.inputSchema.properties).toMatchObject({ chain: { enum: allAliases } });
});

describe('where lists are found', () => {
  test.each(['_lists/evm-chains.mjs', '_lists/evmChains.mjs', '_lists/anything.mjs'])(
    'in %s beside the schema',
    async (file) => {
      const loaded = await load({ [file]: listText('evmChains'), 'schema.mjs': schemaText() });
      expect(loaded).toMatchObject({ status: true, messages: [], sharedLists: { evmChains: chains } });
      expect(offered(loaded)).toEqual(allAliases);
    },
  );

  test('in the nearest folder above', async () => {
    const files = {
      '_lists/evm-chains.mjs': listText('evmChains', [{ alias: 'FAR' }]),
      'a/_lists/evm-chains.mjs': listText('evmChains', [{ alias: 'NEAR' }]),
      'a/b/c/d/schema.mjs': schemaText(),
    };
    expect(offered(await load(files, { filePath: 'a/b/c/d/schema.mjs' }))).toEqual(['NEAR']);
  });

  test('ten folders up, and no further', async () => {
    const ten = `${'d/'.repeat(10)}schema.mjs`;
    const eleven = `${'d/'.repeat(11)}schema.mjs`;
    const files = { '_lists/evm-chains.mjs': listText('evmChains'), [ten]: schemaText(), [eleven]: schemaText() };
    expect((await load(files, { filePath: ten })).status).toBe(true);
    expect(await load(files, { filePath: eleven })).toMatchObject({
      status: false,
      messages: ["Shared list 'evmChains' not found in lists directory"],
    });
  });

  test('in listsDir, which comes first', async () => {
    const files = {
      '_lists/evm-chains.mjs': listText('evmChains', [{ alias: 'BESIDE' }]),
      'elsewhere/evm-chains.mjs': listText('evmChains', [{ alias: 'NAMED' }]),
      'schema.mjs': schemaText(),
    };
    expect(offered(await load(files, { listsDir: 'elsewhere' }))).toEqual(['NAMED']);
    expect(await load(files, { listsDir: 'nowhere' })).toMatchObject({
      status: false,
      messages: ["Shared list 'evmChains' not found in lists directory"],
    });
  });

  test('under a name that differs in case it is another list', async () => {
    const files = { '_lists/evm-chains.mjs': listText('EvmChains'), 'schema.mjs': schemaText() };
    expect((await load(files)).messages).toEqual(["Shared list 'evmChains' not found in lists directory"]);
  });

  test('a broken list beside it does no harm', async () => {
    const files = {
      '_lists/evm-chains.mjs': listText('evmChains'),
      '_lists/aaa.mjs': 'export const list = {',
      '_lists/_registry.json': '{}',
      'schema.mjs': schemaText(),
    };
    expect(await load(files)).toMatchObject({ status: true, messages: [] });
  });
});

describe('versions', () => {
  test('another version is refused, no version takes any', async () => {
    const withVersion = (version: string | undefined) =>
      load({
        '_lists/evm-chains.mjs': listText('evmChains', chains, '3.0.0'),
        'schema.mjs': schemaText({ sharedLists: [{ ref: 'evmChains', version }] }),
      });
    expect(await withVersion('1.0.0')).toMatchObject({
      status: false,
      messages: ["Shared list 'evmChains' has version 3.0.0, not 1.0.0"],
    });
    expect(await withVersion('3.0.0')).toMatchObject({ status: true, messages: [] });
    const loaded = await withVersion(undefined);
    expect(loaded.findings).toEqual([expect.objectContaining({ code: 'VAL071', severity: 'warning' })]);
  });

  test('a bare name is a reference', async () => {
    const files = {
      '_lists/evm-chains.mjs': listText('evmChains'),
      'schema.mjs': schemaText({ sharedLists: ['evmChains'] }),
    };
    expect(offered(await load(files))).toEqual(allAliases);
  });
});

describe('the registry of a folder', () => {
  const text = listText('evmChains');
  const withRegistry = (entry: Parts) =>
    load({
      '_lists/networks.mjs': text,
      '_lists/_registry.json': JSON.stringify({
        specVersion: '3.0.0',
        lists: [{ name: 'evmChains', file: 'networks.mjs', ...entry }],
      }),
      'schema.mjs': schemaText(),
    });

  test('leads to the list, and is silent where all it notes is true', async () => {
    const hash = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    const loaded = await withRegistry({ version: '1.0.0', entryCount: 4, hash });
    expect(loaded).toMatchObject({ status: true, messages: [], sharedLists: { evmChains: chains } });
  });

  test('that notes another version or number of entries is a warning', async () => {
    const { status, findings } = await withRegistry({ version: '2.0.0', entryCount: 5 });
    expect(status).toBe(true);
    expect(findings.map(({ code, severity }) => `${code} ${severity}`)).toEqual(['LST015 warning', 'LST015 warning']);
  });

  test('that notes another hash refuses the list', async () => {
    const { status, findings, sharedLists, folder } = await withRegistry({ hash: `sha256:${'0'.repeat(64)}` });
    expect({ status, sharedLists }).toEqual({ status: false, sharedLists: {} });
    expect(findings).toMatchObject([{ code: 'LST016', file: join(folder, '_lists/networks.mjs'), line: 1 }]);
  });
});

describe('lists that depend on lists', () => {
  const listWith = (name: string, dependsOn: unknown[], entries: unknown[] = chains) =>
    `export const list = ${JSON.stringify({ meta: { name, version: '1.0.0', fields: [], dependsOn }, entries })};\n`;
  const condition = { field: 'symbol', value: 'ETH' };

  test('load with what they need', async () => {
    const loaded = await load({
      '_lists/evm-chains.mjs': listWith('evmChains', [{ ref: 'currencies', version: '1.0.0', condition }]),
      '_lists/currencies.mjs': listWith('currencies', [], [{ symbol: 'ETH' }]),
      'schema.mjs': schemaText(),
    });
    expect(loaded).toMatchObject({ status: true, messages: [] });
    expect(Object.keys(loaded.sharedLists)).toEqual(['evmChains']);
  });

  test('do not load without it, and the finding is in the list', async () => {
    const { status, findings, folder } = await load({
      '_lists/evm-chains.mjs': listWith('evmChains', ['currencies']),
      '_lists/currencies.mjs': listWith('currencies', ['evmChains']),
      'schema.mjs': schemaText(),
    });
    expect(status).toBe(false);
    expect(findings).toMatchObject([
      {
        code: 'LST010',
        message: 'shared lists depend on each other in a circle: evmChains -> currencies -> evmChains',
        file: join(folder, '_lists/currencies.mjs'),
      },
    ]);
  });
});

test('what one program does to a list reaches no other', async () => {
  const { sharedLists, folder } = await load({
    '_lists/evm-chains.mjs': listText('evmChains'),
    'schema.mjs': schemaText(),
  });
  const [first] = sharedLists.evmChains as Parts[];
  expect(() => Object.assign(first as Parts, { alias: 'CHANGED' })).toThrow(TypeError);
  expect(offered(await SchemaKit.loadSchema({ filePath: join(folder, 'schema.mjs') }))).toEqual(allAliases);
});

describe('filters', () => {
  test.each([
    [{ key: 'slug', exists: true }, ['ETHEREUM', 'SEPOLIA']],
    [{ key: 'slug', exists: false }, ['BASE', 'HARDHAT']],
    [{ key: 'isTestnet', value: false }, ['ETHEREUM', 'BASE']],
    [{ key: 'chainId', value: '1' }, [] as string[]],
    [{ key: 'slug', value: null }, ['BASE']],
    [{ key: 'chainId', in: [1, 31337, 7] }, ['ETHEREUM', 'HARDHAT']],
    [{ field: 'isTestnet', value: true }, ['SEPOLIA', 'HARDHAT']],
  ])('%j', async (filter, aliases) => {
    const sharedLists = [{ ref: 'evmChains', version: '1.0.0', filter }];
    const loaded = await load({
      '_lists/evm-chains.mjs': listText('evmChains'),
      'schema.mjs': schemaText({ sharedLists, tools: { getThing: faultlessTool } }),
    });
    // No enum names the list, since a filter may leave it empty.
    const codes = aliases.length === 0 ? ['VAL074', 'VAL075'] : ['VAL075'];
    expect(loaded.status).toBe(true);
    expect(loaded.findings.map(({ code }) => code)).toEqual(codes);
    expect(loaded.sharedLists.evmChains).toEqual(chains.filter(({ alias }) => aliases.includes(alias)));
  });

  test('that keep nothing leave an enum without values, and that is said', async () => {
    const sharedLists = [{ ref: 'evmChains', version: '1.0.0', filter: { key: 'chainId', value: 0 } }];
    const { status, messages } = await load({
      '_lists/evm-chains.mjs': listText('evmChains'),
      'schema.mjs': schemaText({ sharedLists }),
    });
    expect(status).toBe(false);
    expect(messages).toEqual([
      "the filter of shared list 'evmChains' does not match any of its 4 entries (main.sharedLists[0].filter)",
      "shared list 'evmChains' has no values for alias: its filter matches no entry (enum of chain in getThing)",
    ]);
  });
});

describe('enums', () => {
  const loadEnum = (primitive: string, ...options: string[]) =>
    load({
      '_lists/evm-chains.mjs': listText('evmChains'),
      'schema.mjs': schemaText({
        tools: { getThing: { ...byChain, parameters: [parameter('chain', 'query', [primitive, ...options])] } },
      }),
    });

  test.each([
    ['enum({{evmChains:alias}})', allAliases],
    ['enum({{evmChains:slug}})', ['eth', 'eth-test']],
    ['enum({{evmChains:chainId}})', ['1', '8453', '11155111', '31337']],
    ['enum(custom,{{evmChains:slug}})', ['custom', 'eth', 'eth-test']],
    ['enum(["custom", {{evmChains:slug}}])', ['custom', 'eth', 'eth-test']],
    ['enum({{evmChains:isTestnet}})', ['false', 'true']],
    ["enum(['$evmChains'])", allAliases],
  ])('%s offers %j', async (primitive, values) => {
    const loaded = await loadEnum(primitive);
    expect(loaded).toMatchObject({ status: true, messages: [] });
    expect(offered(loaded)).toEqual(values);
  });

  test('a list in the options is a list as well', async () => {
    expect(offered(await loadEnum('enum()', '$evmChains'))).toEqual(allAliases);
  });

  test('a field that the list does not have', async () => {
    expect(await loadEnum('enum({{evmChains:alia}})')).toMatchObject({
      status: false,
      findings: [{ code: 'VAL049', hint: 'Did you mean alias?' }],
    });
  });

  test('a value of the list is sent, another is refused with the one that was meant', async () => {
    const upstream = await startUpstream(({ query }) => ({ body: query }));
    const schema = await load({
      '_lists/evm-chains.mjs': listText('evmChains'),
      'schema.mjs': schemaText({ root: upstream.origin }),
    });
    const call = (chain: unknown) => SchemaKit.fetch({ schema, routeName: 'getThing', userParams: { chain } });
    expect(await call('BASE')).toMatchObject({ status: true, data: { chain: 'BASE' } });
    const refused = await call('BASSE');
    expect(refused).toMatchObject({ status: false, data: null, findings: [{ code: 'INP004', path: 'chain' }] });
    expect(refused.messages).toEqual([
      expect.stringMatching(/one of "ETHEREUM", "BASE", "SEPOLIA", "HARDHAT".* Did you mean "BASE"\?/),
    ]);
    expect(await call('{{evmChains:alias}}')).toMatchObject({ status: false });
    expect(upstream.requests).toHaveLength(1);
  });

  test('numbers of a list are accepted as numbers', async () => {
    const upstream = await startUpstream(({ query }) => ({ body: query }));
    const tools = {
      getThing: { ...byChain, parameters: [parameter('chain', 'query', ['enum({{evmChains:chainId}})'])] },
    };
    const schema = await load({
      '_lists/evm-chains.mjs': listText('evmChains'),
      'schema.mjs': schemaText({ root: upstream.origin, tools }),
    });
    expect(await SchemaKit.fetch({ schema, routeName: 'getThing', userParams: { chain: 8453 } })).toMatchObject({
      data: { chain: '8453' },
    });
  });

  test('a prepared tool checks with the values', async () => {
    const loaded = await loadEnum('enum({{evmChains:alias}})');
    const { zod, toolName, status } = SchemaKit.prepareServerTool({ schema: loaded, routeName: 'getThing' });
    expect({ toolName, status }).toEqual({ toolName: 'shop__getThing', status: true });
    expect(zod.chain?.safeParse('BASE').success).toBe(true);
    expect(zod.chain?.safeParse('BASSE').success).toBe(false);
  });

  test('a server offers them', async () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    const { status, mcpTools } = SchemaKit.activateServerTools({
      server,
      schema: await loadEnum('enum({{evmChains:alias}})'),
    });
    expect({ status, names: Object.keys(mcpTools) }).toEqual({ status: true, names: ['shop__getThing'] });
    const client = new Client({ name: 'test', version: '1.0.0' });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(near), client.connect(far)]);
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    expect(tools[0]?.inputSchema.properties).toMatchObject({ chain: { type: 'string', enum: allAliases } });
  });
});

describe('a copy of main', () => {
  const handlers = `({ sharedLists }) => ({ getThing: {
    postRequest: async ({ response }) => ({ response: { path: response.path, known: sharedLists.evmChains.length } }),
  } })`;
  const loadWithHandlers = async () => {
    const upstream = await startUpstream();
    const loaded = await load({
      '_lists/evm-chains.mjs': listText('evmChains'),
      'schema.mjs': schemaText({ root: upstream.origin }, handlers),
    });
    expect(loaded).toMatchObject({ status: true, messages: [] });
    return { upstream, loaded, main: loaded.main as Parts };
  };
  const call = (given: Parts) =>
    SchemaKit.fetch({ main: undefined, userParams: { chain: 'BASE' }, routeName: 'getThing', ...given });

  test.each([
    ['structuredClone', (main: Parts) => structuredClone(main)],
    ['JSON', (main: Parts) => JSON.parse(JSON.stringify(main)) as Parts],
    ['its keys in another order', (main: Parts) => Object.fromEntries(Object.entries(main).reverse())],
    ['a frozen one', (main: Parts) => Object.freeze({ ...main })],
  ])('keeps handlers and lists: %s', async (_name, copy) => {
    const { main } = await loadWithHandlers();
    const copied = copy(main);
    expect(await call({ main: copied })).toMatchObject({ status: true, data: { path: '/thing', known: 4 } });
    expect(offered(copied)).toEqual(allAliases);
    expect(SchemaKit.validateSchema({ schema: copied })).toMatchObject({ status: true });
  });

  test('is called as main, as schema, and as what loadSchema returned', async () => {
    const { main, loaded } = await loadWithHandlers();
    for (const given of [{ main }, { schema: main }, { schema: loaded }, { main, handlerMap: loaded.handlerMap }]) {
      expect(await call(given)).toMatchObject({ status: true, data: { known: 4 } });
    }
  });

  test('that was never loaded says to call loadSchema', async () => {
    const bare = mainWith({
      name: 'Never loaded',
      sharedLists: [{ ref: 'evmChains', version: '1.0.0' }],
      tools: { getThing: byChain },
    });
    const { status, messages, findings } = await call({ main: bare });
    expect({ status, messages }).toEqual({
      status: false,
      messages: ["this main needs values of the shared list 'evmChains', which only loadSchema provides"],
    });
    expect(findings).toEqual([
      expect.objectContaining({ code: 'VAL090', hint: 'Call SchemaKit.loadSchema({ filePath }) and pass its result.' }),
    ]);
    expect(SchemaKit.validateSchema({ schema: bare }).messages).toEqual(messages);
    expect(SchemaKit.prepareServerTool({ schema: bare, routeName: 'getThing' })).toMatchObject({
      status: false,
      messages,
    });
    expect(exposeSchemas([bare])).toEqual([]);
  });

  test('that was never loaded and needs nothing can be called', async () => {
    const upstream = await startUpstream();
    const { data } = await SchemaKit.fetch({ main: mainWith({ root: upstream.origin }), routeName: 'getThing' });
    expect(data).toMatchObject({ path: '/thing' });
  });

  test('with another root, set in place, uses it', async () => {
    const { main, loaded, upstream } = await loadWithHandlers();
    await call({ schema: loaded });
    const other = await startUpstream();
    main.root = `${other.origin}/v2`;
    expect(await call({ schema: loaded })).toMatchObject({ status: true, data: { path: '/v2/thing', known: 4 } });
    expect(await call({ main })).toMatchObject({ status: true, data: { path: '/v2/thing', known: 4 } });
    expect(offered(main)).toEqual(allAliases);
    expect([upstream.requests.length, other.requests.length]).toEqual([1, 2]);
  });

  test('with another root, in a copy, uses it and keeps handlers and lists', async () => {
    const { main, loaded } = await loadWithHandlers();
    const other = await startUpstream();
    const moved = { ...main, root: other.origin };
    expect(await call({ main: moved, handlerMap: loaded.handlerMap })).toMatchObject({
      status: true,
      data: { known: 4 },
    });
    expect(await call({ schema: { ...loaded, main: moved } })).toMatchObject({ status: true, data: { known: 4 } });
    expect(other.requests).toHaveLength(2);
  });

  test('with another root, in a copy, does not silently lose its handlers', async () => {
    const upstream = await startUpstream();
    const handlers = "() => ({ getThing: { postRequest: async () => ({ response: 'handled' }) } })";
    const { main } = await load({ 'schema.mjs': moduleText(mainWith(), handlers) });
    const { status, data } = await call({ main: { ...main, root: upstream.origin }, userParams: {} });
    expect(status ? data : 'refused').toMatch(/^(handled|refused)$/);
  });

  test('with other parts, set in place, uses them', async () => {
    const { main } = await loadWithHandlers();
    await call({ main });
    (main.tools as Record<string, Parts>).getThing = { ...byChain, path: '/changed' };
    expect(await call({ main })).toMatchObject({ status: true, data: { path: '/changed', known: 4 } });
  });

  test('of one of two files with the same main keeps the handlers of its own', async () => {
    const upstream = await startUpstream();
    const main = moduleText(mainWith({ root: upstream.origin }));
    const answering = (word: string) =>
      `${main}export const handlers = () => ({ getThing: { postRequest: async () => ({ response: '${word}' }) } });`;
    const first = await load({ 'schema.mjs': answering('first') });
    const second = await load({ 'schema.mjs': answering('second') });
    for (const [loaded, word] of [
      [first, 'first'],
      [second, 'second'],
    ] as const) {
      expect(await SchemaKit.fetch({ schema: loaded, routeName: 'getThing' })).toMatchObject({ data: word });
      expect(await SchemaKit.fetch({ main: loaded.main, routeName: 'getThing' })).toMatchObject({ data: word });
    }
    // Nothing tells the copies apart; saying so is better than taking the wrong handlers.
    const { status, data } = await SchemaKit.fetch({ main: structuredClone(first.main), routeName: 'getThing' });
    expect([status, data]).not.toEqual([true, 'second']);
  });

  test('of a schema whose root was not approved is not approved either', async () => {
    const upstream = await startUpstream();
    const loaded = await load(
      { 'schema.mjs': moduleText(mainWith({ root: upstream.origin })) },
      { approveRoot: false },
    );
    for (const main of [loaded.main, structuredClone(loaded.main)]) {
      const { status, findings } = await SchemaKit.fetch({ main, routeName: 'getThing' });
      expect({ status, codes: findings.map(({ code }) => code) }).toEqual({
        status: false,
        codes: ['ADDRESS_BLOCKED'],
      });
    }
    expect(upstream.requests).toEqual([]);
  });
});

describe('lists by themselves', () => {
  test('are read by name, and by reference with version and filter', async () => {
    const listsDir = await temporaryFolder({
      'evm-chains.mjs': listText('evmChains'),
      'colours.mjs': listText('colours', ['red', 'blue']),
    });
    const filter = { key: 'isTestnet', value: true };
    const result = await SchemaKit.resolveSharedLists({
      sharedListRefs: ['colours', { ref: 'evmChains', version: '1.0.0', filter }],
      listsDir,
    });
    expect(result).toEqual({
      status: true,
      messages: [],
      findings: [],
      sharedLists: { colours: ['red', 'blue'], evmChains: chains.slice(2) },
    });
  });

  test('that are missing are named', async () => {
    const listsDir = await temporaryFolder();
    expect(await SchemaKit.resolveSharedLists({ sharedListRefs: ['colours'], listsDir })).toMatchObject({
      status: false,
      messages: ["Shared list 'colours' not found in lists directory"],
      sharedLists: {},
    });
  });

  test.each([
    ['$evmChains', allAliases],
    ['{{evmChains:slug}}', ['eth', 'eth-test']],
    ['custom, {{evmChains:slug}}', ['custom', 'eth', 'eth-test']],
    ['$unknown', ['$unknown']],
    ['a,b', ['a', 'b']],
  ])('interpolate %s', (template, result) => {
    expect(SchemaKit.interpolateEnum({ template, sharedLists: { evmChains: chains } })).toEqual({ result });
  });
});
