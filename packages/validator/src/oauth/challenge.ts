import type { HttpTrace } from '../network/exchange.ts';

/** What a 401 says about how to get in. */
export interface Challenge {
  /** The address of the protected-resource metadata (RFC 9728 5.1). */
  resourceMetadata: string | undefined;
  scopes: string[];
}

/** Reads an answer with status 401. */
export function challengeOf(refusal: HttpTrace | undefined): Challenge | undefined {
  if (refusal === undefined) return undefined;
  const header = refusal.headers['www-authenticate'] ?? '';
  const isBearer = /(?:^|,)\s*(?:bearer|dpop)\b/i.test(header);
  return {
    resourceMetadata: isBearer ? parameter(header, 'resource_metadata') : undefined,
    scopes: (isBearer ? parameter(header, 'scope') : undefined)?.split(' ').filter(Boolean) ?? [],
  };
}

function parameter(header: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*(?:"([^"]*)"|([^\\s,"]+))`, 'i').exec(header);
  return match?.[1] ?? match?.[2];
}
