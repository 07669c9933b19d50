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
  type ActivateOptions,
  type ActivateResult,
  activateServerTool,
  activateServerTools,
  type PreparedTool,
  prepareServerTool,
  type SchemaSource,
} from './mcp/activate-tools.ts';
import { guarded } from './schema/arguments.ts';
import { type CheckResult, checkResult } from './schema/check-result.ts';
import type { FilteredSchemas, FilterSchemasOptions } from './schema/filter-schemas.ts';
import { interpolateEnum } from './schema/input/enum-members.ts';
import { type AdaptedLegacy, adaptLegacy } from './schema/legacy/adapt-legacy.ts';
import { type DetectedFormat, detectLegacy } from './schema/legacy/detect-legacy.ts';
import {
  type GeneratedOutputSchema,
  type GenerateOutputOptions,
  generateOutputSchema,
} from './schema/output/generate-output-schema.ts';

/**
 * Everything that can be done with schemas (specification 4.4). Bad input never throws: each method returns `status`,
 * `messages` and `findings` beside its own fields, which are empty where it failed.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: the specification names a class with static methods
export class SchemaKit {
  /** Loads a schema file. See {@link loadSchema}. */
  static loadSchema(options?: LoadSchemaOptions): Promise<LoadedSchema> {
    return guarded(options, (given) => loadSchema(given));
  }

  /** Checks a `main` object: structure, names, parameters, secrets and output declarations. */
  static validateMain(options?: { main?: unknown }): CheckResult {
    return guarded(options, ({ main }) => checkResult(validateMain(main)));
  }

  /** Checks a schema: what `loadSchema` returned, or a `main`. */
  static validateSchema(options?: { schema?: unknown }): CheckResult {
    return guarded(options, ({ schema }) => checkResult(validateSchema(schema)));
  }

  /** Scans a schema file for what handlers may not do, without running it. */
  static scanSecurity(options?: { filePath: string }): Promise<CheckResult> {
    return guarded(options, ({ filePath }) => scanSecurity(filePath));
  }

  /** Executes one tool: checks the input, plans and sends the request, runs the hooks. */
  static fetch(options?: FetchOptions): Promise<FetchResult> {
    return guarded(options, (given) => fetchTool(given));
  }

  /** Reads shared lists from a folder: names, or references with version and filter. */
  static resolveSharedLists(options?: {
    sharedListRefs: readonly unknown[];
    listsDir: string;
  }): Promise<ResolvedSharedLists> {
    return guarded(options, (given) => resolveSharedLists(given));
  }

  /** Replaces `$listName` and `{{listName:field}}` in a template by the values of the lists. */
  static interpolateEnum(options?: { template: string; sharedLists: Record<string, readonly unknown[]> }): {
    result: string[];
  } {
    return guarded(options, ({ template, sharedLists }) => ({
      result: interpolateEnum(template, sharedLists),
    }));
  }

  /** Imports allowlisted libraries into this process, for handlers of the program's own. */
  static loadLibraries(options?: LoadLibrariesOptions): Promise<LoadLibrariesResult> {
    return guarded(options, (given) => loadLibraries(given));
  }

  /** The libraries that handlers may use by default. */
  static getDefaultAllowlist(): { allowlist: string[] } {
    return { allowlist: [...defaultAllowlist] };
  }

  /** Invokes a handlers factory of the program's own, in this process. */
  static createHandlers(options?: CreateHandlersOptions): CreateHandlersResult {
    return guarded(options, (given) => createHandlers(given));
  }

  /** Tells which version of the format a module's exports are in. */
  static detectLegacy(options?: { module?: unknown }): DetectedFormat {
    return guarded(options, (given) => detectLegacy(given));
  }

  /** Converts a schema of format 1; its functions are the program's own and run in this process. */
  static adaptLegacy(options?: { legacySchema?: unknown }): AdaptedLegacy {
    return guarded(options, (given) => adaptLegacy(given));
  }

  /** Infers an output block from a captured answer: text, or the value itself. */
  static generateOutputSchema(options: GenerateOutputOptions): GeneratedOutputSchema {
    return guarded(options, (given) => generateOutputSchema(given));
  }

  /** Filters schemas by namespace and tag; `ns.tool` includes one tool, `ns.!tool` excludes it. */
  static filterArrayOfSchemas<T>(options: FilterSchemasOptions<T>): FilteredSchemas<T> {
    return guarded(options, (given) => filterArrayOfSchemas<T>(given));
  }

  /** Registers every tool of a schema or of several on an MCP server. */
  static activateServerTools(options?: ActivateOptions): ActivateResult {
    return guarded(options, (given) => activateServerTools(given));
  }

  /** Registers one tool on an MCP server. */
  static activateServerTool(options?: ActivateOptions & { routeName: string }): ReturnType<typeof activateServerTool> {
    return guarded(options, (given) => activateServerTool(given));
  }

  /** Builds a tool's configuration without registering it. */
  static prepareServerTool(options?: SchemaSource & { routeName: string; validate?: boolean }): PreparedTool {
    return guarded(options, (given) => prepareServerTool(given));
  }
}
