import type { Server } from '@modelcontextprotocol/server';
import { page } from '../offer/page.ts';

// JSON-RPC 2.0: invalid params. The MCP specification answers an unknown tool, prompt, resource or cursor so.
const invalidParams = -32602;

/** An error that the SDK answers as one of the protocol. */
export function protocolError({
  code = invalidParams,
  message,
  data,
}: {
  code?: number;
  message: string;
  data?: unknown;
}): Error {
  return Object.assign(new Error(message), { code, data });
}

/** The page of a list that a request asks for. A cursor that no list has given out is an error of the protocol. */
export function listPage<Entry>(
  list: readonly Entry[],
  nameOf: (entry: Entry) => string,
  options: { cursor?: string | undefined; pageSize: number },
): { entries: Entry[]; next: { nextCursor?: string } } {
  const found = page(list, nameOf, options);
  if (found === undefined) throw protocolError({ message: 'This cursor is not valid. Ask for the list without one.' });
  const { entries, ...next } = found;
  return { entries, next };
}

/** The answer to a request whose call was cut off by the end of the server. */
export const cutOffError = {
  code: -32000,
  message: 'The server has ended before this was finished. Ask again.',
};

/** Answers a request so, while its handler is still running: what that works on ends with the connection. */
export function cutOff(server: Server, id: string | number): void {
  // A client that is gone misses nothing.
  server.transport?.send({ jsonrpc: '2.0', id, error: cutOffError }).catch(() => {});
}
