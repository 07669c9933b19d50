import { isInitializeRequest, type Server } from '@modelcontextprotocol/server';
import { httpProblem, idOf } from './http-problem.ts';
import type { RequestContext } from './request-context.ts';
import { createSessionTable, type SessionLimits } from './session-table.ts';
import { createSessionTransport, type SessionTransport, type SessionTransportOptions } from './session-transport.ts';

export interface StreamableSessions {
  answer(context: RequestContext): Promise<Response>;
  readonly size: number;
  close(): void;
}

/** Serves the MCP revisions with sessions (2025-11-25 and older). `connect` creates the server of a new session by its URL. */
export function createStreamableSessions(
  connect: (url: URL) => Server,
  { maxBodyBytes, onError, ...limits }: SessionLimits & Pick<SessionTransportOptions, 'maxBodyBytes' | 'onError'>,
): StreamableSessions {
  const table = createSessionTable<SessionTransport>({
    ...limits,
    end: (transport) => void transport.close().catch(() => {}),
  });

  async function begin(context: RequestContext): Promise<Response> {
    if (!table.makeRoom()) return tooManySessions();
    const transport = createSessionTransport({
      onBegin: (id) => table.add(id, transport, context.authInfo),
      onEnd: table.remove,
      maxBodyBytes,
      onError,
    });
    await connect(context.url).connect(transport);
    const response = await transport.answer(context);
    // A refused initialize begins no session.
    if (transport.sessionId === undefined) await transport.close();
    return response;
  }

  return {
    get size() {
      return table.size;
    },
    async answer(context) {
      const { request, parsedBody } = context;
      const id = request.headers.get('mcp-session-id');
      if (id !== null) {
        return table.use(id, context)?.answer(context) ?? sessionNotFound();
      }
      const messages: unknown[] = [parsedBody].flat();
      if (messages.some((message) => isInitializeRequest(message))) return begin(context);
      const initialize = messages.find((message) => Object(message).method === 'initialize');
      if (initialize !== undefined) return notInitialize(initialize);
      return httpProblem(400, 'Bad Request: this request needs an Mcp-Session-Id header. Send initialize first.');
    },
    close: table.clear,
  };
}

export function tooManySessions(): Response {
  return httpProblem(503, 'Too many sessions. Try again later.', { headers: { 'Retry-After': '10' } });
}

export function sessionNotFound(): Response {
  return httpProblem(404, 'Session not found', { code: -32001 });
}

function notInitialize(request: unknown): Response {
  const message = 'Invalid params: initialize needs an id, and protocolVersion, capabilities and clientInfo as params.';
  return httpProblem(400, message, { code: -32602, id: idOf(request) });
}
