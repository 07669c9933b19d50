import { serveStdio as serveOverStdio } from '@modelcontextprotocol/server/stdio';
import { announceChanges } from '../mcp/announce-changes.ts';
import { createMcpServer } from '../mcp/create-mcp-server.ts';
import { createServing, type ServingOptions } from '../serving.ts';
import { BatchingTransport } from './batching-transport.ts';

/** Never write to stdout in `onCall` or `onError`: it carries the protocol. */
export interface ServeStdioOptions extends ServingOptions {}

/** A server over standard input and output that is running. */
export interface StdioServer {
  /** Waits for the calls that are going on, at most `graceMs` milliseconds (default 10,000), then ends the connection. */
  close(options?: { graceMs?: number }): Promise<void>;
}

/**
 * Serves tools, the resources among them and prompts over standard input and output (specification 4.3), in every revision of
 * MCP. The process ends by itself when its input closes.
 */
export function serveStdio(serving: ServeStdioOptions): StdioServer {
  const { viewOf, info, options } = createServing(serving, { isPublic: true });
  const { calls } = options;
  const { offer, onError } = serving;
  const view = viewOf();
  const transport = new BatchingTransport(() => calls.active > 0);
  const create = () => {
    // What cannot change is not announced as if it could.
    const server = createMcpServer(offer === undefined ? view.current : view, info, options);
    if (offer !== undefined) announceChanges(server, view);
    return server;
  };
  const connection = serveOverStdio(create, { transport, ...(onError && { onerror: onError }) });
  return {
    async close({ graceMs = 10_000 } = {}) {
      await calls.idle(graceMs);
      await connection.close();
    },
  };
}
