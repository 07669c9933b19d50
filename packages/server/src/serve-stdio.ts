import { serveStdio as serveOverStdio } from '@modelcontextprotocol/server/stdio';
import type { ExposedTool } from '@schemakit/core';
import { createMcpServer, createToolTable, type ServerInfo } from './create-mcp-server.ts';

export interface ServeStdioOptions extends ServerInfo {
  tools: readonly ExposedTool[];
  /** Takes errors of the connection. Never write to stdout: it carries the protocol. */
  onError?: (error: Error) => void;
}

/**
 * Serves tools over standard input and output (specification 4.3), in every revision of MCP. The process ends by itself when
 * its input closes.
 */
export function serveStdio({ tools, onError, ...info }: ServeStdioOptions): { close(): Promise<void> } {
  const table = createToolTable(tools);
  return serveOverStdio(() => createMcpServer(table, info), { ...(onError && { onerror: onError }) });
}
