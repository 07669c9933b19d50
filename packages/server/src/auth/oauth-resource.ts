import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  verifyBearerToken,
} from '@modelcontextprotocol/server';
import { type Authenticate, KeysError, needsToken, tokenOf } from './bearer-token.ts';
import type { TokenCheck } from './token-check.ts';

export interface OAuthResourceOptions {
  /** The authorization server, as in the claim `iss` of its tokens. */
  issuer: string;
  /** The public URL of this server, such as `https://tools.example.com/mcp`. Tokens must have it as `aud`. */
  resource: string;
  /** Scopes that a token must have. Default: none. */
  requiredScopes?: readonly string[];
  /** The URL of the authorization server's keys. Default: from its metadata (RFC 8414, OpenID Connect Discovery). */
  jwksUri?: string;
  /** A name for consent screens. */
  resourceName?: string;
}

/** Makes a server an OAuth resource server, as its option `auth`. */
export interface OAuthResource {
  /** Rejects if the keys of the authorization server cannot be fetched; the server then answers 503. */
  authenticate: Authenticate;
  /** Protected resource metadata (RFC 9728), and the paths where clients look for it. */
  metadata: Readonly<Record<string, unknown>>;
  metadataPaths: readonly string[];
}

/**
 * Accepts access tokens that an authorization server issued for this server (MCP specification, Authorization; RFC 8707, RFC 9068).
 * Tokens are verified with the public keys of that server and never forwarded.
 *
 * @throws TypeError if `issuer` or `resource` is not a URL.
 * @example
 * import { loadSchemas } from '@schemakit/core';
 * import { createServer, oauthResource } from '@schemakit/server';
 *
 * const { schemas } = await loadSchemas({ paths: ['tides.mjs'] });
 * const auth = oauthResource({ issuer: 'https://login.example.com', resource: 'https://tools.example.com/mcp' });
 * const { url, close } = await createServer(schemas).http({ auth });
 * console.log((await fetch(`${url}/mcp`)).status); // 401
 * await close();
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
  const challenge = {
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    resource_metadata: metadataUrl,
  };
  let check: Promise<TokenCheck> | undefined;

  async function verifyAccessToken(token: string): Promise<AuthInfo> {
    // Loads the JWT library only when a token arrives.
    check ??= import('./token-check.ts').then(({ createTokenCheck }) =>
      createTokenCheck({ issuer, resource, jwksUri }),
    );
    return (await check)(token);
  }

  const options = { verifier: { verifyAccessToken }, requiredScopes: scopes, resourceMetadataUrl: metadataUrl };
  return {
    async authenticate(request) {
      if (tokenOf(request) === undefined) return needsToken(challenge);
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
