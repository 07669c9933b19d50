import type { z } from 'zod';
import type { SecretValues } from '../call/plan-request.ts';
import { type ExposedTool, exposeTools } from '../expose/exposed-tool.ts';
import { isMcpServer, registerTools } from '../expose/register-tools.ts';
import { inputsZodShape } from '../format/input/input-zod.ts';
import { type AdaptedSchema, adaptSchema } from './adapted-schema.ts';
import { fetchRoute } from './fetch.ts';
import { Validation } from './validation.ts';

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

/** Builds a tool without registering it. */
export function prepareServerTool(options: PrepareOptions): LegacyTool {
  const { schema, routeName, serverParams = {}, validate = true } = options;
  if (validate) check(Validation.prepareServerTool({ ...options, serverParams }));
  const adapted = adaptSchema(schema);
  const tool = toolsOf(adapted, serverParams).find(({ toolName }) => toolName === routeName);
  if (tool === undefined)
    return Validation.error({ messages: [`routeName: Route "${routeName}" not found in schema`] });
  return {
    ...interfaceOf(tool),
    func: (userParams = {}) => callTool(adapted, { routeName, userParams, serverParams }),
  };
}

/** Registers all routes of a schema. Gives what the server registered, by tool name. */
export function activateServerTools(options: ActivateOptions): { mcpTools: Record<string, unknown> } {
  const { server, schema, serverParams = {}, validate = true, silent = true } = options;
  if (validate) check(Validation.activateServerTools({ ...options, serverParams }));
  const adapted = adaptAloud(schema, silent);
  return { mcpTools: register(server, toolsOf(adapted, serverParams)) };
}

/** Registers one route of a schema. */
export function activateServerTool(options: ActivateOptions & { routeName: string }): {
  toolName: string;
  mcpTool: unknown;
} {
  const { server, schema, routeName, serverParams = {}, validate = true, silent = true } = options;
  if (validate) check(Validation.activateServerTool({ ...options, serverParams }));
  const adapted = adaptAloud(schema, silent);
  const tool = toolsOf(adapted, serverParams).find((candidate) => candidate.toolName === routeName);
  if (tool === undefined)
    return Validation.error({ messages: [`routeName: Route "${routeName}" not found in schema`] });
  const toolName = tool.listing.name;
  return { toolName, mcpTool: register(server, [tool])[toolName] };
}

/** Name, description and inputs of each route. */
export function getZodInterfaces({ schema }: { schema: unknown }): Record<string, Omit<LegacyTool, 'func'>> {
  check(Validation.validateSchema({ schema }));
  return Object.fromEntries(toolsOf(adaptSchema(schema), {}).map((tool) => [tool.toolName, interfaceOf(tool)]));
}

function adaptAloud(schema: unknown, silent: boolean): AdaptedSchema {
  const adapted = adaptSchema(schema);
  if (!silent) for (const warning of adapted.warnings) console.warn(warning);
  return adapted;
}

function check({ status, messages }: { status: boolean; messages: string[] }): void {
  if (!status) Validation.error({ messages });
}

function interfaceOf({ listing, inputs }: ExposedTool): Omit<LegacyTool, 'func'> {
  return { toolName: listing.name, description: listing.description, zod: inputsZodShape(inputs) };
}

/** The tools under the names of format 1, and with its results. */
function toolsOf(adapted: AdaptedSchema, serverParams: SecretValues): ExposedTool[] {
  const { main, record, namespace } = adapted;
  return exposeTools([{ main, record }], { serverParams }).map((tool) => {
    const { outputSchema, ...listing } = tool.listing;
    const { toolName: routeName } = tool;
    return {
      ...tool,
      listing: { ...listing, name: legacyToolName(routeName, namespace) },
      call: (userParams) => callTool(adapted, { routeName, userParams, serverParams }),
    };
  });
}

function register(server: unknown, tools: readonly ExposedTool[]): Record<string, unknown> {
  if (!isMcpServer(server)) return Validation.error({ messages: ['server: Must be a server of the MCP SDK'] });
  return registerTools(server, tools);
}

async function callTool(
  adapted: AdaptedSchema,
  call: { routeName: string; userParams: unknown; serverParams: SecretValues },
): Promise<LegacyToolResult> {
  const { status, messages, dataAsString } = await fetchRoute(adapted, call);
  const text = status ? `Result: ${dataAsString}` : `Error: ${messages.join(', ')}`;
  return { content: [{ type: 'text', text }] };
}

const maxLength = 63;

/** The name that a route has on MCP in format 1: `get_price_quote_desk`, the route first. */
export function legacyToolName(routeName: string, namespace: string): string {
  return `${snakeCase(routeName)}_${snakeCase(namespace)}`
    .slice(0, maxLength)
    .replaceAll(':', '')
    .replace(/[-/]/g, '_');
}

function snakeCase(text: string): string {
  return text.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
