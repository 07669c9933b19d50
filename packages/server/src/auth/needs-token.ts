import { httpProblem } from '../http/http-problem.ts';

/** The token that a request brings (RFC 6750, 2.1); undefined where it brings none, or authenticates in another way. */
export function tokenOf(request: { headers: Pick<Headers, 'get'> }): string | undefined {
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
