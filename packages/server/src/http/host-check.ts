import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { httpProblem } from './http-problem.ts';
import type { RequestContext } from './request-context.ts';

export interface HostCheckOptions {
  /**
   * Host names of the server, without ports: a defense against DNS rebinding. Default: those of this machine, or any with
   * authentication. `any` disables the check.
   */
  allowedHosts?: readonly string[] | 'any' | undefined;
  /** Host names of pages whose scripts may send requests. Default as for `allowedHosts`. */
  allowedOrigins?: readonly string[] | undefined;
}

export function createHostCheck(
  { allowedHosts, allowedOrigins }: HostCheckOptions,
  { isAuthenticated }: { isAuthenticated: boolean },
): (context: Pick<RequestContext, 'request' | 'url'>) => Response | undefined {
  const defaultHosts = isAuthenticated ? undefined : localhostAllowedHostnames();
  const hosts = allowedHosts === 'any' ? undefined : (allowedHosts ?? defaultHosts);
  const origins = allowedOrigins ?? (isAuthenticated ? undefined : localhostAllowedOrigins());
  return ({ request, url }) => {
    const refused =
      hosts && (checkHost(url.host, [...hosts]) ?? checkHost(request.headers.get('host') ?? url.host, [...hosts]));
    return refused ?? (origins && checkOrigin(request.headers.get('origin'), [...origins]));
  };
}

function checkHost(given: string, hosts: string[]): Response | undefined {
  const result = validateHostHeader(given, hosts);
  if (result.ok) return undefined;
  const name = shorten(result.hostname ?? given);
  return notAllowed(`Host ${name} is not allowed`, hosts, `--allowed-host ${name}, or allowedHosts`);
}

function checkOrigin(given: string | null, origins: string[]): Response | undefined {
  const result = validateOriginHeader(given, origins);
  if (result.ok) return undefined;
  const { hostname } = result;
  if (hostname === undefined) return notAllowed(`Origin '${shorten(given ?? '')}' is not valid`, origins);
  const name = shorten(hostname);
  return notAllowed(`Origin ${name} is not allowed`, origins, `--allowed-origin ${name}, or allowedOrigins`);
}

function notAllowed(problem: string, allowed: readonly string[], remedy?: string): Response {
  const advice = remedy === undefined ? '' : ` The operator can add it: ${remedy}.`;
  return httpProblem(403, `${problem}; allowed: ${allowed.join(', ') || 'none'}.${advice}`);
}

/** Host names have at most 255 characters (RFC 1035, 2.3.4); a header may be longer. */
function shorten(name: string): string {
  return name.length > 255 ? `${name.slice(0, 255)}…` : name;
}

/** CORS headers for scripts of other origins (MCP specification, Transports; RFC 9728). */
const exposedHeaders =
  'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After';
const acceptedHeaders =
  'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, traceparent, tracestate, baggage, PAYMENT-SIGNATURE, X-PAYMENT, A2A-Version, A2A-Extensions';

/** The response to a CORS preflight; undefined for other requests. */
export function preflight(request: Request): Response | undefined {
  if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method')) return undefined;
  const headers = {
    'Access-Control-Allow-Methods': 'GET, POST, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': acceptedHeaders,
    'Access-Control-Max-Age': '600',
  };
  return withCors(request, new Response(null, { status: 204, headers }));
}

/** Lets the page that sent a request read the response. Other origins were refused before. */
export function withCors(request: Request, response: Response): Response {
  const origin = request.headers.get('origin');
  if (origin === null) return response;
  response.headers.set('Access-Control-Allow-Origin', origin);
  response.headers.set('Access-Control-Expose-Headers', exposedHeaders);
  response.headers.append('Vary', 'Origin');
  return response;
}
