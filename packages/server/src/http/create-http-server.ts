import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Authenticate } from '../auth/authenticate.ts';
import { KeysError } from '../auth/keys-error.ts';
import type { OAuthResource } from '../auth/oauth-resource.ts';
import type { CallRecord } from '../observe/call-record.ts';
import { createMetrics } from '../observe/metrics.ts';
import type { RefusalRecord } from '../observe/refusal-record.ts';
import type { LiveOffer } from '../offer/live-offer.ts';
import type { Groups, Selection } from '../offer/select-offer.ts';
import { checkOptions } from '../options/check-options.ts';
import { httpRules } from '../options/http-option-rules.ts';
import { ServerOptionsError } from '../options/options-error.ts';
import { createServing, type ServingOptions } from '../serving.ts';
import { createAuthentication } from './authentication.ts';
import { checkForm, methodNotAllowed } from './check-form.ts';
import { preflight, withCors } from './cors.ts';
import { createGuard, type GuardOptions } from './guard.ts';
import { httpProblem, reasonOf } from './http-problem.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { type Listening, type ListenOptions, listen } from './listen.ts';
import { createMcpTransports } from './mcp-transports.ts';
import { createNodeHandler, type NodeHandler } from './node-handler.ts';
import { NodeRequest } from './node-request.ts';
import { defaultPaths, type Paths } from './paths.ts';
import { readJsonBody } from './read-json-body.ts';
import { readSelection } from './read-selection.ts';

export interface HttpServerOptions extends ServingOptions, GuardOptions {
  /** Groups that a URL may ask for: `/mcp?group=<name>`. */
  groups?: Groups;
  /** What a URL means that does not say otherwise. Default: everything. */
  defaults?: Selection;
  paths?: Partial<Paths>;
  /**
   * Who may call: those who know this token, whom a function lets in, or who bring an OAuth access token. Default: everyone who
   * reaches the server.
   */
  auth?: string | Authenticate | OAuthResource;
  /** How large a request may be, in bytes. Default 4 MiB. */
  maxBodyBytes?: number;
  /** How many sessions of older revisions of MCP there may be at a time. Default 1,000 for each transport. */
  maxSessions?: number;
  /** When an idle session ends, in milliseconds. Default 10 minutes. */
  sessionIdleMs?: number;
  /** Takes each request that was not let in or not read, for logs. */
  onRefusal?: (refusal: RefusalRecord) => void;
}

/** How much of the path of a refused request is told: it may be as long as a head may be. */
const longestPath = 200;

/** What a framework has found out about a request already. */
export interface GivenRequest {
  authInfo?: AuthInfo;
  parsedBody?: unknown;
}

/** An MCP server over HTTP, to be mounted or to listen by itself. */
export interface HttpServer {
  /** For Node: a listener of `node:http`, and middleware for Express and Connect, which passes on what is not for it. */
  handle: NodeHandler;
  /** For Hono and other servers of `Request` and `Response`. */
  fetch(request: Request, given?: GivenRequest): Promise<Response>;
  /** Listens on a port of its own. Refuses addresses that others reach where `auth` lacks, unless `isOpen` says so. */
  listen(options?: ListenOptions): Promise<Listening>;
  /**
   * Takes no more requests, waits for calls that are going on, at most `graceMs` milliseconds (default 10,000), tells those that
   * are not finished, and ends. Meanwhile it still listens, to say so.
   */
  close(options?: { graceMs?: number }): Promise<void>;
  readonly offer: LiveOffer;
}

/**
 * Serves tools and prompts over HTTP: Streamable HTTP in every revision of MCP at one URL, and the older transport with events.
 *
 * @throws {@link ServerOptionsError} with all that is wrong with the options.
 */
export function createHttpServer(given: HttpServerOptions): HttpServer {
  const wrong = checkOptions('createHttpServer', given, { rules: httpRules, needed: ['name', 'version'] });
  if (wrong.length > 0) throw new ServerOptionsError('createHttpServer', wrong);
  const {
    groups = new Map(),
    defaults = {},
    paths,
    auth,
    allowedHosts,
    allowedOrigins,
    maxBodyBytes = 4 * 1024 * 1024,
    maxSessions = 1000,
    sessionIdleMs = 10 * 60_000,
    onCall,
    onRefusal,
    ...served
  } = given;
  const { onError } = served;
  const at = { ...defaultPaths, ...paths };
  const oauth = typeof auth === 'object' ? auth : undefined;
  const authenticate = createAuthentication(auth, maxBodyBytes);
  const guard = createGuard({ allowedHosts, allowedOrigins }, { isAuthenticated: authenticate !== undefined });
  const metrics = createMetrics();
  const record = (call: CallRecord) => {
    metrics.record(call);
    onCall?.(call);
  };
  const { offer, viewOf, info, options } = createServing(
    { ...served, onCall: record },
    { groups, isPublic: authenticate === undefined, listener: metrics.upstream },
  );
  const transports = createMcpTransports({
    info,
    options,
    offer,
    offerAt(url) {
      const read = readSelection(new URL(url).searchParams, groups, offer.current);
      return viewOf({ ...defaults, ...(read.ok && read.selection) });
    },
    messagesPath: at.messages,
    maxBodyBytes,
    maxSessions,
    sessionIdleMs,
    onError,
  });
  let isClosing = false;
  const report = (error: unknown) => onError?.(error instanceof Error ? error : new Error(String(error)));

  /** Tells of an answer that refuses a request. */
  function refuse(request: IncomingRequest, { pathname }: URL, response: Response): Response {
    const { status } = response;
    metrics.recordRefusal(status);
    const address = request instanceof NodeRequest ? request.address : undefined;
    try {
      onRefusal?.({
        status,
        method: request.method,
        path: pathname.slice(0, longestPath),
        reason: reasonOf(response),
        ...(address !== undefined && { address }),
      });
    } catch (error) {
      report(error);
    }
    return response;
  }

  async function route(request: IncomingRequest, url: URL, given: GivenRequest): Promise<Response> {
    const { pathname } = url;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead && [at.health, at.ready].includes(pathname)) return methodNotAllowed('GET');
    if (pathname === at.health) return Response.json({ status: 'ok' });
    if (pathname === at.ready) {
      return Response.json({ status: isClosing ? 'closing' : 'ready' }, { status: isClosing ? 503 : 200 });
    }
    if (oauth?.metadataPaths.includes(pathname)) {
      return preflight(request) ?? withCors(request, isRead ? Response.json(oauth.metadata) : methodNotAllowed('GET'));
    }
    const refused = guard(request);
    if (refused !== undefined) return refuse(request, url, refused);
    return preflight(request) ?? withCors(request, await routeGuarded(request, url, given));
  }

  async function routeGuarded(
    request: IncomingRequest,
    url: URL,
    { authInfo: known, parsedBody }: GivenRequest,
  ): Promise<Response> {
    const { pathname, searchParams } = url;
    const caller = known ?? (await authenticate?.(request));
    if (caller instanceof Response) return refuse(request, url, caller);
    if (pathname === at.metrics) return metricsText();
    if (isClosing) return httpProblem(503, 'The server is about to end.');
    if (![at.mcp, at.sse, at.messages].includes(pathname)) return notFound(at);
    const selected = readSelection(searchParams, groups, offer.current);
    if (!selected.ok) return httpProblem(404, selected.message);
    if (pathname === at.sse) {
      return request.method === 'GET' ? transports.openEvents(request, caller) : methodNotAllowed('GET');
    }
    if (pathname === at.messages && request.method !== 'POST') return methodNotAllowed('POST');
    const isRead = parsedBody !== undefined || request.method !== 'POST';
    const body = isRead ? ({ ok: true, value: parsedBody } as const) : await readJsonBody(request, maxBodyBytes);
    if (!body.ok) return refuse(request, url, body.response);
    const incoming = { request, parsedBody: body.value, authInfo: caller };
    if (pathname === at.messages) return transports.receive(incoming, searchParams.get('sessionId'));
    return checkForm(incoming) ?? transports.streamable(incoming);
  }

  function metricsText(): Response {
    const { streamable, events } = transports.sessions;
    const text = metrics.text({
      mcp_sessions: { help: 'Sessions of Streamable HTTP that are open.', value: streamable },
      mcp_event_sessions: { help: 'Sessions of the older transport that are open.', value: events },
      mcp_tools: { help: 'Tools that are offered.', value: offer.current.tools.count },
    });
    return new Response(text, { headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' } });
  }

  async function answer(request: IncomingRequest, given: GivenRequest): Promise<Response> {
    try {
      const response = await route(request, new URL(request.url), given);
      return isClosing ? lastAnswer(response) : response;
    } catch (error) {
      report(error);
      if (error instanceof KeysError) return withCors(request, cannotCheck());
      return httpProblem(500, 'Internal server error', { code: -32603 });
    }
  }

  const server: HttpServer = {
    offer,
    fetch: (request, given = {}) => answer(request, given),
    handle: createNodeHandler(answer, {
      paths: [...Object.values(at), ...(oauth?.metadataPaths ?? [])],
    }),
    listen: (options) => listen(server.handle, { ...options, isProtected: authenticate !== undefined }),
    close({ graceMs = 10_000 } = {}) {
      isClosing = true;
      return transports.close(graceMs);
    },
  };
  return server;
}

function cannotCheck(): Response {
  const message =
    'Tokens cannot be checked at the moment: the keys of their issuer cannot be fetched. Try again later.';
  return httpProblem(503, message, { headers: { 'Retry-After': '10' } });
}

/** A client that asks again asks another server. */
function lastAnswer(response: Response): Response {
  const last = new Response(response.body, response);
  last.headers.set('Connection', 'close');
  return last;
}

function notFound({ mcp, sse }: Paths): Response {
  return httpProblem(404, `There is nothing here. MCP is at ${mcp}, and for older clients at ${sse}.`);
}
