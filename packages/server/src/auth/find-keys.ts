import type { JWTVerifyGetKey } from 'jose';

const timeoutMs = 5000;

/**
 * Finds the keys of an authorization server when they are first needed, and again where that failed: a server must be able to
 * start before the other one has.
 *
 * @param open Opens the keys at an address.
 */
export function findKeys(
  issuer: URL,
  jwksUri: string | undefined,
  open: (url: URL, options: { timeoutDuration: number }) => JWTVerifyGetKey,
): () => Promise<JWTVerifyGetKey> {
  let keys: Promise<JWTVerifyGetKey> | undefined;
  const find = async () => open(new URL(jwksUri ?? (await discover(issuer))), { timeoutDuration: timeoutMs });
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
