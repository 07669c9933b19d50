import { filterArrayOfSchemas, getArgvParameters, prepareActivations } from './v1/activations.ts';
import {
  activateServerTool,
  activateServerTools,
  fetchRoute,
  getAllTests,
  getZodInterfaces,
  prepareServerTool,
} from './v1/routes.ts';
import { Validation } from './v1/validation.ts';

export type {
  ActivationPayload,
  ArgvOptions,
  ArgvParameters,
  PrepareActivationsOptions,
} from './v1/activations.ts';
export type {
  ActivateOptions,
  LegacyCall,
  LegacyStruct,
  LegacyTool,
  LegacyToolResult,
  PrepareOptions,
  RouteTest,
} from './v1/routes.ts';
export type { Validated } from './v1/validation.ts';
export { Validation };

/**
 * The API of format 1, for existing programs (docs/legacy.md). Schemas of format 1 are converted and run by the runtime
 * of format 3. Bad arguments throw. It gets no new features.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: format 1 names a class with static methods
export class SchemaKit {
  /** Reads filters from a command line. */
  static getArgvParameters: typeof getArgvParameters = getArgvParameters;
  /** Takes the server parameters of schemas from an environment. */
  static prepareActivations: typeof prepareActivations = prepareActivations;
  /** Filters schemas by namespace, tag and route. */
  static filterArrayOfSchemas: typeof filterArrayOfSchemas = filterArrayOfSchemas;
  /** Registers all routes of a schema on an MCP server. */
  static activateServerTools: typeof activateServerTools = activateServerTools;
  /** Registers one route of a schema on an MCP server. */
  static activateServerTool: typeof activateServerTool = activateServerTool;
  /** Builds a tool without registering it. */
  static prepareServerTool: typeof prepareServerTool = prepareServerTool;
  /** Name, description and Zod schemas of each route. */
  static getZodInterfaces: typeof getZodInterfaces = getZodInterfaces;
  /** The tests of all routes. */
  static getAllTests: typeof getAllTests = getAllTests;
  /** Checks a schema by the strict rules of format 1, without throwing. */
  static validateSchema: typeof Validation.validateSchema = Validation.validateSchema;
  /** Calls a route. Bad arguments throw; later failures are in the result. */
  static fetch: typeof fetchRoute = fetchRoute;
}
