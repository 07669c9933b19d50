import { type FetchOptions, type FetchResult, fetchTool } from './call/fetch-tool.ts';
import { type CreateHandlersOptions, type CreateHandlersResult, createHandlers } from './load/create-handlers.ts';
import {
  defaultAllowlist,
  type LoadLibrariesOptions,
  type LoadLibrariesResult,
  loadLibraries,
} from './load/libraries.ts';
import { type ResolvedSharedLists, resolveSharedLists } from './load/lists/shared-lists.ts';
import { type LoadedSchema, loadSchema } from './load/load-schema.ts';
import type { LoadSchemaOptions } from './load/parse-load-options.ts';
import { filterArrayOfSchemas } from './load/schema-record.ts';
import { scanSecurity, validateMain, validateSchema } from './load/validate-schema.ts';
import {
  type ActivatedTool,
  type ActivateOptions,
  type ActivateResult,
  activateServerTool,
  activateServerTools,
  type PreparedTool,
  prepareServerTool,
  type ToolSource,
} from './mcp/activate-tools.ts';
import { catchErrors } from './schema/arguments.ts';
import type { FilteredSchemas, FilterSchemasOptions } from './schema/filter-schemas.ts';
import { type CheckResult, checkResult } from './schema/finding.ts';
import { interpolateEnum } from './schema/input/enum-members.ts';
import { type AdaptedLegacy, adaptLegacy, type DetectedFormat, detectLegacy } from './schema/legacy/adapt-legacy.ts';
import { mainOf } from './schema/main-of.ts';
import {
  type GeneratedOutputSchema,
  type GenerateOutputOptions,
  generateOutputSchema,
} from './schema/output/generate-output-schema.ts';

/**
 * Loads, checks, calls and serves schemas. Bad input never throws: every method returns `status`, `messages` and `findings` besides
 * its own fields, which are empty if it failed. All methods with their options are in docs/library.md.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: the public API is a class with static methods
export class SchemaKit {
  /**
   * Loads a schema file without running it: scans it, checks `main`, resolves shared lists and libraries, and attaches its handlers.
   *
   * @example
   * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
   * if (schema.status) console.log(schema.main.namespace, Object.keys(schema.main.tools)); // tides [ 'getTides' ]
   * else console.error(schema.messages.join('\n'));
   */
  static loadSchema(options: LoadSchemaOptions): Promise<LoadedSchema> {
    return catchErrors(options, (given) => loadSchema(given));
  }

  /**
   * Checks a `main` object: structure, names, parameters, secrets and output declarations. Only `loadSchema` checks what depends on
   * lists, libraries and handlers (`VAL026`, `VAL048` to `VAL050`).
   *
   * @example
   * const { status, messages } = SchemaKit.validateMain({ main: { namespace: 'Tides', version: '3.0.0' } });
   * console.log(status, messages[0]); // false namespace must contain only lowercase letters
   */
  static validateMain(options: { main: unknown }): CheckResult {
    return catchErrors(options, ({ main }) => checkResult(validateMain(mainOf(main))));
  }

  /**
   * Checks a schema: the result of `loadSchema`, whose findings it returns, or a `main`.
   *
   * @example
   * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
   * console.log(SchemaKit.validateSchema({ schema }).status); // true
   */
  static validateSchema(options: { schema: unknown }): CheckResult {
    return catchErrors(options, ({ schema }) => checkResult(validateSchema(schema)));
  }

  /**
   * Scans a schema file for code that handlers may not contain, without running it.
   *
   * @example
   * const { status, findings } = await SchemaKit.scanSecurity({ filePath: 'tides.mjs' });
   * console.log(status, findings); // true []
   */
  static scanSecurity(options: { filePath: string }): Promise<CheckResult> {
    return catchErrors(options, ({ filePath }) => scanSecurity(filePath));
  }

  /**
   * Calls one tool: checks the input, plans and sends the request, and runs the hooks.
   *
   * @example
   * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
   * const result = await SchemaKit.fetch({ schema, routeName: 'getTides', userParams: { harbour: 'dover' } });
   * console.log(result.status ? result.dataAsString.slice(0, 19) : result.messages); // {"harbour":"dover",
   */
  static fetch(options: FetchOptions): Promise<FetchResult> {
    return catchErrors(options, (given) => fetchTool(given));
  }

  /**
   * Reads shared lists from a folder, by name or as references with version and filter.
   *
   * @example
   * const { status, messages } = await SchemaKit.resolveSharedLists({ sharedListRefs: ['ports'], listsDir: '_lists' });
   * console.log(status, messages); // false [ "Shared list 'ports' not found in lists directory" ]
   */
  static resolveSharedLists(options: {
    sharedListRefs: readonly unknown[];
    listsDir: string;
  }): Promise<ResolvedSharedLists> {
    return catchErrors(options, (given) => resolveSharedLists(given));
  }

  /**
   * Replaces `$listName` and `{{listName:field}}` in a template by the values of the lists.
   *
   * @example
   * const sharedLists = { harbours: [{ alias: 'brest' }, { alias: 'dover' }] };
   * console.log(SchemaKit.interpolateEnum({ template: '$harbours', sharedLists }).result); // [ 'brest', 'dover' ]
   */
  static interpolateEnum(options: { template: string; sharedLists: Record<string, readonly unknown[]> }): {
    result: string[];
  } {
    return catchErrors(options, ({ template, sharedLists }) => ({
      result: interpolateEnum(template, sharedLists),
    }));
  }

  /**
   * Imports allowlisted libraries into this process, for handlers of the program's own.
   *
   * @example
   * const { libraries } = await SchemaKit.loadLibraries({ requiredLibraries: ['crypto'], allowlist: ['crypto'] });
   * console.log(Object.keys(libraries)); // [ 'crypto' ]
   */
  static loadLibraries(options: LoadLibrariesOptions): Promise<LoadLibrariesResult> {
    return catchErrors(options, (given) => loadLibraries(given));
  }

  /**
   * The libraries that handlers may use by default.
   *
   * @example
   * console.log(SchemaKit.getDefaultAllowlist().allowlist.includes('ethers')); // true
   */
  static getDefaultAllowlist(): { allowlist: string[] } {
    return { allowlist: [...defaultAllowlist] };
  }

  /**
   * Calls a handlers factory of the program's own, in this process.
   *
   * @example
   * const { handlerMap } = SchemaKit.createHandlers({
   *   handlersFn: () => ({ getTides: { postRequest: ({ response }) => ({ response: response.tides[0].time }) } }),
   *   routeNames: ['getTides'],
   * });
   * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
   * const { data } = await SchemaKit.fetch({ schema, handlerMap, routeName: 'getTides', userParams: { harbour: 'dover' } });
   * console.log(data); // 11:20
   */
  static createHandlers(options: CreateHandlersOptions): CreateHandlersResult {
    return catchErrors(options, (given) => createHandlers(given));
  }

  /**
   * Detects the version of the format that a module's exports are in.
   *
   * @example
   * console.log(SchemaKit.detectLegacy({ module: { main: { version: '3.0.0', tools: {} } } }).format); // v3
   */
  static detectLegacy(options: { module: unknown }): DetectedFormat {
    return catchErrors(options, (given) => detectLegacy(given));
  }

  /**
   * Converts a schema of format 1. Its functions are the program's own and run in this process.
   *
   * @example
   * const legacySchema = { namespace: 'tides', name: 'Tides', root: 'https://example.com', routes: { getTides: { requestMethod: 'GET', route: '/', parameters: [] } } };
   * const { main } = SchemaKit.adaptLegacy({ legacySchema });
   * console.log(main?.version); // 3.0.0
   */
  static adaptLegacy(options: { legacySchema: unknown }): AdaptedLegacy {
    return catchErrors(options, (given) => adaptLegacy(given));
  }

  /**
   * Infers an output block from a captured answer: its text, or the value itself.
   *
   * @example
   * const { output } = SchemaKit.generateOutputSchema({ response: '[{"id":1}]', mimeType: 'application/json' });
   * console.log(output?.schema.type); // array
   */
  static generateOutputSchema(options: GenerateOutputOptions): GeneratedOutputSchema {
    return catchErrors(options, (given) => generateOutputSchema(given));
  }

  /**
   * Filters schemas by namespace and tag; `ns.tool` includes one tool, `ns.!tool` excludes it.
   *
   * @example
   * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
   * const { filteredArrayOfSchemas } = SchemaKit.filterArrayOfSchemas({ arrayOfSchemas: [schema], includeNamespaces: ['tides'] });
   * console.log(filteredArrayOfSchemas.length); // 1
   */
  static filterArrayOfSchemas<T>(options: FilterSchemasOptions<T>): FilteredSchemas<T> {
    return catchErrors(options, (given) => filterArrayOfSchemas<T>(given));
  }

  /**
   * Registers every tool of one or more schemas on an MCP server.
   *
   * @example
   * import { McpServer } from '@modelcontextprotocol/server';
   *
   * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
   * const server = new McpServer({ name: 'tides', version: '1.0.0' });
   * console.log(Object.keys(SchemaKit.activateServerTools({ server, schema }).mcpTools)); // [ 'tides__getTides' ]
   */
  static activateServerTools(options: ActivateOptions): ActivateResult {
    return catchErrors(options, (given) => activateServerTools(given));
  }

  /**
   * Registers one tool on an MCP server.
   *
   * @example
   * import { McpServer } from '@modelcontextprotocol/server';
   *
   * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
   * const server = new McpServer({ name: 'tides', version: '1.0.0' });
   * console.log(SchemaKit.activateServerTool({ server, schema, routeName: 'getTides' }).toolName); // tides__getTides
   */
  static activateServerTool(options: ActivateOptions & { routeName: string }): ActivatedTool {
    return catchErrors(options, (given) => activateServerTool(given));
  }

  /**
   * Builds a tool's configuration without registering it.
   *
   * @example
   * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
   * const tool = SchemaKit.prepareServerTool({ schema, routeName: 'getTides' });
   * const { isError, data } = await tool.func({ harbour: 'brest' });
   * console.log(tool.toolName, isError, data.harbour); // tides__getTides undefined brest
   */
  static prepareServerTool(options: ToolSource): PreparedTool {
    return catchErrors(options, (given) => prepareServerTool(given));
  }
}
