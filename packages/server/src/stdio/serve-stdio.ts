import { setImmediate } from 'node:timers/promises';
import { serveStdio as serveOverStdio } from '@modelcontextprotocol/server/stdio';
import { announceChanges } from '../mcp/announce-changes.ts';
import { createMcpServer } from '../mcp/create-mcp-server.ts';
import { createMessageWriter } from '../mcp/message-writer.ts';
import { checkOptions } from '../options/check-options.ts';
import { servingRules } from '../options/option-rules.ts';
import { ServerOptionsError } from '../options/options-error.ts';
import { createServing, type ServingOptions } from '../serving.ts';
import { createStdioTransport } from './stdio-transport.ts';

/** Never write to stdout in `onCall` or `onError`: it carries the protocol. */
export interface ServeStdioOptions extends ServingOptions {}

/** A server over standard input and output that is running. */
export interface StdioServer {
  /**
   * Waits for the calls that are going on, at most `graceMs` milliseconds (default 10,000), tells those that are not finished, and
   * ends the connection. The same happens when the input closes.
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
  const wrong = checkOptions('serveStdio', serving, { rules: servingRules, needed: ['name', 'version'] });
  if (wrong.length > 0) throw new ServerOptionsError('serveStdio', wrong);
  const { viewOf, info, options } = createServing(serving, { isPublic: true });
  const { calls } = options;
  const { offer, onError } = serving;
  const view = viewOf();
  const { stdin, stdout } = process;
  const writer = createMessageWriter();
  const transport = createStdioTransport(stdin, stdout, {
    writer,
    isBusy: () => calls.active > 0,
    onEnd: () => void close(),
  });
  const create = () => {
    // What cannot change is not announced as if it could.
    const server = createMcpServer(offer === undefined ? view.current : view, info, { ...options, writer });
    if (offer !== undefined) announceChanges(server, view);
    return server;
  };
  const connection = serveOverStdio(create, { transport, ...(onError && { onerror: onError }) });
  async function close({ graceMs = 10_000 } = {}): Promise<void> {
    await transport.idle(graceMs);
    calls.cut();
    // What is written in this turn goes out at its end.
    await setImmediate();
    await connection.close();
  }
  return { close };
}
