import { HttpError } from '@schemakit/http';
import { distinct, field, isPlainObject, type PlainObject, parseJson } from '../findings/plain-object.ts';
import type { Clock } from '../network/clock.ts';
import type { Network } from '../network/network.ts';

/** What came of asking for a metadata document. */
export type MetadataAnswer =
  | { document: PlainObject; url: string }
  | {
      document?: undefined;
      isBlocked: boolean;
      isLate: boolean;
      /** Something is there, but no metadata. */
      isOther: boolean;
      /** What came instead, as the end of a sentence. */
      reason: string;
    };

const BLOCKED: ReadonlySet<string> = new Set(['ADDRESS_BLOCKED', 'PROTOCOL_BLOCKED', 'INVALID_URL']);

/** Gets a JSON object. Sites that answer every address with a page have none. An address that hangs uses half of the time that is left. */
async function getDocument(url: URL, network: Network, clock: Clock): Promise<MetadataAnswer> {
  try {
    const answer = await network.get(url, clock.remaining() / 2);
    const document = answer.status === 200 ? parseJson(answer.text()) : undefined;
    if (isPlainObject(document)) return { document, url: url.href };
    const isOther = answer.status === 200;
    const reason = isOther ? 'answers with no JSON object' : `answers HTTP ${answer.status}`;
    return { isBlocked: false, isLate: false, isOther, reason };
  } catch (error) {
    const code = error instanceof HttpError ? error.code : undefined;
    const isLate = code === 'ETIMEDOUT' || code === 'ABORTED';
    const reason = isLate
      ? 'did not answer in time'
      : `gives no answer: ${error instanceof Error ? error.message : 'no reason given'}`;
    return { isBlocked: code !== undefined && BLOCKED.has(code), isLate, isOther: false, reason };
  }
}

/** Without TLS anybody on the way could send users to a server of his own; on one's own machine there is nobody on the way. */
export function isSafeOAuthUrl(text: unknown): boolean {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  if (url === null) return false;
  return (
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname))
  );
}

/** What a 401 says about how to get in. */
export interface Challenge {
  /** The address of the protected-resource metadata (RFC 9728 5.1). */
  resourceMetadata: string | undefined;
  scopes: string[];
}

/** Protected-resource metadata (RFC 9728), and where it was. */
export interface ResourceMetadata {
  document?: PlainObject;
  url: string | null;
  /** An address that the network policy refuses. */
  blocked?: string;
  /** What the 401 names in place of metadata: the address, and what came of it. */
  broken?: string;
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
  const found: ResourceMetadata = { url: null, isLate: false };
  for (const href of distinct([pointed, ...places].flatMap((place) => place?.href ?? []))) {
    const url = new URL(href);
    const answer = await getDocument(url, network, clock);
    if (answer.document !== undefined) return { ...found, document: answer.document, url: answer.url, isLate: false };
    // The well-known places are only guesses: where they lead is of no interest.
    found.isLate ||= answer.isLate;
    if (href !== pointed?.href) continue;
    if (answer.isBlocked) found.blocked = href;
    else found.broken = `${href} ${answer.reason}`;
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

/** Metadata of one authorization server (RFC 8414, OpenID Connect Discovery). */
export interface ServerMetadata {
  issuer: string;
  /** Undefined if there is none that may be used. */
  document?: PlainObject;
  /** What a document that was found says of its issuer, where that is another: then it must not be used. */
  otherIssuer?: string;
  /** What stands at a well-known place in place of metadata: the address, and what came of it. */
  broken?: string;
  isBlocked: boolean;
  /** Time ended before all places had answered. */
  isLate: boolean;
}

/** Looks at the well-known places of an issuer, in the order of the MCP specification. */
export async function serverMetadata(
  issuer: string,
  { network, clock }: { network: Network; clock: Clock },
): Promise<ServerMetadata> {
  const found: ServerMetadata = { issuer, isBlocked: false, isLate: false };
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
