import { type AuthInfo, isInitializeRequest, type JSONRPCRequest, type Server } from '@modelcontextprotocol/server';
import { createMessageWriter, type MessageWriter } from '../mcp/message-writer.ts';
import { httpProblem, idOf } from './http-problem.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { createSessionTable, type SessionLimits, type SessionTable } from './session-table.ts';
import { createSessionTransport, type SessionTransport, type SessionTransportOptions } from './session-transport.ts';

/** A request of a revision of MCP that has sessions, with its body. */
export interface SessionRequest {
  request: IncomingRequest;
  parsedBody: unknown;
  /** The same, where it is known to be a single request. */
  message?: JSONRPCRequest | undefined;
  authInfo: AuthInfo | undefined;
}

/**
 * Serves the revisions of MCP that have sessions (2025-11-25 and older) over Streamable HTTP.
 *
 * @param connect Makes the server of a new session, whose messages are written by the writer that it is given.
 */
export function createSessions(
  connect: (request: IncomingRequest, writer: MessageWriter) => Server,
  limits: SessionLimits & Pick<SessionTransportOptions, 'maxBodyBytes' | 'onError'>,
): { fetch(request: SessionRequest): Promise<Response>; readonly size: number; close(): Promise<void> } {
  const table: SessionTable<SessionTransport> = createSessionTable({
    ...limits,
    end: (transport) => void transport.close().catch(() => {}),
  });

  async function begin(incoming: SessionRequest): Promise<Response> {
    if (!table.makeRoom())
      return httpProblem(503, 'Too many sessions. Try again later.', { headers: { 'Retry-After': '10' } });
    const writer = createMessageWriter();
    const transport = createSessionTransport({
      writer,
      onBegin: (id) => table.add(id, transport, incoming.authInfo),
      onEnd: (id) => table.remove(id),
      maxBodyBytes: limits.maxBodyBytes,
      onError: limits.onError,
    });
    await connect(incoming.request, writer).connect(transport);
    const response = await transport.handle(incoming);
    // An initialize that was refused has begun no session.
    if (transport.sessionId === undefined) await transport.close();
    return response;
  }

  return {
    get size() {
      return table.size;
    },
    async fetch(incoming) {
      const { request, parsedBody, authInfo } = incoming;
      const id = request.headers.get('mcp-session-id');
      if (id === null) {
        const messages: unknown[] = [parsedBody].flat();
        if (messages.some((message) => isInitializeRequest(message))) return begin(incoming);
        const initialize = messages.find((message) => Object(message).method === 'initialize');
        if (initialize !== undefined) return notInitialize(initialize);
        return httpProblem(400, 'Bad Request: this request needs an Mcp-Session-Id header. Send initialize first.');
      }
      const session = table.find(id, authInfo);
      if (session === undefined) return httpProblem(404, 'Session not found', { code: -32001 });
      return table.during(id, request, () => session.handle(incoming));
    },
    close: () => table.close(),
  };
}

function notInitialize(request: unknown): Response {
  const message = 'Invalid params: initialize needs an id, and protocolVersion, capabilities and clientInfo as params.';
  return httpProblem(400, message, { code: -32602, id: idOf(request) });
}
