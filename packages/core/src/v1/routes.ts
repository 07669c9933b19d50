import type { z } from 'zod';
import { callLoaded } from '../call/fetch-tool.ts';
import type { SecretValues } from '../call/request/template-value.ts';
import { createMcpTools, type ExposedTool } from '../mcp/mcp-tools.ts';
import { createRegistrar, isMcpServer } from '../mcp/registrar.ts';
import { inputsZodShape } from '../schema/input/input-zod.ts';
import { type Fields, isObject } from '../schema/json.ts';
import { legacyToolName } from '../schema/references/tool-names.ts';
import { type AdaptedSchema, adaptSchema, throwValidation } from './adapted-schema.ts';
import { type Validated, Validation } from './validation.ts';

/** An MCP result as format 1 gave it; failures are text like everything else. */
export interface LegacyToolResult {
  content: { type: 'text'; text: string }[];
}

/** A tool that is not registered anywhere yet. */
export interface LegacyTool {
  toolName: string;
  description: string;
  /** Zod schemas of the inputs by name. */
  zod: Record<string, z.ZodType>;
  func(userParams?: unknown): Promise<LegacyToolResult>;
}

export interface PrepareOptions {
  /** A schema of format 1. */
  schema: unknown;
  routeName: string;
  /** Values of the server parameters by name; exactly those that the schema requires. Default none. */
  serverParams?: SecretValues;
  /** Whether to check the arguments. Default true. */
  validate?: boolean;
}

export interface ActivateOptions extends Omit<PrepareOptions, 'routeName'> {
  /** `McpServer` or `Server` of the MCP SDK. */
  server: unknown;
  /** With false, what was changed in the schema to run it is written to the error console. Default true. */
  silent?: boolean;
}

export function prepareServerTool(options: PrepareOptions): LegacyTool {
  const tool = findRoute(openRoutes(options, Validation.prepareServerTool), options.routeName);
  return { ...interfaceOf(tool), func: tool.call };
}

/** Registers all routes of a schema. Returns what the server registered, by tool name. */
export function activateServerTools(options: ActivateOptions): { mcpTools: Fields } {
  return { mcpTools: register(options.server, openRoutes(options, Validation.activateServerTools)) };
}

export function activateServerTool(options: ActivateOptions & { routeName: string }): {
  toolName: string;
  mcpTool: unknown;
} {
  const tool = findRoute(openRoutes(options, Validation.activateServerTool), options.routeName);
  const toolName = tool.listing.name;
  return { toolName, mcpTool: register(options.server, [tool])[toolName] };
}

export function getZodInterfaces({ schema }: { schema: unknown }): Record<string, Omit<LegacyTool, 'func'>> {
  const routes = openRoutes({ schema }, Validation.validateSchema);
  return Object.fromEntries(routes.map((tool) => [tool.toolName, interfaceOf(tool)]));
}

export interface RouteTest {
  routeName: string;
  description: string;
  userParams: Fields;
}

/** The tests of all routes of a schema. @throws Error for a schema that breaks the rules of format 1. */
export function getAllTests({ schema }: { schema: unknown }): RouteTest[] {
  orThrow(Validation.validateSchema({ schema }));
  const { routes } = schema as { routes: Record<string, { tests: readonly unknown[] }> };
  return Object.entries(routes).flatMap(([routeName, { tests }]) =>
    tests.filter(isObject).map(({ _description, _expect, ...userParams }) => ({
      routeName,
      description: typeof _description === 'string' ? _description : '',
      userParams,
    })),
  );
}

export interface LegacyStruct {
  status: boolean;
  messages: string[];
  /** Null unless `status` is true. */
  data: unknown;
  /** `data` as JSON text; null unless `status` is true. */
  dataAsString: string | null;
}

export interface LegacyCall {
  routeName: string;
  userParams?: unknown;
  serverParams?: SecretValues;
}

export async function fetchRoute(options: LegacyCall & { schema: unknown }): Promise<LegacyStruct> {
  const { serverParams = {} } = options ?? {};
  orThrow(Validation.fetch({ ...options, serverParams }));
  return callRoute(adaptSchema(options.schema), options);
}

async function callRoute(
  { record, main }: AdaptedSchema,
  { routeName, userParams = {}, serverParams = {} }: LegacyCall,
): Promise<LegacyStruct> {
  const tool = record.schema.tools.get(routeName);
  if (tool === undefined) return failed([`Route "${routeName}" not found in schema`]);
  const loaded = { record, tool, main, handlerMap: record.handlerMap, serverParams };
  const { status, messages, data, dataAsString } = await callLoaded(loaded, userParams, {});
  return status ? { status, messages: [], data, dataAsString } : failed(messages);
}

function failed(messages: string[]): LegacyStruct {
  return { status: false, messages, data: null, dataAsString: null };
}

/** A tool under its name of format 1, and with its results. */
interface Route extends ExposedTool {
  call(userParams?: unknown): Promise<LegacyToolResult>;
}

/** The routes of a schema. `check` is that of the calling method. */
function openRoutes(options: Partial<ActivateOptions>, check: (args: Partial<ActivateOptions>) => Validated): Route[] {
  const { schema, serverParams = {}, validate = true, silent = true } = options;
  if (validate) orThrow(check({ ...options, serverParams }));
  const adapted = adaptSchema(schema);
  if (!silent) for (const warning of adapted.warnings) console.warn(warning);
  const { main, record, namespace } = adapted;
  return createMcpTools([{ main, record }], { serverParams }).tools.map((tool) => {
    const { outputSchema, ...listing } = tool.listing;
    const { toolName: routeName } = tool;
    return {
      ...tool,
      listing: { ...listing, name: legacyToolName(namespace, routeName) },
      async call(userParams = {}) {
        const { status, messages, dataAsString } = await callRoute(adapted, { routeName, userParams, serverParams });
        const text = status ? `Result: ${dataAsString}` : `Error: ${messages.join(', ')}`;
        return { content: [{ type: 'text', text }] };
      },
    };
  });
}

function findRoute(routes: readonly Route[], routeName: string): Route {
  const route = routes.find(({ toolName }) => toolName === routeName);
  return route ?? throwValidation([`routeName: Route "${routeName}" not found in schema`]);
}

function orThrow({ status, messages }: Validated): void {
  if (!status) throwValidation(messages);
}

function interfaceOf({ listing, inputs }: Route): Omit<LegacyTool, 'func'> {
  return { toolName: listing.name, description: listing.description, zod: inputsZodShape(inputs) };
}

function register(server: unknown, routes: readonly Route[]): Fields {
  if (!isMcpServer(server)) return throwValidation(['server: Must be a server of the MCP SDK']);
  const registrar = createRegistrar(server);
  return Object.fromEntries(routes.map((route) => [route.listing.name, registrar.tool(route)]));
}
