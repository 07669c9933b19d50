import type { HttpError } from './http-error.ts';
import { createScrubber, MIN_SECRET_LENGTH } from './scrubber.ts';

/** A request that is about to be sent. Its texts hold no secrets. */
export interface WatchedRequest {
  method: string;
  /** Complete, with secrets masked. */
  url: string;
  host: string;
  port: number;
  /** How often it was sent before. */
  resends: number;
}

/** Follows one request. */
export interface RequestFollower {
  /** Sent along, where the request has no headers of these names. Lower-case names. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Called once, with the status of its answer or with what went wrong. */
  end(result: { status: number } | { error: HttpError }): void;
}

/** Follows requests on the wire for traces: each redirect and each retry is a request. Undefined follows nothing. */
export type RequestWatch = (read: () => WatchedRequest) => RequestFollower | undefined;

const mask = '[REDACTED]';

/** Parameters that hold signatures and keys of URLs that are valid by themselves (OpenTelemetry semantic conventions, `url.full`). */
const alwaysSecret: ReadonlySet<string> = new Set([
  'awsaccesskeyid',
  'signature',
  'sig',
  'x-goog-signature',
  'x-amz-signature',
]);

/** A request as its watch sees it. */
export function watchedRequest(
  { url, method }: { url: URL; method: string },
  secrets: readonly string[],
  resends: number,
): WatchedRequest {
  return {
    method,
    url: shownUrl(url, secrets),
    host: shownHost(url.hostname, secrets),
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    resends,
  };
}

/** Headers as names and values by turns, with those of a follower. A header of the request itself wins. */
export function addHeaders(wireHeaders: readonly string[], added: Readonly<Record<string, string>>): string[] {
  const present = new Set(wireHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
  return [...wireHeaders, ...Object.entries(added).flatMap((header) => (present.has(header[0]) ? [] : header))];
}

/** An origin for people: parts of its host that hold a secret, such as the name of a customer, are masked. */
export function shownOrigin({ protocol, host }: Pick<URL, 'protocol' | 'host'>, secrets: readonly string[]): string {
  return `${protocol}//${shownHost(host, secrets)}`;
}

function shownHost(host: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return host;
  // Hosts have lost the case of their letters.
  const lower = secrets.map((secret) => secret.toLowerCase()).filter((secret) => secret !== '');
  return host
    .split('.')
    .map((label) =>
      lower.some((secret) => label === secret || (isLong(secret) && label.includes(secret))) ? mask : label,
    )
    .join('.');
}

/**
 * A URL for traces: segments of its path and values of its query that hold a secret are masked as a whole. Short secrets too,
 * which the scrubber leaves alone: here, masking too much costs nothing.
 */
export function shownUrl(url: URL, secrets: readonly string[]): string {
  const scrub = createScrubber(secrets);
  const short = secrets.filter((secret) => secret !== '' && !isLong(secret));
  const isSecret = (text: string): boolean => {
    const plain = decoded(text);
    return scrub(text) !== text || scrub(plain) !== plain || short.some((secret) => plain.includes(secret));
  };
  const path = url.pathname
    .split('/')
    .map((segment) => (isSecret(segment) ? mask : segment))
    .join('/');
  const query = url.search
    .slice(1)
    .split('&')
    .map((pair) => shownPair(pair, isSecret))
    .join('&');
  return `${shownOrigin(url, secrets)}${path}${query && `?${query}`}`;
}

function shownPair(pair: string, isSecret: (text: string) => boolean): string {
  const [name = '', ...value] = pair.split('=');
  if (isSecret(name)) return mask;
  const isHidden = alwaysSecret.has(decoded(name).toLowerCase()) || isSecret(value.join('='));
  return isHidden ? `${name}=${mask}` : pair;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function isLong(secret: string): boolean {
  return secret.trim().length >= MIN_SECRET_LENGTH;
}
