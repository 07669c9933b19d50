import { HttpError, type HttpErrorCode, isPublicAddress } from '@schemakit/http';
import type { Code } from '../findings/codes.ts';
import { httpEvidence } from '../findings/evidence.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { distinct } from '../findings/plain-object.ts';
import type { Exchange, HttpTrace } from '../network/exchange.ts';
import type { Attempt, Reach } from './connect.ts';

interface Failure {
  attempts: readonly Attempt[];
  reach: Reach | undefined;
  /** The handshake timed out. */
  isLate: boolean;
  /** The caller aborted the run. */
  isAborted: boolean;
  /** Allowed targets of redirects. */
  privateOrigins: readonly string[];
}

const BLOCKED: ReadonlySet<string> = new Set(['ADDRESS_BLOCKED', 'ORIGIN_BLOCKED', 'PROTOCOL_BLOCKED']);

/** With the exchange that shows it, if there is one. */
type Cause = [code: Code, text: string, trace?: HttpTrace | undefined];

/** Explains why there is no session, by the most specific cause. */
export function explainFailure(failure: Failure): Finding[] {
  return causesOf(failure).map(([code, text, trace]) =>
    finding(code, 'connect', text, { evidence: trace && httpEvidence(trace, { names: ['payment-required'] }) }),
  );
}

function causesOf({ attempts, reach, isLate, isAborted, privateOrigins }: Failure): Cause[] {
  const traces = attempts.flatMap(({ exchange }) => exchange.http);
  const failures = attempts.flatMap(({ exchange }) => exchange.failures);
  const unreached = reach?.isReachable === false ? reach.error : undefined;
  const blocked = [...(unreached ? [unreached] : []), ...failures].find(({ code }) => BLOCKED.has(code));
  if (blocked !== undefined) return [['CON-002', failureText(blocked)]];
  const isSilent = traces.length === 0 && reach?.isReachable !== true;
  const silence: Cause = ['CON-001', unreached ? failureText(unreached) : errorsOf(attempts)];
  if (isLate && isAborted) return [['CON-003', 'The run was aborted by `signal` before the handshake completed']];
  const late: Cause = ['CON-003', 'The handshake timed out'];
  if (isLate) return isSilent ? [silence, late] : [late];
  return [isSilent ? silence : handshakeCause({ attempts, privateOrigins }, traces, failures)];
}

function handshakeCause(
  { attempts, privateOrigins }: Pick<Failure, 'attempts' | 'privateOrigins'>,
  traces: readonly HttpTrace[],
  failures: readonly HttpError[],
): Cause {
  const paid = traces.find(({ status }) => status === 402);
  const lead = 'The endpoint answers the handshake with HTTP';
  if (paid) return ['CON-006', `${lead} 402, so no tool can be listed without payment`, paid];
  const refused = traces.find(({ status }) => status === 401 || status === 403);
  if (refused) return ['CON-005', `${lead} ${refused.status}`, refused];
  const isRedirect = ({ status, headers }: HttpTrace) =>
    status >= 300 && status < 400 && headers.location !== undefined;
  const redirect = traces.find(isRedirect);
  if (redirect) return [...redirectCause(redirect, privateOrigins), redirect];
  const tooLarge = failures.find(({ code }) => code === 'TOO_LARGE');
  const last = attempts.at(-1)?.exchange.http.at(-1);
  if (tooLarge) return ['CON-007', tooLarge.message, last];
  const hasSpoken = attempts.some(({ exchange }) => exchange.messages.length > 0);
  const errors = errorsOf(attempts);
  if (last === undefined || last.status >= 300 || hasSpoken) return ['CON-004', errors, last];
  const type = last.headers['content-type'] ?? 'no content type';
  return ['CON-007', `The endpoint answers with HTTP ${last.status} and ${type}, which is not MCP: ${errors}`, last];
}

const giveFinal = 'if that is intended, pass the final URL as endpoint';

/** Redirects to other origins are not followed, because the user did not name them. */
function redirectCause(
  { url, status, headers }: HttpTrace,
  privateOrigins: readonly string[],
): [code: Code, text: string] {
  const target = URL.parse(headers.location ?? '', url);
  if (target === null) return ['CON-004', `The endpoint redirects to an invalid URL; ${giveFinal}`];
  const isHttp = /^https?:$/.test(target.protocol);
  const shown = `${isHttp ? target.origin : target.protocol}${target.pathname}`;
  const isOwn = target.origin === new URL(url).origin;
  // Redirects that keep the POST were followed.
  if (isHttp && isOwn && (status === 307 || status === 308))
    return ['CON-004', `The endpoint redirects to ${shown}, which did not respond`];
  if (isHttp && privateOrigins.some((origin) => new URL(origin).origin === target.origin)) {
    const text = `The endpoint redirects with HTTP ${status} to ${shown}; only 307 and 308 preserve a POST`;
    return ['CON-004', `${text}; pass the final URL as endpoint`];
  }
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const isPrivate = host === 'localhost' || (/^[\d.]+$|:/.test(host) && !isPublicAddress(host));
  if (isPrivate && !isOwn) return ['CON-002', `The endpoint redirects to ${shown}, which is not public`];
  return ['CON-004', `The endpoint redirects to ${shown}; ${giveFinal}`];
}

function errorsOf(attempts: readonly Attempt[]): string {
  return distinct(attempts.map(({ kind, exchange }) => `${kind}: ${withStatus(exchange)}`)).join('; ');
}

/** Adds the HTTP status if the error of the client omits it. */
function withStatus({ error, http }: Exchange): string {
  const text = errorText(error).replace(/[:\s]+$/, '');
  const refusal = http.findLast(({ status }) => status >= 400);
  return refusal === undefined || text.includes(String(refusal.status)) ? text : `${text} (HTTP ${refusal.status})`;
}

function errorText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // Replaces a dump of schema errors.
  const text = /^[^[]{0,80}\[\s*\{\s*"/.test(message)
    ? 'the response is not valid MCP'
    : message.replace(/\s*<(?:!doctype|html)\b[\s\S]*/i, ' a page of HTML');
  const cause = error instanceof Error && error.cause instanceof HttpError ? ` (${error.cause.message})` : '';
  return `${text.slice(0, 400)}${text.includes(cause) ? '' : cause}`;
}

/** Advice that names options of this package instead of those of the HTTP client. */
const ADVICE: Readonly<Partial<Record<HttpErrorCode, string>>> = {
  ETIMEDOUT: 'Raise `timeout`, or check what the server is waiting for.',
  ABORTED: 'The run timed out or was aborted by `signal`.',
  ADDRESS_BLOCKED: 'Name its origin in `privateOrigins` (`--private-origin`) if this private address is intended.',
  ORIGIN_BLOCKED: 'Name its origin in `privateOrigins` (`--private-origin`) if it is intended.',
  TOO_LARGE: 'Send a smaller response.',
  NETWORK: 'Check the network connection.',
};

function failureText({ code, message, hint }: HttpError): string {
  return `${message.replace(/[.\s]+$/, '')}. ${ADVICE[code] ?? hint}`;
}
