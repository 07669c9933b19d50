import { McpServer } from '@modelcontextprotocol/server';
import { describe, expectTypeOf, test } from 'vitest';
import {
  createMemoryCache,
  type Finding,
  loadAgent,
  loadSchemas,
  previewCall,
  SchemaKit,
  type SchemaMain,
} from './index.ts';

// Compiler errors in programs. The calls are compiled and never made.
const never = (_calls: () => unknown): void => {};
const main: object = {};
const server = new McpServer({ name: 'types', version: '1.0.0' });

describe('results are narrowed by status', () => {
  test('loadSchema', () =>
    never(async () => {
      const loaded = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
      expectTypeOf(loaded.findings).toEqualTypeOf<Finding[]>();
      if (loaded.status) {
        expectTypeOf(loaded.main).toEqualTypeOf<SchemaMain>();
        expectTypeOf(loaded.main.namespace).toEqualTypeOf<string>();
      } else expectTypeOf(loaded.main).toEqualTypeOf<Record<string, unknown> | null>();
    }));

  test('fetch', () =>
    never(async () => {
      const result = await SchemaKit.fetch({ schema: main, routeName: 'getTides' });
      if (result.status) expectTypeOf(result.dataAsString).toEqualTypeOf<string>();
      else expectTypeOf(result.data).toEqualTypeOf<null>();
    }));

  test('prepareServerTool and activateServerTool', () =>
    never(() => {
      const prepared = SchemaKit.prepareServerTool({ schema: main, routeName: 'getTides' });
      if (prepared.status) expectTypeOf(prepared.toolName).toEqualTypeOf<string>();
      const activated = SchemaKit.activateServerTool({ server, main, routeName: 'getTides' });
      if (activated.status) expectTypeOf(activated.toolName).toEqualTypeOf<string>();
      else expectTypeOf(activated.mcpTool).toEqualTypeOf<null>();
    }));

  test('adaptLegacy and generateOutputSchema', () =>
    never(() => {
      const adapted = SchemaKit.adaptLegacy({ legacySchema: {} });
      if (adapted.status) expectTypeOf(adapted.main).not.toBeNullable();
      const generated = SchemaKit.generateOutputSchema({ response: '{}' });
      if (generated.status) expectTypeOf(generated.output.mimeType).toEqualTypeOf<string>();
    }));

  test('loadAgent', () =>
    never(async () => {
      const loaded = await loadAgent({ filePath: 'agent.mjs' });
      if (loaded.status) expectTypeOf(loaded.agent.systemPrompt).toEqualTypeOf<string>();
    }));
});

test('checks, lists, handlers and filters return their fields', () =>
  never(async () => {
    expectTypeOf(SchemaKit.validateMain({ main }).status).toEqualTypeOf<boolean>();
    expectTypeOf(SchemaKit.validateSchema({ schema: main }).messages).toEqualTypeOf<string[]>();
    expectTypeOf((await SchemaKit.scanSecurity({ filePath: 'tides.mjs' })).status).toEqualTypeOf<boolean>();
    const { sharedLists } = await SchemaKit.resolveSharedLists({ sharedListRefs: ['ports'], listsDir: '_lists' });
    expectTypeOf(SchemaKit.interpolateEnum({ template: '$ports', sharedLists }).result).toEqualTypeOf<string[]>();
    expectTypeOf(SchemaKit.getDefaultAllowlist().allowlist).toEqualTypeOf<string[]>();
    const { libraries } = await SchemaKit.loadLibraries({ requiredLibraries: [], allowlist: [] });
    expectTypeOf(libraries).toEqualTypeOf<Record<string, unknown>>();
    const { handlerMap } = SchemaKit.createHandlers({ handlersFn: () => ({}), routeNames: [] });
    expectTypeOf(SchemaKit.fetch).toBeCallableWith({ schema: main, handlerMap, routeName: 'getTides' });
    expectTypeOf(SchemaKit.detectLegacy({ module: {} }).isLegacy).toEqualTypeOf<boolean>();
    const schemas = (await loadSchemas({ paths: ['schemas'] })).schemas;
    const filtered = SchemaKit.filterArrayOfSchemas({ arrayOfSchemas: schemas });
    expectTypeOf(filtered.filteredArrayOfSchemas).toEqualTypeOf(schemas);
    expectTypeOf(SchemaKit.activateServerTools({ server, schemas }).mcpTools).toEqualTypeOf<Record<string, unknown>>();
  }));

test('a schema is accepted in every form', () =>
  never(async () => {
    const handlers = () => ({});
    const loaded = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
    const { main: own } = loaded;
    for (const schema of [loaded, own, { main }, { main, handlers }, { ...main, handlers }]) {
      await SchemaKit.fetch({ schema, routeName: 'getTides', isolation: 'trusted' });
      SchemaKit.validateSchema({ schema });
    }
    await previewCall({ main: own, routeName: 'getTides' });
    await SchemaKit.fetch({ main: own, routeName: 'getTides', cache: createMemoryCache() });
  }));

test('wrong calls do not compile', () =>
  never(async () => {
    // @ts-expect-error: a file is required
    await SchemaKit.loadSchema();
    // @ts-expect-error: a file is required
    await SchemaKit.loadSchema({});
    // @ts-expect-error: filePath is text
    await SchemaKit.loadSchema({ filePath: 5 });
    // @ts-expect-error: isolation is one of three words
    await SchemaKit.loadSchema({ filePath: 'tides.mjs', isolation: 'wasm' });
    // @ts-expect-error: neither main nor schema
    await SchemaKit.fetch({ routeName: 'getTides' });
    // @ts-expect-error: no tool is named
    await SchemaKit.fetch({ schema: main });
    // @ts-expect-error: main is an object
    await SchemaKit.fetch({ main: 5, routeName: 'getTides' });
    // @ts-expect-error: schema is an object
    await SchemaKit.fetch({ schema: 'tides', routeName: 'getTides' });
    // @ts-expect-error: userParams is an object
    await SchemaKit.fetch({ schema: main, userParams: 3, routeName: 'getTides' });
    // @ts-expect-error: server is a server of the MCP SDK
    SchemaKit.activateServerTools({ server: 42, schema: main });
    // @ts-expect-error: a schema is required
    SchemaKit.activateServerTools({ server });
    // @ts-expect-error: a tool is required
    SchemaKit.prepareServerTool({ schema: main });
    // @ts-expect-error: both are required
    await SchemaKit.loadLibraries({ requiredLibraries: [] });
    // @ts-expect-error: schemas are required
    SchemaKit.filterArrayOfSchemas({});
  }));
