import { type ActivationPayload, type PrepareActivationsOptions, prepareActivations } from './v1/activations.ts';
import { adaptSchema } from './v1/adapted-schema.ts';
import { type ArgvOptions, type ArgvParameters, getArgvParameters } from './v1/argv-parameters.ts';
import { fetchRoute, type LegacyCall, type LegacyStruct } from './v1/fetch.ts';
import { filterArrayOfSchemas } from './v1/filter-array-of-schemas.ts';
import { getAllTests, type RouteTest } from './v1/route-tests.ts';
import {
  type ActivateOptions,
  activateServerTool,
  activateServerTools,
  getZodInterfaces,
  type LegacyTool,
  type LegacyToolResult,
  type PrepareOptions,
  prepareServerTool,
} from './v1/server-tools.ts';
import { type Validated, Validation } from './v1/validation.ts';

export type {
  ActivateOptions,
  ActivationPayload,
  ArgvOptions,
  ArgvParameters,
  LegacyCall,
  LegacyStruct,
  LegacyTool,
  LegacyToolResult,
  PrepareActivationsOptions,
  PrepareOptions,
  RouteTest,
  Validated,
};
export { Validation };

/**
 * The API of format 1, for programs that were written for it (specification 9). Schemas are objects of format 1; they are
 * converted and run by the runtime of format 3. Bad arguments throw, as they did. It gets no new features.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: format 1 names a class with static methods
export class SchemaKit {
  /** Reads filters from a command line. See {@link getArgvParameters}. */
  static getArgvParameters(options: ArgvOptions = {}): ArgvParameters {
    return getArgvParameters(options);
  }

  /** Takes the server parameters of schemas from an environment. See {@link prepareActivations}. */
  static prepareActivations(options: PrepareActivationsOptions): { activationPayloads: ActivationPayload[] } {
    return prepareActivations(options);
  }

  /** Filters schemas by namespace, tag and route. See {@link filterArrayOfSchemas}. */
  static filterArrayOfSchemas<T>(options: Parameters<typeof filterArrayOfSchemas<T>>[0]): {
    filteredArrayOfSchemas: T[];
  } {
    return filterArrayOfSchemas(options);
  }

  /** Registers all routes of a schema on an MCP server. */
  static activateServerTools(options: ActivateOptions): { mcpTools: Record<string, unknown> } {
    return activateServerTools(options);
  }

  /** Registers one route of a schema on an MCP server. */
  static activateServerTool(options: ActivateOptions & { routeName: string }): { toolName: string; mcpTool: unknown } {
    return activateServerTool(options);
  }

  /** Builds a tool without registering it. */
  static prepareServerTool(options: PrepareOptions): LegacyTool {
    return prepareServerTool(options);
  }

  /** Name, description and Zod schemas of each route. */
  static getZodInterfaces(options: { schema: unknown }): Record<string, Omit<LegacyTool, 'func'>> {
    return getZodInterfaces(options);
  }

  /** The tests of all routes. */
  static getAllTests(options: { schema: unknown }): RouteTest[] {
    return getAllTests(options);
  }

  /** Checks a schema by the strict rules of format 1, without throwing. */
  static validateSchema(options: { schema: unknown }): Validated {
    return Validation.validateSchema(options);
  }

  /** Calls a route. Bad arguments throw; what goes wrong after that stands in the result. */
  static async fetch(options: LegacyCall & { schema: unknown }): Promise<LegacyStruct> {
    const { serverParams = {} } = options ?? {};
    const { status, messages } = Validation.fetch({ ...options, serverParams });
    if (!status) Validation.error({ messages });
    return fetchRoute(adaptSchema(options.schema), options);
  }
}
