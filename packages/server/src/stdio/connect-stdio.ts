import { setImmediate } from 'node:timers/promises';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { announceChanges, createMcpServer } from '../create-mcp-server.ts';
import { createInFlight } from '../in-flight.ts';
import type { SharedServer } from '../shared-server.ts';
import { createStdioServerTransport } from './stdio-server-transport.ts';
import { withTaskNotifications } from './task-notifications.ts';

export interface StdioServer {
  /** Waits at most `graceMs` (10,000) for running calls, and ends the connection. So does the end of the input. */
  close(options?: { graceMs?: number }): Promise<void>;
}

/** Serves standard input and output, in every revision of MCP. */
export function connectStdio({
  catalog,
  isReloadable,
  info,
  connectionOptions,
  createViews,
  onError,
}: SharedServer): StdioServer {
  const view = createViews(new Map())();
  const calls = createInFlight();
  const options = { ...connectionOptions, calls, isPublic: true, onError };
  const transport = createStdioServerTransport(process.stdin, process.stdout, { onEnd: () => void close() });
  const create = ({ era }: { era: 'legacy' | 'modern' }) => {
    const own = { ...options, isModern: era === 'modern' };
    if (!isReloadable) return createMcpServer(view.current, info, own);
    const server = createMcpServer(view, info, own);
    announceChanges(server, catalog);
    return server;
  };
  const { provider } = connectionOptions.tasks ?? {};
  const wire = provider === undefined ? transport : withTaskNotifications(transport, provider);
  const connection = serveStdio(create, { transport: wire, ...(onError && { onerror: onError }) });
  async function close({ graceMs = 10_000 } = {}): Promise<void> {
    await transport.idle(graceMs);
    calls.abortAll();
    // The answers of aborted calls are written at the end of this turn.
    await setImmediate();
    await connection.close();
  }
  return { close };
}
