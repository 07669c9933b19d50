import { ACCEPT_ENCODING } from './content-decoder.ts';
import { HttpError } from './http-error.ts';
import type { HttpAnswer, HttpRequest } from './http-message.ts';
import { createScrubber } from './scrubber.ts';

/** A request that has been checked and is ready for the wire. */
export interface PreparedRequest {
  url: URL;
  origin: string;
  path: string;
  method: string;
  headers: Record<string, string>;
  /** Names and values alternate, as undici takes them. */
  wireHeaders: string[];
  body: string | Uint8Array | undefined;
}

const ADDED_HEADERS = [
  ['accept', '*/*'],
  ['accept-encoding', ACCEPT_ENCODING],
  ['user-agent', 'schemakit'],
] as const;

/** CONNECT turns the connection into a tunnel; TRACE makes the server echo our headers. */
const REFUSED_METHODS: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** Checks and prepares a request. Throws an {@link HttpError}: `INVALID_URL`, `PROTOCOL_BLOCKED` or `INVALID_REQUEST`. */
export function prepareRequest({
  url: address,
  method: givenMethod,
  headers = {},
  body,
}: HttpRequest): PreparedRequest {
  const url = parseUrl(address);
  if (url.hash !== '') url.hash = '';
  const method = givenMethod.toUpperCase();
  if (REFUSED_METHODS.has(method))
    throw new HttpError('INVALID_REQUEST', url, { detail: `method ${method} is not allowed` });
  return {
    url,
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers,
    wireHeaders: wireHeaders(headers, url),
    body,
  };
}

/** Parses an absolute URL, or one relative to `base`. */
function parseUrl(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  // The text may contain a secret, so the message does not repeat it.
  if (url === null) throw new HttpError('INVALID_URL', base, { detail: 'the text is not a URL' });
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new HttpError('PROTOCOL_BLOCKED', base, { detail: `\`${url.protocol}\`` });
  }
  if (url.username !== '' || url.password !== '') {
    const hint = 'Send user name and password in an `authorization` header instead.';
    throw new HttpError('INVALID_URL', url, { detail: 'it contains a user name or password', hint });
  }
  return url;
}

function wireHeaders(headers: Record<string, string>, url: URL): string[] {
  const wire: string[] = [];
  const given: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    // Programs without types may leave a header undefined.
    if (value === undefined) continue;
    const lowerName = name.toLowerCase();
    given.push(lowerName);
    if (lowerName === 'host') checkHost(value, url);
    else wire.push(name, value);
  }
  for (const [name, value] of ADDED_HEADERS) if (!given.includes(name)) wire.push(name, value);
  return wire;
}

/** undici would check the certificate against this header's host instead of the URL's. */
function checkHost(value: string, url: URL): void {
  if (value.trim().toLowerCase() === url.host) return;
  throw new HttpError('INVALID_REQUEST', url, { detail: 'the host header names another host than the URL' });
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that always carry credentials. */
const CREDENTIAL_HEADERS: readonly string[] = ['authorization', 'cookie', 'proxy-authorization'];

interface RedirectRules {
  /** The only origin that may receive `secretValues`. */
  firstOrigin: string;
  secretHeaders: readonly string[];
  secretValues: readonly string[];
}

export function isRedirect({ status, headers }: Pick<HttpAnswer, 'status' | 'headers'>): boolean {
  return REDIRECT_STATUSES.has(status) && headers.location !== undefined;
}

/** The request that a redirect asks for (fetch standard, HTTP-redirect fetch). Throws an {@link HttpError} if it must not be followed. */
export function redirectedRequest(
  request: PreparedRequest,
  { status, headers: { location = '' } }: Pick<HttpAnswer, 'status' | 'headers'>,
  { firstOrigin, secretHeaders, secretValues }: RedirectRules,
): PreparedRequest {
  // undici gives a `location` in raw UTF-8 with one character per byte.
  const url = parseUrl(Buffer.from(location, 'latin1').toString('utf8'), request.url);
  if (request.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new HttpError('PROTOCOL_BLOCKED', url, { detail: 'a redirect leads from https to http' });
  }
  const becomesGet = turnsIntoGet(status, request.method);
  const leavesOrigin = url.origin !== request.origin;
  const dropped = (name: string): boolean =>
    name === 'host' ||
    (becomesGet && name.startsWith('content-')) ||
    (leavesOrigin &&
      (CREDENTIAL_HEADERS.includes(name) || secretHeaders.some((secret) => secret.toLowerCase() === name)));

  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !dropped(name.toLowerCase())));
  const method = becomesGet ? 'GET' : request.method;
  const body = becomesGet ? undefined : request.body;
  const next = prepareRequest({ url: url.href, method, headers, ...(body !== undefined && { body }) });
  if (url.origin !== firstOrigin && secretValues.length > 0) refuseSecrets(next, secretValues);
  return next;
}

function turnsIntoGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return (status === 301 || status === 302) && method === 'POST';
}

function refuseSecrets({ url, wireHeaders, body }: PreparedRequest, secretValues: readonly string[]): void {
  const scrub = createScrubber(secretValues);
  const text = typeof body === 'string' ? body : Buffer.from(body ?? []).toString('latin1');
  const sent = [url.href, ...wireHeaders, text];
  // The scrubber ignores short secrets, but a false alarm costs little here.
  const carries = (text: string): boolean =>
    scrub(text) !== text || secretValues.some((secret) => secret !== '' && text.includes(secret));
  if (sent.some(carries)) throw new HttpError('SECRET_BLOCKED', url);
}
