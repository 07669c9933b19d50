import { field, type PlainObject } from '../findings/plain-object.ts';
import type { Clock } from '../network/clock.ts';
import type { Network } from '../network/network.ts';
import { getDocument } from './get-document.ts';

/** Metadata of one authorization server (RFC 8414, OpenID Connect Discovery). */
export interface ServerMetadata {
  issuer: string;
  /** Undefined if there is none that may be used. */
  document: PlainObject | undefined;
  /** What a document that was found says of its issuer, where that is another: then it must not be used. */
  otherIssuer: string | undefined;
  /** What stands at a well-known place in place of metadata: the address, and what came of it. */
  broken: string | undefined;
  isBlocked: boolean;
  /** Time ended before all places had answered. */
  isLate: boolean;
}

/** Looks at the well-known places of an issuer, in the order of the MCP specification. */
export async function serverMetadata(
  issuer: string,
  { network, clock }: { network: Network; clock: Clock },
): Promise<ServerMetadata> {
  const found: ServerMetadata = {
    issuer,
    document: undefined,
    otherIssuer: undefined,
    broken: undefined,
    isBlocked: false,
    isLate: false,
  };
  for (const url of placesOf(issuer)) {
    const answer = await getDocument(url, network, clock);
    if (answer.document === undefined) {
      found.isBlocked ||= answer.isBlocked;
      found.isLate ||= answer.isLate;
      if (answer.isOther) found.broken ??= `${url.href} ${answer.reason}`;
      continue;
    }
    const name = field(answer.document, 'issuer');
    if (name === issuer) return { ...found, document: answer.document, isLate: false };
    found.otherIssuer ??= typeof name === 'string' ? `calls itself ${name}` : 'has no `issuer` that is a string';
  }
  return found;
}

function placesOf(issuer: string): URL[] {
  const base = URL.parse(issuer);
  // Other addresses have no origin that a path could stand under.
  if (base === null || !/^https?:$/.test(base.protocol)) return [];
  const path = base.pathname.replace(/\/$/, '');
  const places = [`/.well-known/oauth-authorization-server${path}`, `/.well-known/openid-configuration${path}`];
  if (path !== '') places.push(`${path}/.well-known/openid-configuration`);
  return places.map((place) => new URL(place, base.origin));
}
