import { StdioServerTransport, serveStdio as serveOverStdio } from '@modelcontextprotocol/server/stdio';
import type { ExposedPrompt, ExposedTool } from '@schemakit/core';
import { batchedOutput } from './batched-output.ts';
import { createMcpServer, createOffer, type ServerInfo } from './create-mcp-server.ts';

export interface ServeStdioOptions extends ServerInfo {
  tools: readonly ExposedTool[];
  prompts?: readonly ExposedPrompt[];
  /** Takes errors of the connection. Never write to stdout: it carries the protocol. */
  onError?: (error: Error) => void;
}

/**
 * Serves tools and prompts over standard input and output (specification 4.3), in every revision of MCP. The process ends by
 * itself when its input closes.
 */
export function serveStdio({ tools, prompts, onError, ...info }: ServeStdioOptions): { close(): Promise<void> } {
  let calls = 0;
  const counted = tools.map(
    (tool): ExposedTool => ({
      ...tool,
      async call(...args) {
        calls += 1;
        try {
          return await tool.call(...args);
        } finally {
          calls -= 1;
        }
      },
    }),
  );
  const offer = createOffer(counted, prompts);
  const transport = new StdioServerTransport(
    process.stdin,
    batchedOutput(process.stdout, () => calls > 0),
  );
  return serveOverStdio(() => createMcpServer(offer, info), { transport, ...(onError && { onerror: onError }) });
}
