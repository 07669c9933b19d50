import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { type Authenticate, bearerToken } from '../auth/bearer-token.ts';
import type { OAuthResource } from '../auth/oauth-resource.ts';
import type { Groups, ToolSelection } from '../catalog/select-catalog.ts';
import { createRunningCalls } from '../in-flight.ts';
import { defaultPaths, type Paths } from '../option-rules.ts';
import type { SharedServer } from '../shared-server.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createHostCheck, type HostCheckOptions } from './host-check.ts';
import { httpProblem } from './http-problem.ts';
import { createMcpEndpoint } from './mcp-endpoint.ts';
import { parseSelection } from './parse-selection.ts';
import {
  createRequestContext,
  onceRead,
  type ParsedRequest,
  type RequestContext,
  readBody,
} from './request-context.ts';
import { type HttpState, type RefusalRecord, respond } from './respond.ts';

/** Options of a server over HTTP, mounted or listening. */
export interface HttpOptions extends HostCheckOptions {
  /** Groups that a URL may select: `/mcp?group=<name>`. */
  groups?: Groups;
  /** The selection for URLs without one. Default: all tools. */
  defaults?: ToolSelection;
  paths?: Partial<Paths>;
  /** Authentication: a bearer token, a function, or OAuth access tokens. Default: none. */
  auth?: string | Authenticate | OAuthResource;
  /** Size limit of a request, in bytes. Default 4 MiB. */
  maxBodyBytes?: number;
  /** Limit of sessions of older MCP revisions, for each transport. Default 1,000. */
  maxSessions?: number;
  /** When an idle session ends, in milliseconds. Default 10 minutes. */
  sessionIdleMs?: number;
  /** Receives each refused request, for logs. */
  onRefusal?: (refusal: RefusalRecord) => void;
}

/** A listener of `node:http`. With `next` it is middleware: a body that was parsed already is taken from `request.body`. */
export type NodeHandler = (
  request: IncomingMessage & { auth?: AuthInfo; body?: unknown },
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => Promise<void>;

/** An MCP server to mount in an application. */
export interface HttpHandlers {
  /** For `node:http`, Express and Connect: passes requests for other paths to `next`. */
  handle: NodeHandler;
  /** For Hono and other frameworks of `Request` and `Response`. */
  fetch(request: Request, parsed?: ParsedRequest): Promise<Response>;
  /**
   * Answers new requests with 503, waits at most `graceMs` milliseconds (default 10,000) for running calls, answers the unfinished
   * ones with an error, and ends all sessions.
   */
  close(options?: { graceMs?: number }): Promise<void>;
}

export function createHttpHandlers(shared: SharedServer, options: HttpOptions): HttpHandlers {
  const { state, maxBodyBytes, close } = createHttpState(shared, options);
  return {
    handle: createNodeHandler((context) => respond(context, state), {
      paths: [...Object.values(state.paths), ...(state.oauth?.metadataPaths ?? [])],
      maxBodyBytes,
    }),
    async fetch(request, parsed = {}) {
      const { promise: sent, resolve } = Promise.withResolvers<void>();
      const context = createRequestContext(request, parsed, { maxBodyBytes, sent });
      return onceRead(await respond(context, state), request.signal, resolve);
    },
    close,
  };
}

function createHttpState(
  { catalog, info, connectionOptions, createViews, observers, onError }: SharedServer,
  {
    groups = new Map(),
    defaults = {},
    paths: givenPaths,
    auth,
    allowedHosts,
    allowedOrigins,
    maxBodyBytes = 4 * 1024 * 1024,
    maxSessions = 1000,
    sessionIdleMs = 10 * 60_000,
    onRefusal,
  }: HttpOptions,
): { state: HttpState; maxBodyBytes: number; close: HttpHandlers['close'] } {
  const paths = { ...defaultPaths, ...givenPaths };
  const authenticate = createAuthentication(auth, maxBodyBytes);
  const isAuthenticated = authenticate !== undefined;
  const metrics = createMetrics();
  observers.add(metrics);
  const viewOf = createViews(groups);
  const endpoint = createMcpEndpoint({
    info,
    options: { ...connectionOptions, calls: createRunningCalls(), isPublic: !isAuthenticated },
    catalog,
    catalogAt({ searchParams }) {
      const parsed = parseSelection(searchParams, groups, catalog.current);
      return viewOf({ ...defaults, ...(parsed.ok && parsed.selection) });
    },
    messagesPath: paths.messages,
    maxBodyBytes,
    maxSessions,
    sessionIdleMs,
    onError,
  });
  const state: HttpState = {
    paths,
    groups,
    maxBodyBytes,
    catalog,
    endpoint,
    metrics,
    checkHost: createHostCheck({ allowedHosts, allowedOrigins }, { isAuthenticated }),
    authenticate,
    oauth: typeof auth === 'object' ? auth : undefined,
    onRefusal,
    onError,
    isClosing: false,
  };
  return {
    state,
    maxBodyBytes,
    async close({ graceMs = 10_000 } = {}) {
      state.isClosing = true;
      await endpoint.close(graceMs);
      observers.delete(metrics);
    },
  };
}

/** Authenticates requests by the option `auth`; undefined without it. */
function createAuthentication(
  auth: HttpOptions['auth'],
  maxBodyBytes: number,
): ((context: RequestContext) => Promise<AuthInfo | Response>) | undefined {
  if (auth === undefined) return undefined;
  if (typeof auth !== 'function') {
    const authenticate = typeof auth === 'string' ? bearerToken(auth) : auth.authenticate;
    return ({ request }) => authenticate(request);
  }
  return async ({ request: { url, method, headers, signal }, text }) => {
    // A function may read the body, for example to check a signature. A body can be read only once.
    const body = method === 'GET' || method === 'HEAD' ? '' : await readBody(text, maxBodyBytes);
    if (body instanceof Response) return body;
    return auth(new Request(url, { method, headers, signal, ...(body !== '' && { body }) }));
  };
}

/** @param options.paths As middleware, the handler answers only these. */
function createNodeHandler(
  answer: (context: RequestContext) => Promise<Response>,
  { paths, maxBodyBytes }: { paths: readonly string[]; maxBodyBytes: number },
): NodeHandler {
  const own = new Set(paths);
  const listener = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const { auth: authInfo, body: parsedBody } = incoming as Parameters<NodeHandler>[0];
      const { promise: sent, resolve } = Promise.withResolvers<void>();
      outgoing.once('close', resolve);
      const { remoteAddress: address } = incoming.socket;
      const context = createRequestContext(request, { authInfo, parsedBody }, { address, maxBodyBytes, sent });
      const response = await answer(context);
      // Another middleware, such as one with a timeout, may have answered by now.
      return outgoing.headersSent ? RESPONSE_ALREADY_SENT : response;
    },
    {
      overrideGlobalObjects: false,
      errorHandler: (error) => httpProblem(400, `Bad Request: ${error instanceof Error ? error.message : error}`),
    },
  );
  return async (incoming, outgoing, next) => {
    if (next !== undefined && !own.has(pathOf(incoming))) return next();
    await listener(incoming, outgoing);
  };
}

/** The path of a request target, which may be an absolute URL (RFC 9112, 3.2.2). */
function pathOf({ url = '' }: IncomingMessage): string {
  if (!url.startsWith('/') && URL.canParse(url)) return new URL(url).pathname;
  return url.split('?', 1)[0] ?? '';
}
