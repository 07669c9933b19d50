import type { AuthInfo } from '@modelcontextprotocol/server';
import { type Authenticate, bearerToken } from '../auth/bearer-token.ts';
import type { OAuthResource } from '../auth/oauth-resource.ts';
import type { LiveOffer } from '../catalog/live-offer.ts';
import type { Groups, Selection } from '../catalog/select-offer.ts';
import { requireOptions } from '../options/check-options.ts';
import { defaultPaths, httpRules, type Paths } from '../options/option-rules.ts';
import { createServing, type ServingOptions } from '../serving.ts';
import type { RefusalRecord } from '../telemetry/call-log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createExchange, type Exchange, type GivenRequest, onceRead, readBody } from './exchange.ts';
import { createGuard, type GuardOptions } from './guard.ts';
import { type Listening, type ListenOptions, listen } from './listen.ts';
import { createMcpEndpoint } from './mcp-endpoint.ts';
import { createNodeHandler, type NodeHandler } from './node-handler.ts';
import { readSelection } from './read-selection.ts';
import { type HttpServing, respond } from './respond.ts';

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
export function createHttpServer(options: HttpServerOptions): HttpServer {
  requireOptions('createHttpServer', options, httpRules, ['name', 'version']);
  const serving = createHttpServing(options);
  const { maxBodyBytes, paths, oauth, endpoint, offer } = serving;
  const handle = createNodeHandler((exchange) => respond(exchange, serving), {
    paths: [...Object.values(paths), ...(oauth?.metadataPaths ?? [])],
    maxBodyBytes,
  });
  return {
    offer,
    handle,
    async fetch(request, given = {}) {
      const { promise: sent, resolve } = Promise.withResolvers<void>();
      const exchange = createExchange(request, given, { maxBodyBytes, sent });
      return onceRead(await respond(exchange, serving), request.signal, resolve);
    },
    listen: (listening) => listen(handle, { ...listening, isProtected: serving.authenticate !== undefined }),
    close({ graceMs = 10_000 } = {}) {
      serving.isClosing = true;
      return endpoint.close(graceMs);
    },
  };
}

/** Puts together what the steps of a request need. */
function createHttpServing({
  groups = new Map(),
  defaults = {},
  paths: givenPaths,
  auth,
  allowedHosts,
  allowedOrigins,
  maxBodyBytes = 4 * 1024 * 1024,
  maxSessions = 1000,
  sessionIdleMs = 10 * 60_000,
  onCall,
  onRefusal,
  ...served
}: HttpServerOptions): HttpServing {
  const { onError } = served;
  const paths = { ...defaultPaths, ...givenPaths };
  const authenticate = createAuthentication(auth, maxBodyBytes);
  const isAuthenticated = authenticate !== undefined;
  const metrics = createMetrics();
  const { offer, viewOf, info, options } = createServing(
    {
      ...served,
      onCall(call) {
        metrics.record(call);
        onCall?.(call);
      },
    },
    { groups, isPublic: !isAuthenticated, listener: metrics.upstream },
  );
  const endpoint = createMcpEndpoint({
    info,
    options,
    offer,
    offerAt({ searchParams }) {
      const read = readSelection(searchParams, groups, offer.current);
      return viewOf({ ...defaults, ...(read.ok && read.selection) });
    },
    messagesPath: paths.messages,
    maxBodyBytes,
    maxSessions,
    sessionIdleMs,
    onError,
  });
  return {
    paths,
    groups,
    maxBodyBytes,
    offer,
    endpoint,
    metrics,
    guard: createGuard({ allowedHosts, allowedOrigins }, { isAuthenticated }),
    authenticate,
    oauth: typeof auth === 'object' ? auth : undefined,
    onRefusal,
    onError,
    isClosing: false,
  };
}

/** Who may call a server, by its option `auth`; undefined where everyone may. */
function createAuthentication(
  auth: string | Authenticate | OAuthResource | undefined,
  maxBodyBytes: number,
): ((exchange: Exchange) => Promise<AuthInfo | Response>) | undefined {
  if (auth === undefined) return undefined;
  if (typeof auth !== 'function') {
    const authenticate = typeof auth === 'string' ? bearerToken(auth) : auth.authenticate;
    return ({ request }) => authenticate(request);
  }
  return async ({ request: { url, method, headers, signal }, text }) => {
    // A function may want to look at the body too, as where requests are signed, and the body can be read only once.
    const body = method === 'GET' || method === 'HEAD' ? '' : await readBody(text, maxBodyBytes);
    if (body instanceof Response) return body;
    return auth(new Request(url, { method, headers, signal, ...(body !== '' && { body }) }));
  };
}
