import { type AuthInfo, OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { KeysError } from './bearer-token.ts';

/** Rejects with an `OAuthError` for an invalid token, and with a `KeysError` if it cannot be checked. */
export type TokenCheck = (token: string) => Promise<AuthInfo>;

/** For requests to the authorization server. */
const timeoutMs = 5000;

// Asymmetric signatures only. With symmetric ones, whoever can verify a token can forge one.
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** Verifies JWT access tokens (RFC 9068) with the public keys of their issuer. */
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
  const requirements = { issuer, audience: resource, algorithms, requiredClaims: ['exp'] };
  const keyOf: JWTVerifyGetKey = async (...header) => {
    try {
      return await (await keys())(...header);
    } catch (error) {
      throw isTokenError(error) ? error : new KeysError(issuer, error);
    }
  };
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keyOf, requirements);
      // RFC 9449, 6: a token bound to a key must be presented with a proof of that key.
      if (payload.cnf !== undefined) throw invalid('it is bound to a key (cnf), and this server takes bearer tokens');
      return callerOf(payload, new URL(resource));
    } catch (error) {
      throw error instanceof errors.JOSEError ? invalid(error.message) : error;
    }
  };
}

/** Whether the token is at fault: it names an unknown or ambiguous key. */
function isTokenError(error: unknown): boolean {
  const { JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported } = errors;
  return [JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported].some((kind) => error instanceof kind);
}

/** The caller, without the token: it must never be forwarded. */
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

/** Finds the keys on first use, and again after a failure: this server may start before the authorization server. */
function findKeys(issuer: URL, jwksUri: string | undefined): () => Promise<JWTVerifyGetKey> {
  let keys: Promise<JWTVerifyGetKey> | undefined;
  const find = async () =>
    createRemoteJWKSet(new URL(jwksUri ?? (await discover(issuer))), {
      timeoutDuration: timeoutMs,
      [customFetch]: async (url, options) => withLimit(await fetch(url, options)),
    });
  return () => {
    keys ??= find().catch((error) => {
      keys = undefined;
      throw error;
    });
    return keys;
  };
}

/** Metadata and keys are a few kilobytes. */
const maxBytes = 1024 * 1024;

/** The response, whose body fails when it is too long. */
function withLimit(response: Response): Response {
  let length = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      length += chunk.byteLength;
      if (length > maxBytes) controller.error(new Error(`The answer of ${response.url} is larger than 1 MiB.`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(limit) ?? null, response);
}

/** Finds the URL of the keys in the metadata (RFC 8414, section 3.1; OpenID Connect Discovery 1.0, section 4). */
async function discover(issuer: URL): Promise<string> {
  const path = issuer.pathname.replace(/\/$/, '');
  const paths = [
    `/.well-known/oauth-authorization-server${path}`,
    `${path}/.well-known/openid-configuration`,
    `/.well-known/openid-configuration${path}`,
  ];
  for (const candidate of paths) {
    const url = new URL(candidate, issuer);
    const response = withLimit(await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }));
    if (!response.ok) continue;
    const { issuer: named, jwks_uri: jwksUri } = (await response.json()) as Record<string, unknown>;
    if (named === issuer.href || named === issuer.href.replace(/\/$/, '')) return String(jwksUri);
  }
  throw new Error(`${issuer} has no metadata with its keys`);
}
