import type { z } from 'zod';
import { zod } from '../format/input/input-zod.ts';
import { isObject, type JsonObject } from '../format/json.ts';
import type { ExposedTool, ToolListing } from './exposed-tool.ts';
import {
  type HighLevelServer,
  handle,
  isHighLevel,
  type LowLevelServer,
  type McpServerLike,
  passThrough,
  protocolError,
  signalOf,
} from './mcp-server-like.ts';
import { takenName } from './register-distinct.ts';
import type { ToolResult } from './tool-result.ts';

export { isMcpServer } from './mcp-server-like.ts';

/**
 * Registers tools on a server; gives what the server knows each as: its own object, or the listing on a low-level server.
 *
 * @throws where the server has a tool of that name already, or takes none.
 */
export function registerTools(server: McpServerLike, tools: readonly ExposedTool[]): Record<string, unknown> {
  const register = toolRegistrar(server);
  return Object.fromEntries(tools.map((tool) => [tool.listing.name, register(tool)]));
}

/** The function that registers one tool, in the same way. */
export function toolRegistrar(server: McpServerLike): (tool: ExposedTool) => unknown {
  return isHighLevel(server) ? (tool) => registerHighLevel(server, tool) : (tool) => registerLowLevel(server, tool);
}

function registerHighLevel(server: HighLevelServer, tool: ExposedTool): unknown {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool.listing;
  // The first generation takes Zod schemas; structured output would be checked against one more of them, so it stays out.
  const isFirstGeneration = typeof server.tool === 'function';
  const config = isFirstGeneration
    ? { title, description, annotations, inputSchema: zodPassThrough(inputSchema) }
    : {
        title,
        description,
        annotations,
        inputSchema: passThrough(inputSchema),
        ...(outputSchema && { outputSchema: passThrough(outputSchema) }),
      };
  return server.registerTool(name, config, (args: unknown, context: unknown) => call(tool, args, context));
}

/** For the first generation, which takes only Zod: types that accept anything and print as the given JSON Schema. */
function zodPassThrough({ properties, required, ...rest }: JsonObject): z.ZodType {
  const names = Array.isArray(required) ? required : [];
  const entries = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const type = zod().unknown().meta(Object(schema));
    return [name, names.includes(name) ? type : type.optional()] as const;
  });
  return zod().looseObject(Object.fromEntries(entries)).meta(rest);
}

function call(tool: ExposedTool, args: unknown, context: unknown): Promise<ToolResult> {
  return tool.call(args, { signal: signalOf(context) });
}

const tables = new WeakMap<LowLevelServer, Map<string, ExposedTool>>();

function registerLowLevel(server: LowLevelServer, tool: ExposedTool): ToolListing {
  const table = tables.get(server) ?? createTable(server);
  const { listing } = tool;
  if (table.has(listing.name)) throw takenName('Tool', listing.name);
  table.set(listing.name, tool);
  return listing;
}

function createTable(server: LowLevelServer): Map<string, ExposedTool> {
  server.registerCapabilities({ tools: {} });
  const table = new Map<string, ExposedTool>();
  tables.set(server, table);
  handle(server, 'tools/list', (): { tools: ToolListing[] } => ({
    tools: [...table.values()].map(({ listing }) => listing),
  }));
  handle(server, 'tools/call', (request, context): Promise<ToolResult> => {
    const { name, arguments: args } = request.params as { name: string; arguments?: unknown };
    const tool = table.get(name) ?? table.values().find(({ aliases }) => aliases.includes(name));
    // JSON-RPC -32602, as the MCP specification has it for an unknown tool.
    if (tool === undefined) throw protocolError({ code: -32602, message: `Tool ${name} not found` });
    return call(tool, args, context);
  });
  return table;
}
