import { setImmediate } from 'node:timers/promises';
import { serveStdio as serveOverStdio } from '@modelcontextprotocol/server/stdio';
import { announceChanges, createMcpServer } from '../mcp/create-mcp-server.ts';
import { requireOptions } from '../options/check-options.ts';
import { servingRules } from '../options/option-rules.ts';
import { createServing, type ServingOptions } from '../serving.ts';
import { createStdioTransport } from './stdio-transport.ts';

/** Never write to stdout in `onCall` or `onError`: it carries the protocol. */
export interface ServeStdioOptions extends ServingOptions {}

/** A server over standard input and output that is running. */
export interface StdioServer {
  /**
   * Waits for running calls, at most `graceMs` milliseconds (default 10,000), answers the unfinished ones with an error, and ends
   * the connection. The same happens when the input closes.
   */
  close(options?: { graceMs?: number }): Promise<void>;
}

/**
 * Serves tools, the resources among them and prompts over standard input and output (specification 4.3), in every revision of
 * MCP. The process ends by itself when its input has closed and what was asked is answered.
 *
 * @throws {@link ServerOptionsError} with all that is wrong with the options.
 */
export function serveStdio(serving: ServeStdioOptions): StdioServer {
  requireOptions('serveStdio', serving, servingRules, ['name', 'version']);
  const { viewOf, info, options } = createServing(serving, { isPublic: true });
  const { offer, onError } = serving;
  const view = viewOf();
  const transport = createStdioTransport(process.stdin, process.stdout, { onEnd: () => void close() });
  const create = () => {
    // An offer that cannot change announces no changes.
    if (offer === undefined) return createMcpServer(view.current, info, options);
    const server = createMcpServer(view, info, options);
    announceChanges(server, view);
    return server;
  };
  const connection = serveOverStdio(create, { transport, ...(onError && { onerror: onError }) });
  async function close({ graceMs = 10_000 } = {}): Promise<void> {
    await transport.idle(graceMs);
    options.calls.cut();
    // The answers of calls that were cut off go out at the end of this turn.
    await setImmediate();
    await connection.close();
  }
  return { close };
}
