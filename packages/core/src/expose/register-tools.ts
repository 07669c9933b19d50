import { z } from 'zod';
import { isObject, type JsonObject } from '../format/json.ts';
import type { ExposedTool, ToolListing } from './exposed-tool.ts';
import type { ToolResult } from './tool-result.ts';

/** `McpServer` of the MCP SDK: `tool()` exists only in its first generation. */
interface HighLevelServer {
  registerTool(name: string, config: unknown, callback: unknown): unknown;
  tool?: unknown;
}

/** `Server` of the MCP SDK. */
interface LowLevelServer {
  registerCapabilities(capabilities: unknown): void;
  setRequestHandler(method: unknown, handler: unknown): void;
}

/** Any server of the MCP SDK, of either generation. */
export type McpServerLike = HighLevelServer | LowLevelServer;

/** Tells whether a value can take tools. */
export function isMcpServer(value: unknown): value is McpServerLike {
  if (typeof value !== 'object' || value === null) return false;
  return isHighLevel(value) || typeof (value as Partial<LowLevelServer>).setRequestHandler === 'function';
}

function isHighLevel(value: object): value is HighLevelServer {
  return typeof (value as Partial<HighLevelServer>).registerTool === 'function';
}

/** Registers tools on a server; gives what the server knows each as: its own object, or the listing on a low-level server. */
export function registerTools(server: McpServerLike, tools: readonly ExposedTool[]): Record<string, unknown> {
  if (!isHighLevel(server)) return registerLowLevel(server, tools);
  const isFirstGeneration = typeof server.tool === 'function';
  const entries = tools.map((tool) => {
    const { name, title, description, inputSchema, outputSchema, annotations } = tool.listing;
    // The first generation takes Zod schemas; structured output would be checked against one more of them, so it stays out.
    const config = isFirstGeneration
      ? { title, description, annotations, inputSchema: zodPassThrough(inputSchema) }
      : {
          title,
          description,
          annotations,
          inputSchema: passThrough(inputSchema),
          ...(outputSchema && { outputSchema: passThrough(outputSchema) }),
        };
    return [name, server.registerTool(name, config, (args: unknown, context: unknown) => call(tool, args, context))];
  });
  return Object.fromEntries(entries);
}

/** A schema in the common interface of validators (standardschema.dev) that shows JSON Schema and leaves checking to the tool. */
function passThrough(schema: JsonObject): unknown {
  const jsonSchema = () => schema;
  return {
    '~standard': {
      version: 1,
      vendor: 'schemakit',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}

/** The same for the first generation, which takes only Zod: types that accept anything and print as the given JSON Schema. */
function zodPassThrough({ properties, required, ...rest }: JsonObject): z.ZodType {
  const names = Array.isArray(required) ? required : [];
  const entries = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const type = z.unknown().meta(Object(schema));
    return [name, names.includes(name) ? type : type.optional()] as const;
  });
  return z.looseObject(Object.fromEntries(entries)).meta(rest);
}

function call(tool: ExposedTool, args: unknown, context: unknown): Promise<ToolResult> {
  return tool.call(args, { signal: signalOf(context) });
}

/** The cancellation signal: in `mcpReq` in the second generation, at the top in the first. */
function signalOf(context: unknown): AbortSignal | undefined {
  const { signal, mcpReq } = Object(context) as { signal?: AbortSignal; mcpReq?: { signal?: AbortSignal } };
  return mcpReq?.signal ?? signal;
}

const tables = new WeakMap<LowLevelServer, Map<string, ExposedTool>>();

function registerLowLevel(server: LowLevelServer, tools: readonly ExposedTool[]): Record<string, unknown> {
  const table = tables.get(server) ?? createTable(server);
  for (const tool of tools) table.set(tool.listing.name, tool);
  return Object.fromEntries(tools.map((tool) => [tool.listing.name, tool.listing]));
}

function createTable(server: LowLevelServer): Map<string, ExposedTool> {
  const table = new Map<string, ExposedTool>();
  tables.set(server, table);
  server.registerCapabilities({ tools: {} });
  handle(server, 'tools/list', (): { tools: ToolListing[] } => ({
    tools: [...table.values()].map(({ listing }) => listing),
  }));
  handle(server, 'tools/call', (request, context): Promise<ToolResult> => {
    const { name, arguments: args } = request.params as { name: string; arguments?: unknown };
    const tool = table.get(name);
    // JSON-RPC -32602, as the MCP specification has it for an unknown tool.
    if (tool === undefined) throw Object.assign(new Error(`Tool ${name} not found`), { code: -32602 });
    return call(tool, args, context);
  });
  return table;
}

type Handler = (request: { params?: unknown }, context: unknown) => unknown;

function handle(server: LowLevelServer, method: string, handler: Handler): void {
  try {
    server.setRequestHandler(method, handler);
  } catch {
    // The first generation names a method by a schema of the request.
    const request = z.object({ method: z.literal(method), params: z.looseObject({}).optional() });
    server.setRequestHandler(request, handler);
  }
}
