import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { httpProblem } from '../http/http-problem.ts';
import type { Authenticate } from './authenticate.ts';
import { needsToken, tokenOf } from './needs-token.ts';

const challenge = 'Bearer realm="mcp", error="invalid_token", error_description="The token is not valid"';

/** Lets those call who know a token: `Authorization: Bearer <token>` (RFC 6750). */
export function bearerToken(token: string): (request: { headers: Pick<Headers, 'get'> }) => ReturnType<Authenticate> {
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

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
