import { type AuthInfo, OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { KeysError } from './bearer-token.ts';

/**
 * Resolves to what is known of a caller; rejects with an `OAuthError` where the token is not valid, and with a `KeysError` where
 * that cannot be found out.
 */
export type TokenCheck = (token: string) => Promise<AuthInfo>;

/** How long the authorization server may take to answer. */
const timeoutMs = 5000;

// Signatures that only the holder of a private key can make. With the others, who can check a token can make one.
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Checks access tokens that are JSON Web Tokens (RFC 9068) with the public keys of their issuer. */
export function createTokenCheck({
  issuer,
  resource,
  jwksUri,
}: {
  issuer: string;
  resource: string;
  jwksUri: string | undefined;
}): TokenCheck {
  const keys = findKeys(new URL(issuer), jwksUri);
  const wanted = { issuer, audience: resource, algorithms, requiredClaims: ['exp'] };
  const keyOf: JWTVerifyGetKey = async (...header) => {
    try {
      return await (await keys())(...header);
    } catch (error) {
      throw isOfToken(error) ? error : new KeysError(issuer, error);
    }
  };
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keyOf, wanted);
      // RFC 9449, 6: a token that is bound to a key is of no use to who cannot show that key.
      if (payload.cnf !== undefined) throw invalid('it is bound to a key (cnf), and this server takes bearer tokens');
      return callerOf(payload, new URL(resource));
    } catch (error) {
      throw error instanceof errors.JOSEError ? invalid(error.message) : error;
    }
  };
}

/** Whether a token names a key that there is not, or not one; everything else that goes wrong with keys is not its fault. */
function isOfToken(error: unknown): boolean {
  const { JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported } = errors;
  return [JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported].some((kind) => error instanceof kind);
}

/** What is known of a caller. The token itself is left out: nobody behind here is to have it. */
function callerOf({ sub, client_id, azp, scope, scp, exp = 0 }: JWTPayload, resource: URL): AuthInfo {
  const client = [client_id, azp, sub].find((name) => typeof name === 'string') as string | undefined;
  const granted = typeof scope === 'string' ? scope.split(' ') : scp;
  return {
    token: '',
    clientId: client ?? '',
    scopes: Array.isArray(granted) ? granted.filter((name): name is string => typeof name === 'string') : [],
    expiresAt: exp,
    resource,
    extra: { sub },
  };
}

function invalid(reason: string): OAuthError {
  return new OAuthError(OAuthErrorCode.InvalidToken, `The access token is not valid: ${reason}`);
}

/**
 * Finds the keys of an authorization server when they are first needed, and again where that failed: a server must be able to
 * start before the other one has.
 */
function findKeys(issuer: URL, jwksUri: string | undefined): () => Promise<JWTVerifyGetKey> {
  let keys: Promise<JWTVerifyGetKey> | undefined;
  const find = async () =>
    createRemoteJWKSet(new URL(jwksUri ?? (await discover(issuer))), { timeoutDuration: timeoutMs });
  return () => {
    keys ??= find().catch((error) => {
      keys = undefined;
      throw error;
    });
    return keys;
  };
}

/** Asks the authorization server where its keys are (RFC 8414, section 3.1; OpenID Connect Discovery 1.0, section 4). */
async function discover(issuer: URL): Promise<string> {
  const path = issuer.pathname.replace(/\/$/, '');
  const places = [
    `/.well-known/oauth-authorization-server${path}`,
    `${path}/.well-known/openid-configuration`,
    `/.well-known/openid-configuration${path}`,
  ];
  for (const place of places) {
    const response = await fetch(new URL(place, issuer), { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) continue;
    const { issuer: named, jwks_uri: jwksUri } = (await response.json()) as Record<string, unknown>;
    if (named === issuer.href || named === issuer.href.replace(/\/$/, '')) return String(jwksUri);
  }
  throw new Error(`${issuer} does not say where its keys are`);
}
