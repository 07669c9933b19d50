import type { AuthInfo, Server } from '@modelcontextprotocol/server';
import { httpProblem } from './http-problem.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { createSessionTable, type SessionLimits } from './session-table.ts';
import type { SessionRequest } from './sessions.ts';
import { createSseTransport, type SseTransport } from './sse-transport.ts';

/** Serves the transport of MCP 2024-11-05 (specification 4.3): `GET /sse` opens a session, `POST /messages` says something in it. */
export function createSseSessions(
  connect: (request: IncomingRequest) => Server,
  { messagesPath, ...limits }: SessionLimits & { messagesPath: string },
): {
  open(request: IncomingRequest, authInfo: AuthInfo | undefined): Promise<Response>;
  receive(request: SessionRequest, sessionId: string | null): Response;
  readonly size: number;
  close(): Promise<void>;
} {
  const table = createSessionTable<SseTransport>({ ...limits, end: (transport) => void transport.close() });
  return {
    get size() {
      return table.size;
    },
    async open(request, authInfo) {
      if (!table.makeRoom()) {
        return httpProblem(503, 'Too many sessions. Try again later.', { headers: { 'Retry-After': '10' } });
      }
      const transport = createSseTransport(messagesPath);
      const server = connect(request);
      const { sessionId, response } = transport;
      await server.connect(transport);
      const { onclose } = transport;
      transport.onclose = () => {
        table.remove(sessionId);
        onclose?.();
      };
      table.add(sessionId, transport, authInfo);
      // The stream is open as long as the session: it ends with the client, and is never idle.
      return table.during(sessionId, request, async () => response);
    },
    receive({ parsedBody, authInfo }, sessionId) {
      if (sessionId === null) return httpProblem(400, 'The address lacks ?sessionId=…, as /sse gave it out.');
      const transport = table.find(sessionId, authInfo);
      if (transport === undefined) return httpProblem(404, 'Session not found', { code: -32001 });
      return transport.receive(parsedBody, authInfo);
    },
    close: () => table.close(),
  };
}
