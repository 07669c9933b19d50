import type { PlainObject } from '../findings/plain-object.ts';
import type { Clock } from '../network/clock.ts';
import type { Network } from '../network/network.ts';
import type { Challenge } from './challenge.ts';
import { getDocument } from './get-document.ts';

/** Protected-resource metadata (RFC 9728), and where it was. */
export interface ResourceMetadata {
  document: PlainObject | undefined;
  url: string | null;
  /** An address that the network policy refuses. */
  blocked: string | undefined;
  /** What the 401 names in place of metadata: the address, and what came of it. */
  broken: string | undefined;
  /** Time ended before all places had answered. */
  isLate: boolean;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Looks where the 401 points, then at the two well-known places. */
export async function resourceMetadata(
  endpoint: URL,
  challenge: Challenge | undefined,
  { network, clock }: { network: Network; clock: Clock },
): Promise<ResourceMetadata> {
  const path = endpoint.pathname.replace(/\/$/, '');
  const places = [`${WELL_KNOWN}${path}${endpoint.search}`, WELL_KNOWN].map((place) => new URL(place, endpoint.origin));
  const pointed =
    challenge?.resourceMetadata === undefined ? null : URL.parse(challenge.resourceMetadata, endpoint.href);
  const found: ResourceMetadata = {
    document: undefined,
    url: null,
    blocked: undefined,
    broken: undefined,
    isLate: false,
  };
  for (const url of new Map(
    [pointed, ...places].filter((place) => place !== null).map((place) => [place.href, place]),
  ).values()) {
    const answer = await getDocument(url, network, clock);
    if (answer.document !== undefined) return { ...found, document: answer.document, url: answer.url, isLate: false };
    // The well-known places are only guesses: where they lead is of no interest.
    found.isLate ||= answer.isLate;
    if (url.href !== pointed?.href) continue;
    if (answer.isBlocked) found.blocked = url.href;
    else found.broken = `${url.href} ${answer.reason}`;
  }
  return found;
}

/** True if the metadata is about the endpoint: its address, or one that it lies under. */
export function isAbout(resource: unknown, endpoint: URL): boolean {
  const url = typeof resource === 'string' ? URL.parse(resource) : null;
  if (url === null || url.origin !== endpoint.origin) return false;
  const folder = url.pathname.replace(/\/$/, '');
  return endpoint.pathname === folder || endpoint.pathname.startsWith(`${folder}/`);
}
