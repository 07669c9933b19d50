import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';

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
    (hosts && hostHeaderValidationResponse(request, [...hosts])) ??
    (origins && originValidationResponse(request, [...origins]));
}
