import type { Outcome } from './dispatch-request.ts';
import type { HttpErrorCode } from './http-error.ts';

/** RFC 9110 9.2.2. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);
const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const RETRIED_ERRORS: ReadonlySet<HttpErrorCode> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH']);

const BASE_DELAY_MS = 100;

/** True if a retry may succeed and can do no harm. */
function isWorthRetrying(outcome: Outcome, method: string): boolean {
  if (!IDEMPOTENT.has(method)) return false;
  if (outcome.error === undefined) return RETRIED_STATUSES.has(outcome.reply.status);
  return !outcome.answered && RETRIED_ERRORS.has(outcome.error.code);
}

/**
 * Milliseconds to wait before retry number `retry` (from 0): what the server asks for, else 100, 200, 400 ... with 50 % jitter.
 * Undefined if the request must not be sent again.
 */
export function retryDelay(outcome: Outcome, method: string, retry: number): number | undefined {
  if (!isWorthRetrying(outcome, method)) return undefined;
  const asked = parseRetryAfter(outcome.reply?.headers['retry-after'], Date.now());
  return asked ?? BASE_DELAY_MS * 2 ** retry * (0.5 + Math.random());
}

/** `Retry-After` in milliseconds from `now`: seconds or a date in any of the three forms of HTTP (RFC 9110 10.2.3, 5.6.7). */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value)) return undefined;
  const time = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
