import type { AuthInfo } from '@modelcontextprotocol/server';
import { KeysError } from '../auth/bearer-token.ts';
import type { OAuthResource } from '../auth/oauth-resource.ts';
import type { Groups } from '../catalog/select-catalog.ts';
import type { ReloadableCatalog } from '../catalog/tool-catalog.ts';
import type { Paths } from '../option-rules.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { preflight, withCors } from './host-check.ts';
import { httpProblem, reasonOf } from './http-problem.ts';
import { type McpEndpoint, methodNotAllowed } from './mcp-endpoint.ts';
import { parseSelection } from './parse-selection.ts';
import { type RequestContext, readJson } from './request-context.ts';

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

/** The parts and the state of a server over HTTP. */
export interface HttpState {
  readonly paths: Paths;
  readonly groups: Groups;
  readonly maxBodyBytes: number;
  readonly catalog: ReloadableCatalog;
  readonly endpoint: McpEndpoint;
  readonly metrics: Metrics;
  readonly checkHost: (context: RequestContext) => Response | undefined;
  /** Undefined without authentication. */
  readonly authenticate: ((context: RequestContext) => Promise<AuthInfo | Response>) | undefined;
  readonly oauth: OAuthResource | undefined;
  readonly onRefusal: ((refusal: RefusalRecord) => void) | undefined;
  readonly onError: ((error: Error) => void) | undefined;
  isClosing: boolean;
}

/** Answers a request. Never rejects. */
export async function respond(context: RequestContext, state: HttpState): Promise<Response> {
  try {
    const response = respondToAll(context, state) ?? (await respondToAllowed(context, state));
    if (!state.isClosing) return response;
    // The next request of this client should reach another server.
    const last = new Response(response.body, response);
    last.headers.set('Connection', 'close');
    return last;
  } catch (error) {
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

/** Health, readiness and OAuth metadata, which need no authentication. */
function respondToAll({ request, url }: RequestContext, { paths, oauth, isClosing }: HttpState): Response | undefined {
  const { pathname } = url;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (oauth?.metadataPaths.includes(pathname)) {
    return preflight(request) ?? withCors(request, isRead ? Response.json(oauth.metadata) : methodNotAllowed('GET'));
  }
  if (pathname !== paths.health && pathname !== paths.ready) return undefined;
  if (!isRead) return methodNotAllowed('GET');
  if (pathname === paths.health) return Response.json({ status: 'ok' });
  return Response.json({ status: isClosing ? 'closing' : 'ready' }, { status: isClosing ? 503 : 200 });
}

/** Checks host and origin, then authenticates, and only then reads the body. */
async function respondToAllowed(context: RequestContext, state: HttpState): Promise<Response> {
  const { request } = context;
  const refused = state.checkHost(context);
  if (refused !== undefined) return refuse(refused, context, state);
  const answered = preflight(request);
  if (answered !== undefined) return answered;
  const authInfo = context.authInfo ?? (await state.authenticate?.(context));
  const isRefused = authInfo instanceof Response;
  const response = isRefused ? refuse(authInfo, context, state) : await route({ ...context, authInfo }, state);
  return withCors(request, response);
}

async function route(context: RequestContext, state: HttpState): Promise<Response> {
  const { paths, groups, catalog, endpoint, maxBodyBytes, isClosing } = state;
  const { request, url } = context;
  const { pathname, searchParams } = url;
  if (pathname === paths.metrics) return metricsPage(state);
  if (isClosing) return httpProblem(503, 'The server is shutting down.');
  if (![paths.mcp, paths.sse, paths.messages].includes(pathname)) {
    return httpProblem(404, `Not found. MCP is at ${paths.mcp}, and for older clients at ${paths.sse}.`);
  }
  const selected = parseSelection(searchParams, groups, catalog.current);
  if (!selected.ok) return httpProblem(404, selected.message);
  if (pathname === paths.sse) return request.method === 'GET' ? endpoint.sse.open(context) : methodNotAllowed('GET');
  if (request.method !== 'POST') {
    return pathname === paths.mcp ? endpoint.streamable(context) : methodNotAllowed('POST');
  }
  const body = await readJson(context, maxBodyBytes);
  if (body instanceof Response) return refuse(body, context, state);
  const parsed = { ...context, parsedBody: body.value };
  return pathname === paths.mcp ? endpoint.streamable(parsed) : endpoint.sse.receive(parsed);
}

function metricsPage({ endpoint, metrics, catalog }: HttpState): Response {
  const { streamable, sse } = endpoint.sessions;
  const text = metrics.text({
    mcp_sessions: { help: 'Open sessions of Streamable HTTP.', value: streamable },
    mcp_event_sessions: { help: 'Open sessions of HTTP+SSE.', value: sse },
    mcp_tools: { help: 'Tools in the catalog.', value: catalog.current.tools.count },
  });
  return new Response(text, { headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' } });
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
