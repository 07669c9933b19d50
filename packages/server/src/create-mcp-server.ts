import { Server } from '@modelcontextprotocol/server';
import type { ExposedTool } from '@schemakit/core';

/** A server's name and version for the MCP handshake. */
export interface ServerInfo {
  name: string;
  version: string;
}

/** What a server offers, made once and shared by every connection. */
export interface ToolTable {
  list: readonly ExposedTool['listing'][];
  byName: ReadonlyMap<string, ExposedTool>;
}

/** Puts tools in the table that servers share. */
export function createToolTable(tools: readonly ExposedTool[]): ToolTable {
  return {
    list: tools.map(({ listing }) => listing),
    byName: new Map(tools.map((tool) => [tool.listing.name, tool])),
  };
}

// JSON-RPC 2.0: invalid params. The MCP specification answers an unknown tool so.
const invalidParams = -32602;

/** An MCP server for one connection. It only points at the table, so thousands of tools cost a connection nothing. */
export function createMcpServer({ list, byName }: ToolTable, info: ServerInfo): Server {
  const server = new Server(info, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: [...list] as never }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = byName.get(params.name);
    if (tool === undefined) throw Object.assign(new Error(`Tool ${params.name} not found`), { code: invalidParams });
    return (await tool.call(params.arguments ?? {}, { signal: context.mcpReq.signal })) as never;
  });
  return server;
}
