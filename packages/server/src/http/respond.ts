import type { AuthInfo } from '@modelcontextprotocol/server';
import { KeysError } from '../auth/bearer-token.ts';
import type { OAuthResource } from '../auth/oauth-resource.ts';
import type { LiveOffer } from '../catalog/live-offer.ts';
import type { Groups } from '../catalog/select-offer.ts';
import type { Paths } from '../options/option-rules.ts';
import type { RefusalRecord } from '../telemetry/call-log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Exchange, readJson } from './exchange.ts';
import { preflight, withCors } from './guard.ts';
import { httpProblem, reasonOf } from './http-problem.ts';
import { type McpEndpoint, methodNotAllowed } from './mcp-endpoint.ts';
import { readSelection } from './read-selection.ts';

/** A server over HTTP: its settings, its parts and its state. */
export interface HttpServing {
  readonly paths: Paths;
  readonly groups: Groups;
  readonly maxBodyBytes: number;
  readonly offer: LiveOffer;
  readonly endpoint: McpEndpoint;
  readonly metrics: Metrics;
  /** Answers requests that may not come in. */
  readonly guard: (exchange: Exchange) => Response | undefined;
  /** Finds out who calls; undefined where everyone may. */
  readonly authenticate: ((exchange: Exchange) => Promise<AuthInfo | Response>) | undefined;
  readonly oauth: OAuthResource | undefined;
  readonly onRefusal: ((refusal: RefusalRecord) => void) | undefined;
  readonly onError: ((error: Error) => void) | undefined;
  /** Whether it takes no more requests. */
  isClosing: boolean;
}

/** The response to a request. Never rejects. */
export async function respond(exchange: Exchange, serving: HttpServing): Promise<Response> {
  try {
    const response = respondToAnyone(exchange, serving) ?? (await respondToAllowed(exchange, serving));
    if (!serving.isClosing) return response;
    // A client that asks again is to reach another server.
    const last = new Response(response.body, response);
    last.headers.set('Connection', 'close');
    return last;
  } catch (error) {
    report(error, serving);
    if (error instanceof KeysError) {
      const reason = 'the keys of their issuer cannot be fetched. Try again later.';
      const problem = httpProblem(503, `Tokens cannot be checked at the moment: ${reason}`, {
        headers: { 'Retry-After': '10' },
      });
      return withCors(exchange.request, problem);
    }
    return httpProblem(500, 'Internal server error', { code: -32603 });
  }
}

/** Health, readiness, and where OAuth clients get a token. */
function respondToAnyone({ request, url }: Exchange, { paths, oauth, isClosing }: HttpServing): Response | undefined {
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

/** Host and origin are checked before the caller, and the caller before anything of the body is read. */
async function respondToAllowed(exchange: Exchange, serving: HttpServing): Promise<Response> {
  const { request } = exchange;
  const refused = serving.guard(exchange);
  if (refused !== undefined) return refuse(refused, exchange, serving);
  const answered = preflight(request);
  if (answered !== undefined) return answered;
  const authInfo = exchange.authInfo ?? (await serving.authenticate?.(exchange));
  const isRefused = authInfo instanceof Response;
  const response = isRefused ? refuse(authInfo, exchange, serving) : await route({ ...exchange, authInfo }, serving);
  return withCors(request, response);
}

async function route(exchange: Exchange, serving: HttpServing): Promise<Response> {
  const { paths, groups, offer, endpoint, maxBodyBytes, isClosing } = serving;
  const { request, url } = exchange;
  const { pathname, searchParams } = url;
  if (pathname === paths.metrics) return metricsPage(serving);
  if (isClosing) return httpProblem(503, 'The server is about to end.');
  if (![paths.mcp, paths.sse, paths.messages].includes(pathname)) {
    return httpProblem(404, `There is nothing here. MCP is at ${paths.mcp}, and for older clients at ${paths.sse}.`);
  }
  const selected = readSelection(searchParams, groups, offer.current);
  if (!selected.ok) return httpProblem(404, selected.message);
  if (pathname === paths.sse) return request.method === 'GET' ? endpoint.sse.open(exchange) : methodNotAllowed('GET');
  if (request.method !== 'POST') {
    return pathname === paths.mcp ? endpoint.streamable(exchange) : methodNotAllowed('POST');
  }
  const body = await readJson(exchange, maxBodyBytes);
  if (body instanceof Response) return refuse(body, exchange, serving);
  const parsed = { ...exchange, parsedBody: body.value };
  return pathname === paths.mcp ? endpoint.streamable(parsed) : endpoint.sse.receive(parsed);
}

function metricsPage({ endpoint, metrics, offer }: HttpServing): Response {
  const { streamable, sse } = endpoint.sessions;
  const text = metrics.text({
    mcp_sessions: { help: 'Sessions of Streamable HTTP that are open.', value: streamable },
    mcp_event_sessions: { help: 'Sessions of the older transport that are open.', value: sse },
    mcp_tools: { help: 'Tools that are offered.', value: offer.current.tools.count },
  });
  return new Response(text, { headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' } });
}

/** How much of the path of a refused request is told: it may be as long as a head may be. */
const longestPath = 200;

/** Counts and reports a response that refuses a request. */
function refuse(response: Response, { request, url, address }: Exchange, serving: HttpServing): Response {
  const { status } = response;
  serving.metrics.recordRefusal(status);
  try {
    serving.onRefusal?.({
      status,
      method: request.method,
      path: url.pathname.slice(0, longestPath),
      reason: reasonOf(response),
      ...(address !== undefined && { address }),
    });
  } catch (error) {
    report(error, serving);
  }
  return response;
}

function report(error: unknown, { onError }: HttpServing): void {
  onError?.(error instanceof Error ? error : new Error(String(error)));
}
