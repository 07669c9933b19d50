import { setImmediate } from 'node:timers/promises';
import { createMcpHandler, isLegacyRequest, type RequestId } from '@modelcontextprotocol/server';
import type { LiveOffer } from '../catalog/live-offer.ts';
import { type CallCount, createInFlight } from '../in-flight.ts';
import { announceChanges, createMcpServer, type McpServerOptions, type ServerInfo } from '../mcp/create-mcp-server.ts';
import { cutOffError } from '../mcp/request-handlers.ts';
import type { Exchange } from './exchange.ts';
import { httpProblem, idOf } from './http-problem.ts';
import type { SessionLimits } from './session-table.ts';
import { createSessions } from './sessions.ts';
import { createSseSessions, type SseSessions } from './sse-sessions.ts';

export interface McpEndpointOptions extends SessionLimits {
  info: ServerInfo;
  options: McpServerOptions & { calls: CallCount };
  offer: LiveOffer;
  /** What a caller sees, by the URL that was asked for. */
  offerAt: (url: URL) => LiveOffer;
  messagesPath: string;
  maxBodyBytes: number;
  onError?: ((error: Error) => void) | undefined;
}

/** MCP over HTTP, in every revision. Requests have been let in and their bodies parsed. */
export interface McpEndpoint {
  /** Streamable HTTP, in the revision that the request speaks. */
  streamable(exchange: Exchange): Promise<Response>;
  /** The transport of 2024-11-05. */
  sse: Pick<SseSessions, 'open' | 'receive'>;
  readonly sessions: { streamable: number; sse: number };
  /** Waits for what is going on, at most `graceMs` milliseconds, answers the rest with an error, and ends all sessions. */
  close(graceMs: number): Promise<void>;
}

/** The first revision of MCP without sessions. */
const firstStateless = '2026-07-28';
const allow = 'GET, POST, DELETE, OPTIONS';
// A client that does not read the last answers is not waited for.
const lastAnswersMs = 500;

export function createMcpEndpoint({
  info,
  options,
  offer,
  offerAt,
  messagesPath,
  maxBodyBytes,
  onError,
  ...limits
}: McpEndpointOptions): McpEndpoint {
  const connect = (url: URL) => {
    const offered = offerAt(url);
    const server = createMcpServer(offered, info, options);
    announceChanges(server, offered);
    return server;
  };
  const sessions = createSessions(connect, { ...limits, maxBodyBytes, onError });
  const sse = createSseSessions(connect, { ...limits, messagesPath });
  // Here there is a server for each request, which lives too short to announce changes: the handler announces them.
  const stateless = createMcpHandler(
    ({ requestInfo }) => createMcpServer(requestInfo ? offerAt(new URL(requestInfo.url)) : offer, info, options),
    { legacy: 'reject', maxRequestBodySize: maxBodyBytes, ...(onError && { onerror: onError }) },
  );
  const unsubscribe = offer.subscribe((change) => {
    if (change.tools) stateless.notify.toolsChanged();
    if (change.prompts) stateless.notify.promptsChanged();
    if (change.resources) stateless.notify.resourcesChanged();
  });
  const responses = createInFlight();
  let isEnding = false;

  return {
    async streamable(exchange) {
      const refused = checkForm(exchange);
      if (refused !== undefined) return refused;
      const { request, parsedBody, authInfo, sent } = exchange;
      // Nobody waits for the end of a stream of notifications.
      if (request.method === 'POST' && Object(parsedBody).method !== 'subscriptions/listen') {
        void sent.then(responses.begin());
      }
      if (await isLegacyRequest(request, parsedBody)) return sessions.answer(exchange);
      const response = await stateless.fetch(request, { parsedBody, ...(authInfo && { authInfo }) });
      return isEnding ? endedAnswer(response, idOf(parsedBody)) : response;
    },
    sse,
    get sessions() {
      return { streamable: sessions.size, sse: sse.size };
    },
    async close(graceMs) {
      unsubscribe();
      await Promise.all([options.calls.idle(graceMs), responses.idle(graceMs)]);
      isEnding = true;
      options.calls.cut();
      await setImmediate();
      await responses.idle(lastAnswersMs);
      sessions.close();
      sse.close();
      await stateless.close();
    },
  };
}

/** The answer to a request in a form that the revision which it names does not have; undefined for others. */
function checkForm({ request, parsedBody }: Exchange): Response | undefined {
  const { method, headers } = request;
  if (method === 'POST' && !Array.isArray(parsedBody)) return undefined;
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } });
  if (!['GET', 'POST', 'DELETE'].includes(method)) return methodNotAllowed(allow);
  const revision = headers.get('mcp-protocol-version');
  if (revision === null || revision < firstStateless) return undefined;
  if (method !== 'POST') return methodNotAllowed('POST', `Revision ${revision} of MCP has no ${method}.`);
  const message = `Revision ${revision} of MCP has no batches. Send each message in a request of its own.`;
  return httpProblem(400, message, { code: -32600 });
}

/** @param reason What stands before the methods that can be used. */
export function methodNotAllowed(allowed: string, reason = 'Method not allowed.'): Response {
  return httpProblem(405, `${reason} Use ${allowed}.`, { headers: { Allow: allowed } });
}

/** The answer of the stateless revision to a request that was running when the server ended: 503 where it was cut off. */
async function endedAnswer(response: Response, id: RequestId | null): Promise<Response> {
  const { code, message } = cutOffError;
  // The SDK has ended the request without an answer.
  if (response.status === 499) return httpProblem(503, message, { code, id });
  if (response.headers.get('content-type') !== 'application/json') return response;
  const text = await response.text();
  const { error } = JSON.parse(text) as { error?: { code: number } };
  return new Response(text, { status: error?.code === code ? 503 : response.status, headers: response.headers });
}
