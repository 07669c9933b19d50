import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  isInitializeRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { httpProblem, idOf } from './http-problem.ts';
import type { Outlet } from './once-sent.ts';
import { createSessionTable, type SessionLimits, type SessionTable } from './session-table.ts';

interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
}

/** A request of a revision of MCP that has sessions, with its body. */
export interface SessionRequest extends Outlet {
  parsedBody: unknown;
  authInfo: AuthInfo | undefined;
}

/**
 * Serves the revisions of MCP that have sessions (2025-11-25 and older) over Streamable HTTP.
 *
 * @param connect Makes the server of a new session.
 */
export function createSessions(
  connect: (request: Request) => Server,
  limits: SessionLimits & { maxBodyBytes: number },
): { fetch(request: SessionRequest): Promise<Response>; readonly size: number; close(): Promise<void> } {
  const table: SessionTable<Session> = createSessionTable({
    ...limits,
    end: ({ transport }) => void transport.close().catch(() => {}),
  });

  async function begin({ request, parsedBody, authInfo }: SessionRequest): Promise<Response> {
    if (!table.makeRoom())
      return httpProblem(503, 'Too many sessions. Try again later.', { headers: { 'Retry-After': '10' } });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => table.add(id, { transport }, authInfo),
      onsessionclosed: (id) => table.remove(id),
      maxRequestBodySize: limits.maxBodyBytes,
    });
    await connect(request).connect(transport);
    const response = await transport.handleRequest(request, { parsedBody, ...(authInfo && { authInfo }) });
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
      return table.during(id, incoming, () =>
        session.transport.handleRequest(request, { parsedBody, ...(authInfo && { authInfo }) }),
      );
    },
    close: () => table.close(),
  };
}

function notInitialize(request: unknown): Response {
  const message = 'Invalid params: initialize needs an id, and protocolVersion, capabilities and clientInfo as params.';
  return httpProblem(400, message, { code: -32602, id: idOf(request) });
}
