import { ACCEPT_ENCODING } from './content-decoder.ts';
import { HttpError } from './http-error.ts';
import type { HttpRequest } from './http-message.ts';

/** One request, checked and ready for the wire: the first one or what a redirect made of it. */
export interface Hop {
  url: URL;
  origin: string;
  /** With the query. */
  path: string;
  method: string;
  headers: Record<string, string>;
  /** Names and values by turns, as undici takes them. */
  wireHeaders: string[];
  body: string | Uint8Array | undefined;
}

const ADDED_HEADERS = [
  ['accept', '*/*'],
  ['accept-encoding', ACCEPT_ENCODING],
  ['user-agent', 'schemakit'],
] as const;

/** These change what a connection is for, or make the server repeat our own headers. */
const REFUSED_METHODS: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** Checks a request and prepares it. Throws an {@link HttpError}: `INVALID_URL`, `PROTOCOL_BLOCKED` or `INVALID_REQUEST`. */
export function createHop({ url: address, method: wantedMethod, headers = {}, body }: HttpRequest): Hop {
  const url = parseTarget(address);
  if (url.hash !== '') url.hash = '';
  const method = wantedMethod.toUpperCase();
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

/** Reads an absolute URL, or one relative to `base`. */
export function parseTarget(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  // The text may hold a secret, so it is not repeated.
  if (url === null) throw new HttpError('INVALID_URL', base, { detail: 'the text is not a URL' });
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new HttpError('PROTOCOL_BLOCKED', base, { detail: `\`${url.protocol}\`` });
  }
  if (url.username !== '' || url.password !== '') {
    const hint = 'Send user name and password in an `authorization` header instead.';
    throw new HttpError('INVALID_URL', url, { detail: 'it holds a user name or password', hint });
  }
  return url;
}

function wireHeaders(headers: Record<string, string>, url: URL): string[] {
  const wire: string[] = [];
  const given = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    // Programs without types may leave a header undefined.
    if (value === undefined) continue;
    const lowerName = name.toLowerCase();
    given.add(lowerName);
    if (lowerName === 'host') checkHost(value, url);
    else wire.push(name, value);
  }
  for (const [name, value] of ADDED_HEADERS) if (!given.has(name)) wire.push(name, value);
  return wire;
}

/** undici would check the certificate against this header's host instead of the URL's. */
function checkHost(value: string, url: URL): void {
  if (value.trim().toLowerCase() === url.host) return;
  throw new HttpError('INVALID_REQUEST', url, { detail: 'the host header names another host than the URL' });
}
