import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  verifyBearerToken,
} from '@modelcontextprotocol/server';
import { type Authenticate, KeysError, needsToken, tokenOf } from './bearer-token.ts';
import type { TokenCheck } from './token-check.ts';

export interface OAuthResourceOptions {
  /** The authorization server, as it names itself in tokens (`iss`). */
  issuer: string;
  /** The address of this server as clients know it, such as `https://tools.example.com/mcp`. Tokens must be meant for it (`aud`). */
  resource: string;
  /** Scopes that a token must have. Default none. */
  requiredScopes?: readonly string[];
  /** Where the keys of the authorization server are. Default: what its metadata says (RFC 8414, OpenID Connect Discovery). */
  jwksUri?: string;
  /** A name to show to people who are asked whether a client may come here. */
  resourceName?: string;
}

/** What makes a server an OAuth resource server. */
export interface OAuthResource {
  /** Rejects where the keys of the authorization server cannot be fetched; a server answers 503 then. */
  authenticate: Authenticate;
  /** The protected-resource metadata (RFC 9728), and the paths where clients look for it. */
  metadata: Readonly<Record<string, unknown>>;
  metadataPaths: readonly string[];
}

/**
 * Lets those call who bring an access token of an authorization server that is meant for this server (MCP specification,
 * Authorization; RFC 8707, RFC 9068). Tokens are checked here, with the server's public keys, and are passed on to nobody.
 *
 * @throws TypeError where `issuer` or `resource` is no address.
 */
export function oauthResource({
  issuer,
  resource,
  requiredScopes = [],
  jwksUri,
  resourceName,
}: OAuthResourceOptions): OAuthResource {
  const resourceUrl = new URL(resource);
  new URL(issuer);
  const metadataUrl = getOAuthProtectedResourceMetadataUrl(resourceUrl);
  const scopes = [...requiredScopes];
  const whereToGetOne = {
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    resource_metadata: metadataUrl,
  };
  let check: Promise<TokenCheck> | undefined;

  async function verifyAccessToken(token: string): Promise<AuthInfo> {
    // Not before there is a token: most servers have none to check.
    check ??= import('./token-check.ts').then(({ createTokenCheck }) =>
      createTokenCheck({ issuer, resource, jwksUri }),
    );
    return (await check)(token);
  }

  const options = { verifier: { verifyAccessToken }, requiredScopes: scopes, resourceMetadataUrl: metadataUrl };
  return {
    async authenticate(request) {
      if (tokenOf(request) === undefined) return needsToken(whereToGetOne);
      try {
        return await verifyBearerToken(request.headers.get('authorization'), {
          ...options,
          expectedResource: resourceUrl,
        });
      } catch (error) {
        if (error instanceof KeysError) throw error;
        return bearerAuthChallengeResponse(error, options);
      }
    },
    metadata: {
      resource,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      ...(resourceName !== undefined && { resource_name: resourceName }),
    },
    metadataPaths: [...new Set([new URL(metadataUrl).pathname, '/.well-known/oauth-protected-resource'])],
  };
}
