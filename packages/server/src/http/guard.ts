import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { Exchange } from './exchange.ts';
import { httpProblem } from './http-problem.ts';

export interface GuardOptions {
  /**
   * Host names that requests may be addressed to, without ports. Default: those of this machine, or any where callers must
   * authenticate. A page of another site that had its name point here (DNS rebinding) is refused by it. `any` is for servers that
   * everyone may call under whatever name.
   */
  allowedHosts?: readonly string[] | 'any' | undefined;
  /** Host names of pages whose scripts may ask. Default as for `allowedHosts`. */
  allowedOrigins?: readonly string[] | undefined;
}

/** Answers requests that may not come in; lets the others pass with undefined. */
export function createGuard(
  { allowedHosts, allowedOrigins }: GuardOptions,
  { isAuthenticated }: { isAuthenticated: boolean },
): (exchange: Pick<Exchange, 'request' | 'url'>) => Response | undefined {
  const usualHosts = isAuthenticated ? undefined : localhostAllowedHostnames();
  const hosts = allowedHosts === 'any' ? undefined : (allowedHosts ?? usualHosts);
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
  const name = shown(result.hostname ?? given);
  const expected = `This server was asked as ${name}, and answers only as ${hosts.join(', ') || 'nobody'}.`;
  return httpProblem(403, `${expected} Whoever runs it can allow more: --allowed-host ${name}, or allowedHosts.`);
}

function checkOrigin(given: string | null, origins: string[]): Response | undefined {
  const result = validateOriginHeader(given, origins);
  if (result.ok) return undefined;
  const allowed = `Only pages of ${origins.join(', ') || 'nobody'} may ask this server`;
  if (result.hostname === undefined) return httpProblem(403, `${allowed}, and '${shown(given ?? '')}' names none.`);
  const name = shown(result.hostname);
  const advice = `Whoever runs it can allow more: --allowed-origin ${name}, or allowedOrigins.`;
  return httpProblem(403, `${allowed}, and this one is of ${name}. ${advice}`);
}

/** Names of hosts are no longer than that (RFC 1035, 2.3.4); what is may be anything. */
function shown(name: string): string {
  return name.length > 255 ? `${name.slice(0, 255)}…` : name;
}

/** Headers that a script of another origin may read or send (MCP specification, Transports; RFC 9728). */
const exposed = 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate';
const accepted =
  'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, traceparent, tracestate, baggage';

/** The answer to a browser that asks whether it may send a request; undefined for other requests. */
export function preflight(request: Request): Response | undefined {
  if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method')) return undefined;
  return withCors(
    request,
    new Response(null, {
      status: 204,
      headers: {
        'Access-Control-Allow-Methods': 'GET, POST, DELETE, OPTIONS',
        'Access-Control-Allow-Headers': accepted,
        'Access-Control-Max-Age': '600',
      },
    }),
  );
}

/** Lets the page that asked read the answer. Pages that may not ask have been refused before. */
export function withCors(request: Request, response: Response): Response {
  const origin = request.headers.get('origin');
  if (origin === null) return response;
  response.headers.set('Access-Control-Allow-Origin', origin);
  response.headers.set('Access-Control-Expose-Headers', exposed);
  response.headers.append('Vary', 'Origin');
  return response;
}
