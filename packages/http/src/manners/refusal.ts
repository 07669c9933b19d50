import type { Hop } from '../hop.ts';
import { HttpError } from '../http-error.ts';

/** An API that is not asked because it has failed again and again. */
export function circuitOpen(
  { url }: Hop,
  { failures, last, waitMs }: { failures: number; last: string; waitMs: number },
): HttpError {
  const detail = `${failures} failures in a row, the last one ${last}`;
  return new HttpError('CIRCUIT_OPEN', url, { detail, ...tryAgain(waitMs) });
}

/** A line in which nobody more may stand. */
export function queueFull({ url }: Hop, { length, waitMs }: { length: number; waitMs: number }): HttpError {
  return new HttpError('QUEUE_FULL', url, { detail: `${length} requests are waiting for it`, ...tryAgain(waitMs) });
}

/** A request whose turn would come too late. */
export function retryLater({ url }: Hop, { reason, waitMs }: { reason: string; waitMs: number }): HttpError {
  return new HttpError('RETRY_LATER', url, { detail: reason, ...tryAgain(waitMs) });
}

function tryAgain(waitMs: number): { hint: string; retryAfterMs: number } {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return {
    hint: `Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
    retryAfterMs: Math.ceil(waitMs),
  };
}
