import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  validateHostHeader,
} from '@modelcontextprotocol/server';
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
): (request: Request) => Response | undefined {
  const usualHosts = isAuthenticated ? undefined : localhostAllowedHostnames();
  const hosts = allowedHosts === 'any' ? undefined : (allowedHosts ?? usualHosts);
  const origins = allowedOrigins ?? (isAuthenticated ? undefined : localhostAllowedOrigins());
  return (request) =>
    (hosts && checkHost(request, [...hosts])) ?? (origins && originValidationResponse(request, [...origins]));
}

function checkHost(request: Request, hosts: string[]): Response | undefined {
  // A request that a program has made says it by its address alone.
  const result = validateHostHeader(request.headers.get('host') ?? new URL(request.url).host, hosts);
  return result.ok ? undefined : httpProblem(403, result.message);
}
