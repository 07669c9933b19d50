import { HttpError } from '@schemakit/http';
import { shownUrl } from '../findings/mask-secrets.ts';
import { distinct, field, isPlainObject, type PlainObject, parseJson } from '../findings/plain-object.ts';
import { reasonOf } from '../findings/plain-text.ts';
import type { Clock } from '../network/clock.ts';
import type { HttpTrace } from '../network/exchange.ts';
import type { Network } from '../network/network.ts';

/** The answer to a request for a metadata document. */
export type MetadataAnswer =
  | { document: PlainObject; url: string }
  | {
      document?: undefined;
      isBlocked: boolean;
      isLate: boolean;
      /** The URL exists, but is not metadata. */
      isOther: boolean;
      /** The answer does not tell whether the document exists. */
      isRefused: boolean;
      /** The answer, as the end of a sentence. */
      reason: string;
    };

const BLOCKED: ReadonlySet<string> = new Set(['ADDRESS_BLOCKED', 'PROTOCOL_BLOCKED', 'INVALID_URL']);

/** Gets a JSON object. Some sites answer every URL with a page. A URL that hangs uses half of the remaining time. */
async function getDocument(url: URL, network: Network, clock: Clock): Promise<MetadataAnswer> {
  try {
    const answer = await network.get(url, clock.remaining() / 2);
    const document = answer.status === 200 ? parseJson(answer.text()) : undefined;
    if (isPlainObject(document)) return { document, url: url.href };
    const isOther = answer.status === 200;
    const reason = isOther ? 'answers with no JSON object' : `answers HTTP ${answer.status}`;
    return { isBlocked: false, isLate: false, isOther, isRefused: isRefusal(answer.status), reason };
  } catch (error) {
    const code = error instanceof HttpError ? error.code : undefined;
    const isLate = code === 'ETIMEDOUT' || code === 'ABORTED';
    const reason = isLate ? 'did not answer in time' : `does not answer: ${reasonOf(error)}`;
    return { isBlocked: code !== undefined && BLOCKED.has(code), isLate, isOther: false, isRefused: false, reason };
  }
}

function isRefusal(status: number): boolean {
  return status >= 500 || [401, 403, 429].includes(status);
}

export interface Challenge {
  /** The first response with status 401. */
  refusal: HttpTrace;
  /** URL of the protected-resource metadata (RFC 9728 5.1). */
  resourceMetadata: string | undefined;
  scopes: string[];
}

/** Protected-resource metadata (RFC 9728) and its URL. */
export interface ResourceMetadata {
  document?: PlainObject;
  url: string | null;
  /** A URL that the network policy blocks. */
  blocked?: string;
  /** The URL in the 401 if it has no metadata, with the reason. */
  broken?: string;
  /** A request timed out, so metadata may exist. */
  isLate: boolean;
  /** A request was refused, with the reason, so metadata may exist. */
  refused?: string;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Tries the URL of the 401, then the two well-known URLs. */
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
    // Well-known URLs are only guesses, so their errors do not matter.
    found.isLate ||= answer.isLate;
    if (answer.isRefused) found.refused ??= `${shownUrl(url)} ${answer.reason}`;
    if (href !== pointed?.href) continue;
    if (answer.isBlocked) found.blocked = href;
    else found.broken = `${href} ${answer.reason}`;
  }
  return found;
}

/** Whether the metadata covers the endpoint: its URL or a parent path. */
export function isAbout(resource: unknown, endpoint: URL): boolean {
  const url = typeof resource === 'string' ? URL.parse(resource) : null;
  if (url === null || url.origin !== endpoint.origin) return false;
  const folder = url.pathname.replace(/\/$/, '');
  return endpoint.pathname === folder || endpoint.pathname.startsWith(`${folder}/`);
}

/** Metadata of one authorization server (RFC 8414, OpenID Connect Discovery). */
export interface ServerMetadata {
  issuer: string;
  /** The URL of the last document that was a JSON object, and that document. */
  seen?: { url: string; document: PlainObject };
  /** Undefined without usable metadata. */
  document?: PlainObject;
  /** A different issuer in the document, which makes it unusable. */
  otherIssuer?: string;
  /** A well-known URL without valid metadata, with the reason. */
  broken?: string;
  isBlocked: boolean;
  /** A request timed out, so metadata may exist. */
  isLate: boolean;
}

/** Tries the well-known URLs of an issuer, in the order of the MCP specification. */
export async function serverMetadata(
  issuer: string,
  { network, clock }: { network: Network; clock: Clock },
): Promise<ServerMetadata> {
  const found: ServerMetadata = { issuer, isBlocked: false, isLate: false };
  for (const url of metadataUrls(issuer)) {
    const answer = await getDocument(url, network, clock);
    if (answer.document === undefined) {
      found.isBlocked ||= answer.isBlocked;
      found.isLate ||= answer.isLate;
      if (answer.isOther) found.broken ??= `${url.href} ${answer.reason}`;
      continue;
    }
    found.seen = answer;
    const name = field(answer.document, 'issuer');
    if (name === issuer) return { ...found, document: answer.document, isLate: false };
    found.otherIssuer ??= typeof name === 'string' ? `names the issuer ${name}` : 'has no `issuer` that is a string';
  }
  return found;
}

function metadataUrls(issuer: string): URL[] {
  const base = URL.parse(issuer);
  // Other protocols have no origin.
  if (base === null || !/^https?:$/.test(base.protocol)) return [];
  const path = base.pathname.replace(/\/$/, '');
  const places = [`/.well-known/oauth-authorization-server${path}`, `/.well-known/openid-configuration${path}`];
  if (path !== '') places.push(`${path}/.well-known/openid-configuration`);
  return places.map((place) => new URL(place, base.origin));
}
