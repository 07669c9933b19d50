import { setImmediate } from 'node:timers/promises';
import {
  createMcpHandler,
  isLegacyRequest,
  legacyStatelessFallback,
  type RequestId,
} from '@modelcontextprotocol/server';
import type { ReloadableCatalog } from '../catalog/tool-catalog.ts';
import { announceChanges, createMcpServer } from '../create-mcp-server.ts';
import { abortedError, createInFlight } from '../in-flight.ts';
import { withRetryAfter } from '../retry-after.ts';
import type { SharedServer } from '../shared-server.ts';
import { taskOwner } from '../tasks/task-calls.ts';
import { taskSubscription } from '../tasks/task-subscriptions.ts';
import { httpProblem, idOf } from './http-problem.ts';
import type { RequestContext } from './request-context.ts';
import type { SessionLimits } from './session-table.ts';
import { createSseSessions, type SseSessions } from './sse-sessions.ts';
import { createStreamableSessions } from './streamable-sessions.ts';
import { createTaskStreams } from './task-streams.ts';

export interface McpEndpointOptions extends SessionLimits {
  isPublic: boolean;
  /** The view of the catalog that a URL selects. */
  catalogAt: (url: URL) => ReloadableCatalog;
  messagesPath: string;
  hasSessions: boolean;
  maxBodyBytes: number;
}

/** MCP over HTTP, in every revision. Requests are authenticated and their bodies parsed. */
export interface McpEndpoint {
  /** Streamable HTTP, in the revision of the request. */
  streamable(context: RequestContext): Promise<Response>;
  /** HTTP+SSE, the transport of 2024-11-05. */
  sse: Pick<SseSessions, 'open' | 'receive'>;
  readonly sessions: { streamable: number; sse: number };
  /** Waits at most `graceMs` milliseconds for running calls, answers the rest with an error, and ends all sessions. */
  close(graceMs: number): Promise<void>;
}

/** The first revision of MCP without sessions. */
const firstStateless = '2026-07-28';
const allow = 'GET, POST, DELETE, OPTIONS';
// A client that does not read its last response must not delay the end.
const lastResponsesMs = 500;

export function createMcpEndpoint(
  { catalog, info, connectionOptions, onError }: SharedServer,
  { isPublic, catalogAt, messagesPath, hasSessions, maxBodyBytes, ...limits }: McpEndpointOptions,
): McpEndpoint {
  const calls = createInFlight();
  const options = { ...connectionOptions, calls, isPublic, onError };
  const { tasks } = connectionOptions;
  const connect = (url: URL, keepSession?: (ttlMs: number) => Promise<void>) => {
    const view = catalogAt(url);
    const server = createMcpServer(view, info, { ...options, tasks: tasks && { ...tasks, keepSession } });
    announceChanges(server, view);
    return server;
  };
  const kept = tasks?.provider.sessions;
  const sessions = createStreamableSessions(connect, { ...limits, maxBodyBytes, onError, kept });
  const withoutSessions = legacyStatelessFallback(
    ({ requestInfo }) => createMcpServer(requestInfo ? catalogAt(new URL(requestInfo.url)) : catalog, info, options),
    onError,
    { maxRequestBodySize: maxBodyBytes },
  );
  const sse = createSseSessions(connect, { ...limits, messagesPath });
  // A stateless server lives for one request, so the handler announces changes.
  const stateless = createMcpHandler(
    ({ requestInfo }) =>
      createMcpServer(requestInfo ? catalogAt(new URL(requestInfo.url)) : catalog, info, {
        ...options,
        isModern: true,
      }),
    { legacy: 'reject', maxRequestBodySize: maxBodyBytes, ...(onError && { onerror: onError }) },
  );
  const unsubscribe = catalog.subscribe((change) => {
    if (change.tools) stateless.notify.toolsChanged();
    if (change.prompts) stateless.notify.promptsChanged();
    if (change.resources) stateless.notify.resourcesChanged();
  });
  const taskStreams = tasks && createTaskStreams(tasks.provider);
  const responses = createInFlight();
  let isEnding = false;

  return {
    async streamable(context) {
      const refused = checkForm(context);
      if (refused !== undefined) return refused;
      const { request, parsedBody, authInfo, sent } = context;
      // A stream of notifications stays open until the end.
      if (request.method === 'POST' && Object(parsedBody).method !== 'subscriptions/listen') {
        void sent.then(responses.begin());
      }
      const known = { parsedBody, ...(authInfo && { authInfo }) };
      if (await isLegacyRequest(request, parsedBody)) {
        const answer = hasSessions ? sessions.answer(context) : withoutSessions(request, known);
        return withRetryAfter(await answer, request);
      }
      const subscription = taskStreams && taskSubscription(parsedBody);
      const { id, refusal } = subscription ?? {};
      if (refusal !== undefined) return httpProblem(400, refusal.message, { ...refusal, id: id ?? null });
      const response = await stateless.fetch(request, known);
      if (taskStreams !== undefined && subscription !== undefined) {
        return taskStreams.add(response, subscription, taskOwner({ http: { authInfo } }));
      }
      return isEnding ? abortedResponse(response, idOf(parsedBody)) : withRetryAfter(response, request);
    },
    sse,
    get sessions() {
      return { streamable: sessions.size, sse: sse.size };
    },
    async close(graceMs) {
      unsubscribe();
      await Promise.all([calls.idle(graceMs), responses.idle(graceMs)]);
      isEnding = true;
      calls.abortAll();
      await setImmediate();
      await responses.idle(lastResponsesMs);
      sessions.close();
      sse.close();
      taskStreams?.closeAll();
      await stateless.close();
    },
  };
}

/** The refusal of a method or batch that the request's revision does not have; undefined for other requests. */
function checkForm({ request, parsedBody }: RequestContext): Response | undefined {
  const { method, headers } = request;
  if (method === 'POST' && !Array.isArray(parsedBody)) return undefined;
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } });
  if (!['GET', 'POST', 'DELETE'].includes(method)) return methodNotAllowed(allow);
  const revision = headers.get('mcp-protocol-version');
  if (revision === null || revision < firstStateless) return undefined;
  if (method !== 'POST') return methodNotAllowed('POST', `Revision ${revision} of MCP has no ${method}.`);
  const message = `Revision ${revision} of MCP has no batches. Send each message in its own request.`;
  return httpProblem(400, message, { code: -32600 });
}

export function methodNotAllowed(allowed: string, reason = 'Method not allowed.'): Response {
  return httpProblem(405, `${reason} Use ${allowed}.`, { headers: { Allow: allowed } });
}

/** The stateless response to a request that was running when the server ended: 503 if it was aborted. */
async function abortedResponse(response: Response, id: RequestId | null): Promise<Response> {
  const { code, message } = abortedError;
  // The SDK has ended the request without an answer.
  if (response.status === 499) return httpProblem(503, message, { code, id });
  if (response.headers.get('content-type') !== 'application/json') return response;
  const text = await response.text();
  const { error } = JSON.parse(text) as { error?: { code: number } };
  return new Response(text, { status: error?.code === code ? 503 : response.status, headers: response.headers });
}
