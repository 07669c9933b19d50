import { HttpError, type HttpErrorCode, isPublicAddress } from '@schemakit/http';
import type { Code } from '../findings/codes.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { distinct } from '../findings/plain-object.ts';
import type { Exchange, HttpTrace } from '../network/exchange.ts';
import type { Attempt, Reach } from './connect.ts';

interface Failure {
  attempts: readonly Attempt[];
  reach: Reach | undefined;
  /** The time was over before the handshake was. */
  isLate: boolean;
  /** The caller wanted no more. */
  isBrokenOff: boolean;
  /** Where the endpoint may redirect to. */
  privateOrigins: readonly string[];
}

const BLOCKED: ReadonlySet<string> = new Set(['ADDRESS_BLOCKED', 'ORIGIN_BLOCKED', 'PROTOCOL_BLOCKED']);

/** A code and a text. */
type Cause = [code: Code, text: string];

/** Why there is no session, in the words of the most telling cause. */
export function explainFailure(failure: Failure): Finding[] {
  return causesOf(failure).map(([code, text]) => finding(code, 'connect', text));
}

function causesOf({ attempts, reach, isLate, isBrokenOff, privateOrigins }: Failure): Cause[] {
  const traces = attempts.flatMap(({ exchange }) => exchange.http);
  const failures = attempts.flatMap(({ exchange }) => exchange.failures);
  const unreached = reach?.isReachable === false ? reach.error : undefined;
  const blocked = [...(unreached ? [unreached] : []), ...failures].find(({ code }) => BLOCKED.has(code));
  if (blocked !== undefined) return [['CON-002', failureText(blocked)]];
  const isSilent = traces.length === 0 && reach?.isReachable !== true;
  const silence: Cause = ['CON-001', unreached ? failureText(unreached) : errorsOf(attempts)];
  if (isLate && isBrokenOff) return [['CON-003', 'The run was ended through `signal` before the handshake was over']];
  const late: Cause = ['CON-003', 'The handshake did not end within the time that it had'];
  if (isLate) return isSilent ? [silence, late] : [late];
  return [isSilent ? silence : handshakeCause({ attempts, privateOrigins }, traces, failures)];
}

function handshakeCause(
  { attempts, privateOrigins }: Pick<Failure, 'attempts' | 'privateOrigins'>,
  traces: readonly HttpTrace[],
  failures: readonly HttpError[],
): Cause {
  const isPaid = traces.some(({ status }) => status === 402);
  const told = 'The endpoint answers the handshake with HTTP';
  if (isPaid) return ['CON-006', `${told} 402, so that no tool can be seen without payment`];
  const refused = traces.find(({ status }) => status === 401 || status === 403);
  if (refused) return ['CON-005', `${told} ${refused.status}`];
  const isRedirect = ({ status, headers }: HttpTrace) =>
    status >= 300 && status < 400 && headers.location !== undefined;
  const redirect = traces.find(isRedirect);
  if (redirect) return redirectCause(redirect, privateOrigins);
  const tooLarge = failures.find(({ code }) => code === 'TOO_LARGE');
  if (tooLarge) return ['CON-007', tooLarge.message];
  const last = attempts.at(-1)?.exchange.http.at(-1);
  const hasSpoken = attempts.some(({ exchange }) => exchange.messages.length > 0);
  const errors = errorsOf(attempts);
  if (last === undefined || last.status >= 300 || hasSpoken) return ['CON-004', errors];
  const type = last.headers['content-type'] ?? 'no content type';
  return ['CON-007', `The endpoint answers with HTTP ${last.status} and ${type}, which is not MCP: ${errors}`];
}

const giveFinal = 'give the final address as endpoint if it is meant';

/** Only a redirect inside the origin is followed: whatever else it leads to, the user did not name it. */
function redirectCause({ url, status, headers }: HttpTrace, privateOrigins: readonly string[]): Cause {
  const target = URL.parse(headers.location ?? '', url);
  if (target === null) return ['CON-004', `The endpoint redirects to an address that is none; ${giveFinal}`];
  const isHttp = /^https?:$/.test(target.protocol);
  const shown = `${isHttp ? target.origin : target.protocol}${target.pathname}`;
  const isOwn = target.origin === new URL(url).origin;
  if (isHttp && isOwn) return ['CON-004', `The endpoint redirects to ${shown} and did not come to an answer there`];
  if (isHttp && privateOrigins.some((origin) => new URL(origin).origin === target.origin)) {
    const text = `The endpoint redirects by HTTP ${status} to ${shown}, where only 307 and 308 leave a POST what it is`;
    return ['CON-004', `${text}; give the final address as endpoint`];
  }
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const isPrivate = host === 'localhost' || (/^[\d.]+$|:/.test(host) && !isPublicAddress(host));
  if (isPrivate && !isOwn) return ['CON-002', `The endpoint redirects to ${shown}, which is not public`];
  return ['CON-004', `The endpoint redirects to ${shown}; ${giveFinal}`];
}

/** What went wrong on each way that was tried. */
function errorsOf(attempts: readonly Attempt[]): string {
  return distinct(attempts.map(({ kind, exchange }) => `${kind}: ${withStatus(exchange)}`)).join('; ');
}

/** A client's error may say nothing of the answer that led to it. */
function withStatus({ error, http }: Exchange): string {
  const text = errorText(error).replace(/[:\s]+$/, '');
  const refusal = http.findLast(({ status }) => status >= 400);
  return refusal === undefined || text.includes(String(refusal.status)) ? text : `${text} (HTTP ${refusal.status})`;
}

function errorText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // A dump of a schema's complaints is for programmers of the client.
  const text = /^[^[]{0,80}\[\s*\{\s*"/.test(message) ? 'the answer is not of the form that MCP has' : message;
  const cause = error instanceof Error && error.cause instanceof HttpError ? ` (${error.cause.message})` : '';
  return `${text.slice(0, 400)}${text.includes(cause) ? '' : cause}`;
}

/** Advice in the words of this package's options, where the client's own names options that are not to be had here. */
const ADVICE: Readonly<Partial<Record<HttpErrorCode, string>>> = {
  ETIMEDOUT: 'Raise `timeout`, or look at what the server waits for.',
  ABORTED: 'The time was over, or `signal` ended the run.',
  ADDRESS_BLOCKED: 'Name its origin in `privateOrigins` (`--private-origin`) if this private address is meant.',
  ORIGIN_BLOCKED: 'Name its origin in `privateOrigins` (`--private-origin`) if it is meant.',
  TOO_LARGE: 'Answer with less.',
  NETWORK: 'Check the network connection.',
};

/** A failure in two sentences: what happened, and what to do. */
function failureText({ code, message, hint }: HttpError): string {
  return `${message.replace(/[.\s]+$/, '')}. ${ADVICE[code] ?? hint}`;
}
