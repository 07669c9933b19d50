import type { AuthInfo } from '@modelcontextprotocol/server';
import { type Authenticate, bearerToken } from '../auth/bearer-token.ts';
import type { OAuthResource } from '../auth/oauth-resource.ts';
import { brokenOff, type Exchange, tooLarge } from './exchange.ts';

/** Who may call a server, by its option `auth`; undefined where everyone may. */
export function createAuthentication(
  auth: string | Authenticate | OAuthResource | undefined,
  maxBodyBytes: number,
): ((exchange: Exchange) => Promise<AuthInfo | Response>) | undefined {
  if (auth === undefined) return undefined;
  if (typeof auth !== 'function') {
    const authenticate = typeof auth === 'string' ? bearerToken(auth) : auth.authenticate;
    return ({ request }) => authenticate(request);
  }
  return async ({ request: { url, method, headers, signal }, text }) => {
    // A function may want to look at the body too, as where requests are signed, and the body can be read only once.
    const body = method === 'GET' || method === 'HEAD' ? '' : await text().catch(brokenOff);
    if (body instanceof Response) return body;
    if (body === undefined) return tooLarge(maxBodyBytes);
    return auth(new Request(url, { method, headers, signal, ...(body !== '' && { body }) }));
  };
}
