import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { httpProblem } from '../http/http-problem.ts';

/** Resolves to the caller, or to the answer to a request that may not call. */
export type Authenticate = (request: Request) => Promise<AuthInfo | Response>;

/** The part of a request that tells who sent it. */
type WithHeaders = { headers: Pick<Headers, 'get'> };

const challenge = 'Bearer realm="mcp", error="invalid_token", error_description="The token is not valid"';

/** Lets those call who know a token: `Authorization: Bearer <token>` (RFC 6750). */
export function bearerToken(token: string): (request: WithHeaders) => ReturnType<Authenticate> {
  const expected = digest(token);
  const caller: AuthInfo = { token: '', clientId: 'token', scopes: [] };
  return async (request) => {
    const given = tokenOf(request);
    if (given === undefined) return needsToken();
    // Digests have one length, so that how long the comparison takes tells nothing.
    if (timingSafeEqual(digest(given), expected)) return caller;
    return httpProblem(401, 'The token is not valid.', { headers: { 'WWW-Authenticate': challenge } });
  };
}

/** The token that a request brings (RFC 6750, 2.1); undefined where it brings none, or authenticates in another way. */
export function tokenOf(request: WithHeaders): string | undefined {
  return /^bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

/**
 * The answer to a request without a token. It names no error, since there is nothing wrong yet (RFC 6750, 3.1).
 *
 * @param parameters Of the challenge, beside the realm.
 */
export function needsToken(parameters: Readonly<Record<string, string>> = {}): Response {
  const challenge = Object.entries({ realm: 'mcp', ...parameters }).map(([name, value]) => `${name}="${value}"`);
  return httpProblem(401, 'This server needs a token: Authorization: Bearer <token>.', {
    headers: { 'WWW-Authenticate': `Bearer ${challenge.join(', ')}` },
  });
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The keys of an authorization server cannot be fetched: nobody's token can be checked until they can. */
export class KeysError extends Error {
  constructor(issuer: string, cause: unknown) {
    super(`The keys of ${issuer} could not be fetched: ${reasonOf(cause)}`, { cause });
    this.name = 'KeysError';
  }
}

/** `fetch` says why it failed by the cause of its error. */
function reasonOf(error: unknown): string {
  const { cause, message } = Object(error) as { cause?: { message?: string; code?: string }; message?: string };
  return cause?.message || cause?.code || message || String(error);
}
