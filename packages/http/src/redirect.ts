import { createHop, type Hop, parseTarget } from './hop.ts';
import { HttpError } from './http-error.ts';
import type { Reply } from './received-answer.ts';
import { createScrubber } from './scrubber.ts';

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that carry secrets by their definition. */
const ALWAYS_SECRET: readonly string[] = ['authorization', 'cookie', 'proxy-authorization'];

export interface RedirectRules {
  /** The only origin that may get `secretValues`. */
  firstOrigin: string;
  secretHeaders: readonly string[];
  secretValues: readonly string[];
}

/** True for an answer that sends the client elsewhere. */
export function isRedirect({ status, headers }: Reply): boolean {
  return REDIRECT_STATUSES.has(status) && headers.location !== undefined;
}

/** The request that a redirect asks for, by the rules of the fetch standard (HTTP-redirect fetch). Throws an {@link HttpError} where it must not be followed. */
export function redirectedHop(
  hop: Hop,
  reply: Reply,
  { firstOrigin, secretHeaders, secretValues }: RedirectRules,
): Hop {
  const url = parseTarget(readLocation(reply), hop.url);
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new HttpError('PROTOCOL_BLOCKED', url, { detail: 'a redirect leads from https to http' });
  }
  const becomesGet = turnsIntoGet(reply.status, hop.method);
  const leavesOrigin = url.origin !== hop.origin;
  const dropped = (name: string): boolean =>
    name === 'host' ||
    (becomesGet && name.startsWith('content-')) ||
    (leavesOrigin && (ALWAYS_SECRET.includes(name) || secretHeaders.some((secret) => secret.toLowerCase() === name)));

  const headers = Object.fromEntries(Object.entries(hop.headers).filter(([name]) => !dropped(name.toLowerCase())));
  const method = becomesGet ? 'GET' : hop.method;
  const body = becomesGet ? undefined : hop.body;
  const next = createHop({ url: url.href, method, headers, ...(body !== undefined && { body }) });
  if (url.origin !== firstOrigin && secretValues.length > 0) refuseSecrets(next, secretValues);
  return next;
}

/** A `location` in raw UTF-8 arrives with each byte as one character. */
function readLocation({ headers }: Reply): string {
  return Buffer.from(headers.location ?? '', 'latin1').toString('utf8');
}

function turnsIntoGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return (status === 301 || status === 302) && method === 'POST';
}

function refuseSecrets(hop: Hop, secretValues: readonly string[]): void {
  const scrub = createScrubber(secretValues);
  const body = typeof hop.body === 'string' ? hop.body : Buffer.from(hop.body ?? []).toString('latin1');
  const sent = [hop.url.href, ...hop.wireHeaders, body];
  // Short secrets are left alone by the scrubber, but here a false alarm costs little.
  const carries = (text: string): boolean =>
    scrub(text) !== text || secretValues.some((secret) => secret !== '' && text.includes(secret));
  if (sent.some(carries)) throw new HttpError('SECRET_BLOCKED', hop.url);
}
