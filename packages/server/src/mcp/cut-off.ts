import type { Server } from '@modelcontextprotocol/server';

/** What a request is answered whose call the end of the server cuts off. */
export const cutOffError = {
  code: -32000,
  message: 'The server has ended before this was finished. Ask again.',
};

/** Answers a request so. Past the handler, which is still at work: what it works on ends with the connection. */
export function cutOff(server: Server, id: string | number): void {
  // A client that is gone misses nothing.
  server.transport?.send({ jsonrpc: '2.0', id, error: cutOffError }).catch(() => {});
}
