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

const connectFinding = (code: Code, text: string): Finding => finding(code, 'connect', text);

/** Why there is no session, in the words of the most telling cause. */
export function explainFailure({ attempts, reach, isLate, isBrokenOff, privateOrigins }: Failure): Finding[] {
  const traces = attempts.flatMap(({ exchange }) => exchange.http);
  const failures = attempts.flatMap(({ exchange }) => exchange.failures);
  const causes = reach?.isReachable === false ? [reach.error, ...failures] : failures;
  const blocked = causes.find(({ code }) => BLOCKED.has(code));
  if (blocked !== undefined) return [connectFinding('CON-002', failureText(blocked))];
  const isSilent = traces.length === 0 && reach?.isReachable !== true;
  const silence = reach?.isReachable === false ? failureText(reach.error) : errorsOf(attempts);
  const unreached = isSilent ? [connectFinding('CON-001', silence)] : [];
  const lateText = isBrokenOff
    ? 'The run was ended through `signal` before the handshake was over'
    : 'The handshake did not end within the time that it had';
  if (isLate) return [...(isBrokenOff ? [] : unreached), connectFinding('CON-003', lateText)];
  if (isSilent) return unreached;
  return [handshakeFinding({ attempts, privateOrigins }, traces, failures)];
}

function handshakeFinding(
  { attempts, privateOrigins }: Pick<Failure, 'attempts' | 'privateOrigins'>,
  traces: readonly HttpTrace[],
  failures: readonly HttpError[],
): Finding {
  const withStatus = (...statuses: number[]) => traces.find(({ status }) => statuses.includes(status));
  if (withStatus(402))
    return connectFinding(
      'CON-006',
      'The endpoint answers the handshake with HTTP 402, so that no tool can be seen without payment',
    );
  const refused = withStatus(401, 403);
  if (refused) return connectFinding('CON-005', `The endpoint answers the handshake with HTTP ${refused.status}`);
  const redirect = traces.find(
    ({ status, headers }) => status >= 300 && status < 400 && headers.location !== undefined,
  );
  if (redirect) return redirectFinding(redirect, privateOrigins);
  const tooLarge = failures.find(({ code }) => code === 'TOO_LARGE');
  if (tooLarge) return connectFinding('CON-007', tooLarge.message);
  const last = attempts.at(-1)?.exchange.http.at(-1);
  const hasSpoken = attempts.some(({ exchange }) => exchange.messages.length > 0);
  if (last !== undefined && last.status < 300 && !hasSpoken) {
    const type = last.headers['content-type'] ?? 'no content type';
    return connectFinding(
      'CON-007',
      `The endpoint answers with HTTP ${last.status} and ${type}, which is not MCP: ${errorsOf(attempts)}`,
    );
  }
  return connectFinding('CON-004', errorsOf(attempts));
}

/** Only a redirect inside the origin is followed: whatever else it leads to, the user did not name it. */
function redirectFinding({ url, status, headers }: HttpTrace, privateOrigins: readonly string[]): Finding {
  const target = URL.parse(headers.location ?? '', url);
  const isHttp = /^https?:$/.test(target?.protocol ?? '');
  const shown =
    target === null ? 'an address that is none' : `${isHttp ? target.origin : target.protocol}${target.pathname}`;
  if (isHttp && target?.origin === new URL(url).origin) {
    return connectFinding('CON-004', `The endpoint redirects to ${shown} and did not come to an answer there`);
  }
  if (isHttp && privateOrigins.some((origin) => new URL(origin).origin === target?.origin)) {
    const text = `The endpoint redirects by HTTP ${status} to ${shown}, where only 307 and 308 leave a POST what it is`;
    return connectFinding('CON-004', `${text}; give the final address as endpoint`);
  }
  const host = target?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const isPrivate = host === 'localhost' || (/^[\d.]+$|:/.test(host) && !isPublicAddress(host));
  if (isPrivate && target?.origin !== new URL(url).origin) {
    return connectFinding('CON-002', `The endpoint redirects to ${shown}, which is not public`);
  }
  return connectFinding(
    'CON-004',
    `The endpoint redirects to ${shown}; give the final address as endpoint if it is meant`,
  );
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
