import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { type Authenticate, bearerToken, KeysError } from '../auth/bearer-token.ts';
import type { OAuthResource } from '../auth/oauth-resource.ts';
import type { Groups, ToolSelection } from '../catalog/select-catalog.ts';
import { defaultPaths, type Paths } from '../option-rules.ts';
import { retryAfterResponse } from '../retry-after.ts';
import type { SharedServer } from '../shared-server.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createHostCheck, type HostCheckOptions, preflight, withCors } from './host-check.ts';
import { httpProblem, reasonOf } from './http-problem.ts';
import { createMcpEndpoint, methodNotAllowed } from './mcp-endpoint.ts';
import { parseSelection } from './parse-selection.ts';
import {
  createRequestContext,
  onceRead,
  type ParsedRequest,
  type RequestContext,
  readBody,
  readJson,
} from './request-context.ts';
import {
  aiCatalogPath,
  aiCatalogResponse,
  publicJson,
  type ServerCardOptions,
  serverCardResponse,
} from './server-card.ts';

/** A refused request, for logs. Contains no secrets: the reason is the text that the client got. */
export interface RefusalRecord {
  /** The response's status, such as 401, 403 or 413. */
  status: number;
  method: string;
  /** Without the query, at most 200 characters. */
  path: string;
  reason: string;
  /** The address of the client, or of a proxy before the server, if known. */
  address?: string;
}

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
  /**
   * Whether older MCP revisions have sessions over Streamable HTTP. Without, any of several servers answers any request, and cannot ask the
   * client's user or notify it outside of a request. Default true.
   */
  sessions?: boolean;
  /** Limit of sessions of older MCP revisions, for each transport. Default 1,000. */
  maxSessions?: number;
  /** When an idle session ends, in milliseconds. Default 10 minutes. */
  sessionIdleMs?: number;
  /** Further resources by path, behind the same checks of host and caller. */
  routes?: Readonly<Record<string, Route>>;
  /** Further metrics for `/metrics`, in the text format of Prometheus. */
  metrics?: () => Promise<string>;
  /** JSON documents by path that are for everybody, such as an agent card: without checks of host and caller. */
  documents?: Readonly<Record<string, (request: Request) => unknown>>;
  /** Receives each refused request, for logs. */
  onRefusal?: (refusal: RefusalRecord) => void;
  /** Middleware of Node.js that requests to MCP pass after authentication, such as `paymentGate`. `request.auth` is the caller. */
  gate?: (...args: Required<Parameters<NodeHandler>>) => void;
}

/** Answers requests for a path. `readJson` reads a body within `maxBodyBytes`, or resolves to the response that refuses it. */
export type Route = (
  request: Request,
  caller: AuthInfo | undefined,
  readJson: () => Promise<{ value: unknown } | Response>,
) => Response | Promise<Response>;

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
  /** Answers new requests with 503, waits at most `graceMs` (10,000) for running calls, and ends all sessions. */
  close(options?: { graceMs?: number }): Promise<void>;
}

/** @param options.isWholeHost Whether nothing else answers at this host, so that its AI Catalog is ours. Default false. */
export function createHttpHandlers(
  shared: SharedServer,
  { isWholeHost = false, ...options }: HttpOptions & { isWholeHost?: boolean },
): HttpHandlers {
  const state = { ...createState(shared, options), info: shared.info, isWholeHost, isClosing: false };
  const { paths, oauth, maxBodyBytes, endpoint, metrics } = state;
  const ownPaths = [
    ...Object.values(paths),
    ...Object.keys({ ...state.routes, ...state.documents }),
    cardPath(paths),
    ...(oauth?.metadataPaths ?? []),
  ];
  const handle = createNodeHandler((context) => respond(context, state), { paths: ownPaths, maxBodyBytes });
  return {
    handle,
    async fetch(request, parsed = {}) {
      if (options.gate !== undefined) return httpProblem(501, 'A server with a gate answers requests of Node.js only.');
      const { promise: sent, resolve } = Promise.withResolvers<void>();
      const context = createRequestContext(request, parsed, { maxBodyBytes, sent });
      return onceRead(await respond(context, state), request.signal, resolve);
    },
    async close({ graceMs = 10_000 } = {}) {
      state.isClosing = true;
      await endpoint.close(graceMs);
      shared.observers.delete(metrics);
    },
  };
}

interface HttpState extends ReturnType<typeof createState> {
  info: SharedServer['info'];
  isWholeHost: boolean;
  isClosing: boolean;
}

function createState(
  shared: SharedServer,
  {
    groups = new Map(),
    defaults = {},
    paths: givenPaths,
    auth,
    allowedHosts,
    allowedOrigins,
    maxBodyBytes = 4 * 1024 * 1024,
    sessions: hasSessions = true,
    maxSessions = 1000,
    sessionIdleMs = 10 * 60_000,
    routes = {},
    metrics: moreMetrics,
    documents = {},
    onRefusal,
    gate,
  }: HttpOptions,
) {
  const { catalog, onError } = shared;
  const paths: Paths = { ...defaultPaths, ...givenPaths };
  const authenticate = createAuthentication(auth, maxBodyBytes);
  const isAuthenticated = authenticate !== undefined;
  const metrics = createMetrics();
  shared.observers.add(metrics);
  const viewOf = shared.createViews(groups);
  const endpoint = createMcpEndpoint(shared, {
    isPublic: !isAuthenticated,
    catalogAt({ searchParams }) {
      const parsed = parseSelection(searchParams, groups, catalog.current);
      return viewOf({ ...defaults, ...(parsed.ok && parsed.selection) });
    },
    messagesPath: paths.messages,
    hasSessions,
    maxBodyBytes,
    maxSessions,
    sessionIdleMs,
  });
  const checkHost = createHostCheck({ allowedHosts, allowedOrigins }, { isAuthenticated });
  const oauth = typeof auth === 'object' ? auth : undefined;
  const handlers = { endpoint, metrics, moreMetrics, checkHost, authenticate, oauth, onRefusal, onError };
  const needsToken = typeof auth === 'string';
  return { ...handlers, gate, paths, routes, documents, groups, maxBodyBytes, catalog, needsToken };
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
  return async ({ request: { url, method, headers, signal }, text, node }) => {
    // A function may read the body, for example to check a signature. A body can be read only once.
    const body = method === 'GET' || method === 'HEAD' ? '' : await readBody(text, maxBodyBytes);
    if (body instanceof Response) return body;
    if (node !== undefined) node.incoming.rawBody = Buffer.from(body);
    return auth(new Request(url, { method, headers, signal, ...(body !== '' && { body }) }));
  };
}

async function respond(context: RequestContext, state: HttpState): Promise<Response> {
  try {
    const response = (await respondToAll(context, state)) ?? (await respondToAllowed(context, state));
    if (!state.isClosing) return response;
    // The next request of this client should reach another server.
    const last = new Response(response.body, response);
    last.headers.set('Connection', 'close');
    return last;
  } catch (error) {
    const refused = retryAfterResponse(error);
    if (refused !== undefined) return withCors(context.request, refused);
    report(error, state);
    if (error instanceof KeysError) {
      const reason = 'the keys of their issuer cannot be fetched. Try again later.';
      const problem = httpProblem(503, `Tokens cannot be checked at the moment: ${reason}`, {
        headers: { 'Retry-After': '10' },
      });
      return withCors(context.request, problem);
    }
    return httpProblem(500, 'Internal server error', { code: -32603 });
  }
}

/** Health, readiness, OAuth metadata, the server card and further documents, which need no authentication. */
async function respondToAll({ request, url }: RequestContext, state: HttpState): Promise<Response | undefined> {
  const { paths, oauth, isClosing, isWholeHost, documents } = state;
  const { pathname } = url;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (oauth?.metadataPaths.includes(pathname)) {
    return preflight(request) ?? withCors(request, isRead ? Response.json(oauth.metadata) : methodNotAllowed('GET'));
  }
  if (pathname === cardPath(paths)) return serverCardResponse(request, cardOptions(request, state));
  if (isWholeHost && pathname === aiCatalogPath) return aiCatalogResponse(request, cardOptions(request, state));
  const document = documents[pathname];
  if (document !== undefined) return publicJson(request, await document(request), 'application/json');
  if (pathname !== paths.health && pathname !== paths.ready) return undefined;
  if (!isRead) return methodNotAllowed('GET');
  if (pathname === paths.health) return Response.json({ status: 'ok' });
  return Response.json({ status: isClosing ? 'closing' : 'ready' }, { status: isClosing ? 503 : 200 });
}

function cardPath({ mcp }: Paths): string {
  return `${mcp.replace(/\/$/, '')}/server-card`;
}

/** Clients reach the server at the URL that its OAuth metadata names, or as the request did, maybe through a proxy with TLS. */
function cardOptions(request: Request, { info, paths, oauth, needsToken }: HttpState): ServerCardOptions {
  const mcpUrl = new URL(paths.mcp, URL.parse(String(oauth?.metadata.resource)) ?? request.url);
  if (request.headers.get('x-forwarded-proto') === 'https') mcpUrl.protocol = 'https:';
  return { info, mcpUrl, needsToken };
}

/** Checks host and origin, then authenticates, and only then reads the body. */
async function respondToAllowed(context: RequestContext, state: HttpState): Promise<Response> {
  const { request } = context;
  const refused = state.checkHost(context);
  if (refused !== undefined) return refuse(refused, context, state);
  const answered = preflight(request);
  if (answered !== undefined) return answered;
  const authInfo = context.authInfo ?? (await state.authenticate?.(context));
  if (authInfo instanceof Response) return withCors(request, refuse(authInfo, context, state));
  const allowed = { ...context, authInfo };
  if (!(await passesGate(allowed, state))) return RESPONSE_ALREADY_SENT;
  const { body: parsedBody = context.parsedBody } = context.node?.incoming ?? {};
  return withCors(request, await route({ ...allowed, parsedBody }, state));
}

async function route(context: RequestContext, state: HttpState): Promise<Response> {
  const { paths, routes, groups, catalog, endpoint, isClosing } = state;
  const { request, url } = context;
  const { pathname, searchParams } = url;
  if (pathname === paths.metrics) return metricsPage(state);
  if (isClosing) {
    // A body that was not read would reset the connection before the client sees the answer.
    await context.text().catch(() => undefined);
    return httpProblem(503, 'The server is shutting down.');
  }
  const own = routes[pathname];
  if (own !== undefined) return own(request, context.authInfo, () => readOrRefuse(context, state));
  if (![paths.mcp, paths.sse, paths.messages].includes(pathname)) {
    return httpProblem(404, `Not found. MCP is at ${paths.mcp}, and for older clients at ${paths.sse}.`);
  }
  const selected = parseSelection(searchParams, groups, catalog.current);
  if (!selected.ok) return httpProblem(404, selected.message);
  if (pathname === paths.sse) return request.method === 'GET' ? endpoint.sse.open(context) : methodNotAllowed('GET');
  if (request.method !== 'POST') {
    return pathname === paths.mcp ? endpoint.streamable(context) : methodNotAllowed('POST');
  }
  const body = await readOrRefuse(context, state);
  if (body instanceof Response) return body;
  const parsed = { ...context, parsedBody: body.value };
  return pathname === paths.mcp ? endpoint.streamable(parsed) : endpoint.sse.receive(parsed);
}

async function readOrRefuse(context: RequestContext, state: HttpState): Promise<{ value: unknown } | Response> {
  const body = await readJson(context, state.maxBodyBytes);
  return body instanceof Response ? refuse(body, context, state) : body;
}

async function metricsPage({ endpoint, metrics, moreMetrics, catalog }: HttpState): Promise<Response> {
  const { streamable, sse } = endpoint.sessions;
  const text = metrics.text({
    mcp_sessions: { help: 'Open sessions of Streamable HTTP.', value: streamable },
    mcp_event_sessions: { help: 'Open sessions of HTTP+SSE.', value: sse },
    mcp_tools: { help: 'Tools in the catalog.', value: catalog.current.tools.count },
  });
  const more = (await moreMetrics?.()) ?? '';
  return new Response(text + more, { headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' } });
}

/** Counts and reports a response that refuses a request. */
function refuse(response: Response, { request, url, address }: RequestContext, state: HttpState): Response {
  const { status } = response;
  state.metrics.recordRefusal(status);
  try {
    state.onRefusal?.({
      status,
      method: request.method,
      path: url.pathname.slice(0, 200),
      reason: reasonOf(response),
      ...(address !== undefined && { address }),
    });
  } catch (error) {
    report(error, state);
  }
  return response;
}

function report(error: unknown, { onError }: HttpState): void {
  onError?.(error instanceof Error ? error : new Error(String(error)));
}

/** Whether a request passes the gate, which answers it if not. */
async function passesGate(
  { request, url, authInfo, node }: RequestContext,
  { gate, paths }: HttpState,
): Promise<boolean> {
  if (gate === undefined || node === undefined) return true;
  if (![paths.mcp, paths.sse, paths.messages].includes(url.pathname)) return true;
  const { incoming, outgoing } = node;
  if (authInfo !== undefined) incoming.auth = authInfo;
  // For the answers of the gate.
  outgoing.setHeaders(withCors(request, new Response()).headers);
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  outgoing.once('close', () => resolve(false));
  gate(incoming, outgoing, (error) => (error === undefined ? resolve(true) : reject(error)));
  return promise;
}

/** @param options.paths As middleware, the handler answers only these. */
function createNodeHandler(
  answer: (context: RequestContext) => Promise<Response>,
  { paths, maxBodyBytes }: { paths: readonly string[]; maxBodyBytes: number },
): NodeHandler {
  const own = new Set(paths);
  const listener = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const node = { incoming: incoming as Parameters<NodeHandler>[0], outgoing: outgoing as ServerResponse };
      const { auth: authInfo, body: parsedBody } = node.incoming;
      const { promise: sent, resolve } = Promise.withResolvers<void>();
      outgoing.once('close', resolve);
      const { remoteAddress: address } = incoming.socket;
      const context = createRequestContext(request, { authInfo, parsedBody }, { address, maxBodyBytes, sent, node });
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
