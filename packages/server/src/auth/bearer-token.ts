import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { httpProblem } from '../http/http-problem.ts';

/** Authenticates a request. Resolves to the caller, or to the response that refuses it. */
export type Authenticate = (request: Request) => Promise<AuthInfo | Response>;

type WithHeaders = { headers: Pick<Headers, 'get'> };

const challenge = 'Bearer realm="mcp", error="invalid_token", error_description="The token is not valid"';

/** Accepts one token: `Authorization: Bearer <token>` (RFC 6750). */
export function bearerToken(token: string): (request: WithHeaders) => ReturnType<Authenticate> {
  const expected = digest(token);
  const caller: AuthInfo = { token: '', clientId: 'token', scopes: [] };
  return async (request) => {
    const given = tokenOf(request);
    if (given === undefined) return needsToken();
    // Digests have equal lengths, as a comparison in constant time needs.
    if (timingSafeEqual(digest(given), expected)) return caller;
    return httpProblem(401, 'The token is not valid.', { headers: { 'WWW-Authenticate': challenge } });
  };
}

/** The bearer token of a request (RFC 6750, 2.1); undefined without one. */
export function tokenOf(request: WithHeaders): string | undefined {
  return /^bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

/** The response to a request without a token, without an error code (RFC 6750, 3.1). `parameters` follow the realm. */
export function needsToken(parameters: Readonly<Record<string, string>> = {}): Response {
  const challenge = Object.entries({ realm: 'mcp', ...parameters }).map(([name, value]) => `${name}="${value}"`);
  return httpProblem(401, 'This server needs a token: Authorization: Bearer <token>.', {
    headers: { 'WWW-Authenticate': `Bearer ${challenge.join(', ')}` },
  });
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The keys of an authorization server cannot be fetched, so no token can be checked. */
export class KeysError extends Error {
  constructor(issuer: string, cause: unknown) {
    super(`The keys of ${issuer} could not be fetched: ${reasonOf(cause)}`, { cause });
    this.name = 'KeysError';
  }
}

/** The errors of `fetch` have the reason in their cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = Object(error) as { cause?: { message?: string; code?: string }; message?: string };
  return cause?.message || cause?.code || message || String(error);
}
