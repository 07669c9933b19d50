import { setTimeout as sleep } from 'node:timers/promises';
import { HttpError, type HttpErrorCode } from '@schemakit/http';
import { APICallError, InvalidResponseDataError } from 'ai';
import type { Model } from './model.ts';

const maxTries = 4;
const firstDelayMs = 500;

/**
 * Sends a request again after 429, 5xx and broken answers, at most four times in all. Waits as long as `Retry-After` says, otherwise
 * twice as long each time, with jitter. Gives up at once if the deadline would pass while waiting.
 */
export function withRetries(model: Model, { deadline }: { deadline: () => number }): Model {
  return async (request) => {
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await model(request);
        return { ...answer, usage: { ...answer.usage, requests: tries } };
      } catch (error) {
        if (tries === maxTries || request.signal.aborted || !isTransient(error)) throw withTries(error, tries);
        const delayMs = retryAfterMs(error) ?? firstDelayMs * 2 ** (tries - 1) * (0.5 + Math.random());
        if (Date.now() + delayMs > deadline()) throw withTries(error, tries, true);
        await sleep(delayMs, undefined, { signal: request.signal }).catch((reason) => {
          throw withTries(reason, tries);
        });
      }
    }
  };
}

interface Tries {
  count: number;
  /** Whether there was no time for one more. */
  isLate: boolean;
}

const triesByError = new WeakMap<object, Tries>();

function withTries(error: unknown, count: number, isLate = false): unknown {
  if (typeof error === 'object' && error !== null) triesByError.set(error, { count, isLate });
  return error;
}

/** The number of requests that a failed model call has sent. */
export function triesOf(error: unknown): number {
  return triesByError.get(Object(error))?.count ?? 1;
}

/** Whether a model call has failed because its deadline would pass before the next try. */
export function isLate(error: unknown): boolean {
  return triesByError.get(Object(error))?.isLate === true;
}

function isTransient(error: unknown): boolean {
  if (error instanceof HttpError) return brokenConnections.has(error.code);
  if (!APICallError.isInstance(error)) return InvalidResponseDataError.isInstance(error);
  const { statusCode = 0, isRetryable } = error;
  // An answer that cannot be read, for example half of one.
  return isRetryable || (statusCode >= 200 && statusCode < 300);
}

/** The others that the SDK does not count as worth a retry have to be mended first. */
const brokenConnections: ReadonlySet<HttpErrorCode> = new Set(['EHOSTUNREACH', 'NETWORK', 'BAD_RESPONSE']);

/** `Retry-After` in milliseconds: seconds or a date (RFC 9110, 10.2.3). */
function retryAfterMs(error: unknown): number | undefined {
  const value = APICallError.isInstance(error) ? error.responseHeaders?.['retry-after'] : undefined;
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const delayMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(delayMs) ? undefined : Math.max(delayMs, 0);
}
