import type { IncomingMessage } from 'node:http';

/** The path that a request asks for, which may be addressed in full (RFC 9112, 3.2.2). */
export function pathOf({ url = '' }: IncomingMessage): string {
  if (!url.startsWith('/') && URL.canParse(url)) return new URL(url).pathname;
  return url.split('?', 1)[0] ?? '';
}

/**
 * Puts where a request is addressed to as a path and a Host header: an address in full counts in place of the header. Returns what
 * is wrong with it otherwise.
 */
export function checkTarget(request: IncomingMessage): string | undefined {
  const { url = '', headers } = request;
  if (!url.startsWith('/')) {
    if (!URL.canParse(url)) return 'Bad Request: the address is neither a path nor a URL.';
    const { host, pathname, search } = new URL(url);
    headers.host = host;
    request.url = `${pathname}${search}`;
  }
  const { host } = headers;
  // RFC 9110, 7.2: a host and a port. A URL takes more in this place.
  if (host === undefined || (!/[\s/?#@\\]/.test(host) && URL.canParse(`http://${host}`))) return undefined;
  return 'Bad Request: the Host header is no host with a port.';
}
