import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { httpProblem } from '../http/http-problem.ts';
import type { Authenticate } from './authenticate.ts';

/** Lets those call who know a token: `Authorization: Bearer <token>` (RFC 6750). */
export function bearerToken(token: string): Authenticate {
  const expected = digest(token);
  const caller: AuthInfo = { token: '', clientId: 'token', scopes: [] };
  return async (request) => {
    const [, given] = /^bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    // Digests have one length, so that how long the comparison takes tells nothing.
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return caller;
    const error = given === undefined ? '' : ' error="invalid_token", error_description="The token is not valid"';
    const headers = { 'WWW-Authenticate': `Bearer realm="mcp"${error && `,${error}`}` };
    const message =
      given === undefined ? 'This server needs a token: Authorization: Bearer <token>.' : 'The token is not valid.';
    return httpProblem(401, message, { headers });
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
