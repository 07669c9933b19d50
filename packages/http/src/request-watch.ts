import type { HttpError } from './http-error.ts';
import type { PreparedRequest } from './prepare-request.ts';
import { createScrubber, MIN_SECRET_LENGTH } from './scrubber.ts';

/** A request that is about to be sent. Secrets are masked in its texts. */
export interface WatchedRequest {
  method: string;
  url: string;
  host: string;
  port: number;
  /** How many times it has been sent before. */
  resends: number;
}

export interface RequestFollower {
  /** Added where the request does not have them. Lower-case names. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Called once, with the status of the answer or the error. */
  end(result: { status: number } | { error: HttpError }): void;
}

/** Follows requests on the wire for traces: each redirect and each retry is a request. Return undefined to skip one. */
export type RequestWatch = (read: () => WatchedRequest) => RequestFollower | undefined;

const mask = '[REDACTED]';

/** Query parameters that sign a URL (OpenTelemetry semantic conventions, `url.full`). */
const alwaysSecret: ReadonlySet<string> = new Set([
  'awsaccesskeyid',
  'signature',
  'sig',
  'x-goog-signature',
  'x-amz-signature',
]);

export function watchRequest(
  { url, method }: PreparedRequest,
  watch: RequestWatch,
  { secretValues, resends }: { secretValues: readonly string[]; resends: number },
): RequestFollower | undefined {
  return watch(() => ({
    method,
    url: shownUrl(url, secretValues),
    host: shownHost(url.hostname, secretValues),
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    resends,
  }));
}

/** The request with the headers of a follower. Headers of the request itself take precedence. */
export function withAddedHeaders(
  request: PreparedRequest,
  added: NonNullable<RequestFollower['headers']>,
): PreparedRequest {
  const { wireHeaders } = request;
  const present = new Set(wireHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
  const missing = Object.entries(added).filter(([name]) => !present.has(name));
  return { ...request, wireHeaders: [...wireHeaders, ...missing.flat()] };
}

/** An origin for logs: labels of its host that contain a secret, such as the name of a customer, are masked. */
export function shownOrigin({ protocol, host }: Pick<URL, 'protocol' | 'host'>, secrets: readonly string[]): string {
  return `${protocol}//${shownHost(host, secrets)}`;
}

function shownHost(host: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return host;
  // The URL parser has lower-cased the host.
  const lower = secrets.map((secret) => secret.toLowerCase()).filter((secret) => secret !== '');
  return host
    .split('.')
    .map((label) =>
      lower.some((secret) => label === secret || (isLong(secret) && label.includes(secret))) ? mask : label,
    )
    .join('.');
}

/** A URL for traces: path segments and query values that contain a secret, even a short one, are masked as a whole. */
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
