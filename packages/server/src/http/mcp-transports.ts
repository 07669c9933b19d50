import { setImmediate } from 'node:timers/promises';
import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  parseJSONRPCMessage,
} from '@modelcontextprotocol/server';
import type { CallCount } from '../call-count.ts';
import { announceChanges } from '../mcp/announce-changes.ts';
import { createMcpServer, type McpServerOptions } from '../mcp/create-mcp-server.ts';
import type { MessageWriter } from '../mcp/message-writer.ts';
import type { ServerInfo } from '../mcp/server-info.ts';
import type { LiveOffer } from '../offer/live-offer.ts';
import { firstStateless } from './check-form.ts';
import { endedAnswer } from './ended-answer.ts';
import { createExchangeCount } from './exchange-count.ts';
import { idOf } from './http-problem.ts';
import { asRequest, type IncomingRequest } from './incoming-request.ts';
import type { SessionLimits } from './session-table.ts';
import { createSessions, type SessionRequest } from './sessions.ts';
import { createSseSessions } from './sse-sessions.ts';

export interface McpTransportsOptions extends SessionLimits {
  info: ServerInfo;
  options: McpServerOptions & { calls: CallCount };
  /** What a caller sees, by the address that was asked. */
  offerAt: (url: string) => LiveOffer;
  offer: LiveOffer;
  messagesPath: string;
  maxBodyBytes: number;
  onError?: ((error: Error) => void) | undefined;
}

/** The ways in which MCP is spoken over HTTP, behind one door. Requests have been let in and their bodies read. */
export interface McpTransports {
  /** Streamable HTTP, in the revision that the request speaks. */
  streamable(request: SessionRequest): Promise<Response>;
  /** Opens a session of the older transport. */
  openEvents(request: IncomingRequest, authInfo: AuthInfo | undefined): Promise<Response>;
  /** Takes a message of such a session. */
  receive(request: SessionRequest, sessionId: string | null): Response;
  readonly sessions: { streamable: number; events: number };
  /** Waits for what is going on, at most `graceMs` milliseconds, tells those whose calls are not finished, and ends all. */
  close(graceMs: number): Promise<void>;
}

// A client that does not read what it is told at the end is not waited for.
const lastWordsMs = 500;

export function createMcpTransports({
  info,
  options,
  offerAt,
  offer,
  messagesPath,
  maxBodyBytes,
  onError,
  ...limits
}: McpTransportsOptions): McpTransports {
  const exchanges = createExchangeCount();
  const connect = (request: IncomingRequest, writer?: MessageWriter) => {
    const offered = offerAt(request.url);
    const server = createMcpServer(offered, info, { ...options, ...(writer && { writer }) });
    announceChanges(server, offered);
    return server;
  };
  const sessions = createSessions(connect, { ...limits, maxBodyBytes, onError });
  const events = createSseSessions(connect, { ...limits, messagesPath });
  // The stateless revision makes a server for each request: it has nobody to announce changes to, the handler has.
  const stateless = createMcpHandler(
    ({ requestInfo }) => createMcpServer(requestInfo ? offerAt(requestInfo.url) : offer, info, options),
    { legacy: 'reject', maxRequestBodySize: maxBodyBytes, ...(onError && { onerror: onError }) },
  );
  const unsubscribe = offer.subscribe((change) => {
    if (change.tools) stateless.notify.toolsChanged();
    if (change.prompts) stateless.notify.promptsChanged();
    if (change.resources) stateless.notify.resourcesChanged();
  });

  let isEnding = false;

  async function answer(incoming: SessionRequest): Promise<Response> {
    const { request, parsedBody, authInfo } = incoming;
    if (!namesRevision(parsedBody)) {
      const message = isOlder(request) ? requestIn(parsedBody) : undefined;
      const isOfSession = message !== undefined || (await isLegacyRequest(asRequest(request), parsedBody));
      if (isOfSession) return sessions.fetch({ ...incoming, message });
    }
    const response = await stateless.fetch(asRequest(request), { parsedBody, ...(authInfo && { authInfo }) });
    return isEnding ? endedAnswer(response, idOf(parsedBody)) : response;
  }

  return {
    streamable(incoming) {
      // Nobody waits for the end of a stream of notices.
      if (incoming.request.method !== 'POST' || asksForNotices(incoming.parsedBody)) return answer(incoming);
      return exchanges.answer(incoming.request, () => answer(incoming));
    },
    openEvents: events.open,
    receive: events.receive,
    get sessions() {
      return { streamable: sessions.size, events: events.size };
    },
    async close(graceMs) {
      unsubscribe();
      await Promise.all([options.calls.idle(graceMs), exchanges.idle(graceMs)]);
      isEnding = true;
      options.calls.cut();
      await setImmediate();
      await exchanges.idle(lastWordsMs);
      await Promise.all([sessions.close(), events.close(), stateless.close()]);
    },
  };
}

/**
 * Whether a request names the revision that it speaks, as each of the stateless ones does and none of an older one but its hello.
 * The SDK would look at all of it to say so, and does that once more when it answers.
 */
function namesRevision(message: unknown): boolean {
  const { id, method, params } = Object(message) as Record<string, unknown>;
  const { _meta: meta } = Object(params) as Record<string, unknown>;
  return id !== undefined && method !== 'initialize' && PROTOCOL_VERSION_META_KEY in Object(meta);
}

/** Whether a request that names no revision in its body says that it is of one with sessions. */
function isOlder({ headers }: IncomingRequest): boolean {
  const revision = headers.get('mcp-protocol-version');
  return revision === null || revision < firstStateless;
}

function requestIn(body: unknown): JSONRPCRequest | undefined {
  try {
    const message = parseJSONRPCMessage(body);
    return 'method' in message && 'id' in message ? message : undefined;
  } catch {
    // A batch, or nothing that there is: others say what it is.
    return undefined;
  }
}

function asksForNotices(message: unknown): boolean {
  return (Object(message) as { method?: unknown }).method === 'subscriptions/listen';
}
