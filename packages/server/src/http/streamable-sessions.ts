import { isInitializeRequest, type Server } from '@modelcontextprotocol/server';
import { sessionKey } from '../tasks/task-calls.ts';
import type { TaskProvider } from '../tasks/task-provider.ts';
import { httpProblem, idOf } from './http-problem.ts';
import type { RequestContext } from './request-context.ts';
import { createSessionTable, ownerOf, type SessionLimits } from './session-table.ts';
import { createSessionTransport, type SessionTransport, type SessionTransportOptions } from './session-transport.ts';

/** What a session began with, as JSON. */
interface KeptSession {
  initialize: unknown;
  owner: string | null;
}

export interface StreamableSessionsOptions
  extends SessionLimits,
    Pick<SessionTransportOptions, 'maxBodyBytes' | 'onError'> {
  /** Sessions that can go on after they have left the memory, such as by a restart. */
  kept: TaskProvider['sessions'] | undefined;
}

export interface StreamableSessions {
  answer(context: RequestContext): Promise<Response>;
  readonly size: number;
  close(): void;
}

/**
 * Serves the MCP revisions with sessions (2025-11-25 and older). `connect` creates the server of a session by its URL; its function
 * `keep` keeps the session for so many milliseconds at least.
 */
export function createStreamableSessions(
  connect: (url: URL, keep: (ttlMs: number) => Promise<void>) => Server,
  { maxBodyBytes, onError, kept, ...limits }: StreamableSessionsOptions,
): StreamableSessions {
  const table = createSessionTable<SessionTransport>({
    ...limits,
    end: (transport) => void transport.close().catch(() => {}),
  });

  /** @param id The id of a session that goes on. */
  async function open({ url, authInfo, parsedBody }: RequestContext, id?: string): Promise<SessionTransport> {
    const transport = createSessionTransport({
      ...(id !== undefined && { id }),
      onBegin: (begun) => table.add(begun, transport, authInfo),
      onEnd(ended) {
        table.remove(ended);
        kept?.remove(sessionKey(ended)).catch((error) => onError?.(error));
      },
      maxBodyBytes,
      onError,
    });
    const session: KeptSession = { initialize: parsedBody, owner: ownerOf(authInfo) ?? null };
    const server = connect(url, async (ttlMs) => kept?.keep(sessionKey(String(transport.sessionId)), session, ttlMs));
    await server.connect(transport);
    return transport;
  }

  async function begin(context: RequestContext): Promise<Response> {
    if (!table.makeRoom()) return tooManySessions();
    const transport = await open(context);
    const response = await transport.answer(context);
    // A refused initialize begins no session.
    if (transport.sessionId === undefined) await transport.close();
    return response;
  }

  const resuming = new Map<string, Promise<void>>();

  /** Lets a kept session go on, if it belongs to the caller: its client initializes once. */
  async function resume(id: string, context: RequestContext): Promise<void> {
    const session = (await kept?.find(sessionKey(id))) as KeptSession | undefined;
    if (session === undefined || session.owner !== (ownerOf(context.authInfo) ?? null) || !table.makeRoom()) return;
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const request = new Request(context.request.url, { method: 'POST', headers });
    const initialize = { ...context, request, parsedBody: session.initialize };
    const transport = await open(initialize, id);
    const response = await transport.answer(initialize);
    await response.body?.cancel();
  }

  async function find(id: string, context: RequestContext): Promise<SessionTransport | undefined> {
    const known = table.use(id, context);
    if (known !== undefined || kept === undefined || table.has(id)) return known;
    const resumed = resuming.get(id) ?? resume(id, context).finally(() => resuming.delete(id));
    resuming.set(id, resumed);
    await resumed;
    return table.use(id, context);
  }

  return {
    get size() {
      return table.size;
    },
    async answer(context) {
      const { request, parsedBody } = context;
      const id = request.headers.get('mcp-session-id');
      if (id !== null) {
        return (await find(id, context))?.answer(context) ?? sessionNotFound();
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
