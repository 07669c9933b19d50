import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Authenticate } from '../auth/authenticate.ts';
import { bearerToken } from '../auth/bearer-token.ts';
import type { OAuthResource } from '../auth/oauth-resource.ts';
import { asRequest, type IncomingRequest } from './incoming-request.ts';
import { NodeRequest } from './node-request.ts';
import { brokenOff, tooLarge } from './read-json-body.ts';

/** Who may call a server, by its option `auth`; undefined where everyone may. */
export function createAuthentication(
  auth: string | Authenticate | OAuthResource | undefined,
  maxBodyBytes: number,
): ((request: IncomingRequest) => Promise<AuthInfo | Response>) | undefined {
  if (auth === undefined) return undefined;
  if (typeof auth === 'string') return bearerToken(auth);
  if (typeof auth === 'object') return (request) => auth.authenticate(asRequest(request));
  return async (request) => {
    if (!(request instanceof NodeRequest)) return auth(request);
    // It may want to look at the body too, as where requests are signed.
    let whole: Request | undefined;
    try {
      whole = await request.toRequestWithBody(maxBodyBytes);
    } catch {
      return brokenOff();
    }
    return whole === undefined ? tooLarge(maxBodyBytes) : auth(whole);
  };
}
