import type { Outcome } from '../exchange.ts';
import type { HttpErrorCode } from '../http-error-codes.ts';
import type { Health } from './breaker.ts';
import type { UpstreamOutcome } from './upstream-record.ts';

/** Failures of an API or of the way to it. All others are of the request, or of who made it. */
const failures: ReadonlySet<HttpErrorCode> = new Set([
  'ECONNREFUSED',
  'ETIMEDOUT',
  'ENOTFOUND',
  'ECONNRESET',
  'EHOSTUNREACH',
  'TLS',
  'NETWORK',
  'BAD_RESPONSE',
]);

const refusals: Partial<Readonly<Record<HttpErrorCode, UpstreamOutcome>>> = {
  ABORTED: 'cancelled',
  QUEUE_FULL: 'limited',
  RETRY_LATER: 'limited',
  CIRCUIT_OPEN: 'open',
};

/** What the end of a request says about the API. */
export function healthOf({ reply, error }: Outcome): Health {
  if (reply !== undefined) return reply.status >= 500 ? 'fails' : 'works';
  return failures.has(error.code) ? 'fails' : undefined;
}

/** The end of a request in the words of records. */
export function outcomeOf({ reply, error }: Outcome): UpstreamOutcome {
  if (reply !== undefined) return reply.status >= 400 ? 'error' : 'ok';
  return refusals[error.code] ?? 'error';
}
