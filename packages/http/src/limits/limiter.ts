import type { Deadline } from '../deadline.ts';
import type { Outcome } from '../dispatch-request.ts';
import { HttpError, type HttpErrorCode } from '../http-error.ts';
import { parseRetryAfter } from '../retry.ts';
import { atLeast, type BreakerOptions, type BreakerState, createBreaker, type Health } from './breaker.ts';

/**
 * The outcome of a request:
 *
 * - `ok` and `error`: sent, and answered with a status below 400 or not
 * - `cancelled`: aborted by its caller
 * - `limited`: not sent, because the queue was full or the wait too long
 * - `open`: not sent, because the API has failed repeatedly
 * - `shared`: answered by an identical request that was already running
 * - `cached`: answered from a cache
 */
export type UpstreamOutcome = 'ok' | 'error' | 'cancelled' | 'limited' | 'open' | 'shared' | 'cached';

/** A request to an API, for metrics and logs, without secrets. Each retry is a request. */
export interface UpstreamRecord {
  /** Scheme, host and port. */
  origin: string;
  outcome: UpstreamOutcome;
  /** Time in the queue, in milliseconds. */
  waitedMs: number;
  /** Time from then to the answer, in milliseconds. */
  durationMs: number;
  /** Of the answer, if there was one. */
  status?: number;
}

/** Limits for the requests to an API. They apply to each origin (scheme, host and port) separately. */
export interface LimitOptions {
  /** Called after each request. */
  onUpstream?: ((record: UpstreamRecord) => void) | undefined;
  /** Called when the circuit breaker changes. */
  onBreaker?: ((change: { origin: string; state: BreakerState }) => void) | undefined;
  /** Concurrent requests; others are queued. Default 16. */
  concurrency?: number | undefined;
  /** Requests per second; may be below 1. Default: no limit. */
  requestsPerSecond?: number | undefined;
  /** Requests that may start at once after a pause. Default: those of a second, at least 1. */
  burst?: number | undefined;
  /** Requests in the queue; one more fails at once. Default 1,000. */
  maxQueue?: number | undefined;
  /** A request that would have to wait longer fails at once, in milliseconds. Default 10,000. */
  maxWaitMs?: number | undefined;
  /** `false` turns the circuit breaker off. */
  breaker?: BreakerOptions | false | undefined;
  /** Whether identical GET and HEAD requests that run at the same time are sent once. Default true. */
  singleFlight?: boolean | undefined;
}

/** Called when a request is queued, with the milliseconds to wait if they are known. */
export type OnWait = (waitMs: number | undefined) => void;

export interface Permit {
  readonly startedAt: number;
  /** Time in the queue, in milliseconds. */
  readonly waitedMs: number;
  readonly isTrial: boolean;
}

/** The limits of one origin. */
export interface Limiter {
  /** Waits for a permit; rejects with an {@link HttpError} if the request must not be sent. */
  acquire(url: URL, deadline: Deadline, onWait?: OnWait): Promise<Permit>;
  /** Returns a permit. `outcome` is undefined if the request was not sent after all. */
  release(permit: Permit, outcome: Outcome | undefined): void;
  /** Whether the circuit breaker refuses requests. */
  isOpen(): boolean;
  /** Whether it can be dropped without losing state. */
  isIdle(): boolean;
}

interface Waiter {
  url: URL;
  deadline: Deadline;
  start(): void;
  refuse(error: HttpError): void;
}

/** The longest `Retry-After` that is respected. */
const longestPauseMs = 3_600_000;

/** @param origin as shown in records */
export function createLimiter(origin: string, options: LimitOptions): Limiter {
  const { onUpstream, onBreaker } = options;
  const concurrency = Math.floor(atLeast(1, options.concurrency, 16));
  const maxQueue = Math.floor(atLeast(0, options.maxQueue, 1000));
  const maxWaitMs = atLeast(0, options.maxWaitMs, 10_000);
  const perSecond = atLeast(Number.MIN_VALUE, options.requestsPerSecond, Number.POSITIVE_INFINITY);
  const usualBurst = Number.isFinite(perSecond) ? Math.max(1, perSecond) : 1;
  const bucket = createTokenBucket({ perSecond, burst: Math.floor(atLeast(1, options.burst, usualBurst)) });
  const breakerOptions = options.breaker === false ? { failures: Number.POSITIVE_INFINITY } : (options.breaker ?? {});
  const breaker = createBreaker(breakerOptions, (state) => onBreaker?.({ origin, state }));
  const queue: Waiter[] = [];
  let active = 0;
  let pausedUntil = 0;
  let meanMs = 0;
  let lastFailure = '';
  let timer: NodeJS.Timeout | undefined;

  function mayStart(now: number): boolean {
    if (active >= concurrency || now < pausedUntil || !bucket.take(now)) return false;
    active += 1;
    return true;
  }

  /** The wait of a request, if known. Refuses one that would wait too long. */
  function expectedWait(url: URL, deadline: Deadline, now: number): number | undefined {
    const pauseMs = Math.max(0, pausedUntil - now);
    const rateMs = bucket.waitMs(now, queue.length);
    const waitMs = Math.max(pauseMs, rateMs);
    if (waitMs > Math.min(maxWaitMs, deadline.remainingMs())) {
      const reason = pauseMs >= rateMs ? 'it asked for a pause' : `its limit is ${perSecond} requests per second`;
      throw refusal('RETRY_LATER', url, reason, waitMs);
    }
    if (queue.length < maxQueue) return waitMs > 0 ? waitMs : undefined;
    const queueMs = Math.max(waitMs, (queue.length / concurrency) * meanMs);
    throw refusal('QUEUE_FULL', url, `${queue.length} requests are waiting for it`, queueMs);
  }

  function waitInQueue(url: URL, deadline: Deadline, since: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.splice(queue.indexOf(waiter), 1);
        deadline.onEnd = undefined;
        deadline.waitingSince = undefined;
        deadline.waitedMs += performance.now() - since;
      };
      const waiter: Waiter = {
        url,
        deadline,
        start() {
          leave();
          resolve();
        },
        refuse(error) {
          leave();
          reject(error);
        },
      };
      if (deadline.hasEnded()) return reject(deadline.error(url));
      queue.push(waiter);
      deadline.waitingSince = since;
      deadline.onEnd = () => waiter.refuse(deadline.error(url));
      startNext();
    });
  }

  function startNext(): void {
    for (let next = queue[0]; next !== undefined && active < concurrency; next = queue[0]) {
      const now = performance.now();
      if (!mayStart(now)) {
        clearTimeout(timer);
        timer = setTimeout(startNext, Math.ceil(Math.max(pausedUntil - now, bucket.waitMs(now, 0))));
        return;
      }
      next.start();
    }
  }

  /** Respects `Retry-After` (RFC 9110 10.2.3). Refuses queued requests that would wait too long. */
  function pause(askedMs: number, now: number): void {
    pausedUntil = Math.max(pausedUntil, now + Math.min(askedMs, longestPauseMs));
    const waitMs = pausedUntil - now;
    for (const { url, deadline, refuse } of [...queue]) {
      const isTooLong = waitMs > Math.min(maxWaitMs, deadline.remainingMs());
      if (isTooLong) refuse(refusal('RETRY_LATER', url, 'it asked for a pause', waitMs));
    }
  }

  function circuitOpen(url: URL, waitMs: number): HttpError {
    return refusal('CIRCUIT_OPEN', url, `${breaker.failures} failures in a row, the last one ${lastFailure}`, waitMs);
  }

  function report(outcome: UpstreamOutcome, waitedMs: number, durationMs = 0, status?: number): void {
    onUpstream?.({ origin, outcome, waitedMs, durationMs, ...(status !== undefined && { status }) });
  }

  /** Learns from an answer whether the API works or asks for a pause. */
  function learn(outcome: Outcome, { waitedMs, isTrial }: Permit, durationMs: number): void {
    const now = performance.now();
    const { reply, error } = outcome;
    meanMs += (durationMs - meanMs) / 8;
    if (reply?.status === 429 || reply?.status === 503) {
      const askedMs = parseRetryAfter(reply.headers['retry-after'], Date.now());
      if (askedMs !== undefined) pause(askedMs, now);
    }
    // A request that spent most of its time in the queue says nothing about the API.
    const isLate = error?.code === 'ETIMEDOUT' && waitedMs > durationMs;
    const health = isLate ? undefined : healthOf(outcome);
    if (health === 'fails') lastFailure = reply ? `HTTP ${reply.status}` : (error?.code ?? '');
    breaker.report(health, isTrial, now);
    if (breaker.state !== 'open') return;
    for (const { url, refuse } of [...queue]) refuse(circuitOpen(url, breaker.openForMs(now)));
  }

  return {
    async acquire(url, deadline, onWait) {
      const since = performance.now();
      const admission = breaker.admit(since);
      if (!admission.ok) {
        report('open', 0);
        throw circuitOpen(url, admission.waitMs);
      }
      const { isTrial } = admission;
      if (queue.length === 0 && mayStart(since)) return { startedAt: since, waitedMs: 0, isTrial };
      try {
        const waitMs = expectedWait(url, deadline, since);
        onWait?.(waitMs);
        await waitInQueue(url, deadline, since);
      } catch (error) {
        const now = performance.now();
        breaker.report(undefined, isTrial, now);
        if (error instanceof HttpError) report(refusedOutcome(error), now - since);
        throw error;
      }
      const startedAt = performance.now();
      return { startedAt, waitedMs: startedAt - since, isTrial };
    },
    release(permit, outcome) {
      active -= 1;
      const now = performance.now();
      if (outcome === undefined) breaker.report(undefined, permit.isTrial, now);
      else {
        const durationMs = now - permit.startedAt;
        learn(outcome, permit, durationMs);
        report(outcomeOf(outcome), permit.waitedMs, durationMs, outcome.reply?.status);
      }
      startNext();
    },
    isOpen: () => breaker.state === 'open',
    isIdle: () => active === 0 && queue.length === 0 && pausedUntil <= performance.now() && breaker.failures === 0,
  };
}

/** A rate limit. Times are in milliseconds of a monotonic clock. */
export interface TokenBucket {
  /** Takes a token for one request if there is one. */
  take(now: number): boolean;
  /** Time until the next token, if `ahead` requests come first. */
  waitMs(now: number, ahead: number): number;
}

/** @param burst tokens in a full bucket; at least 1 */
export function createTokenBucket({ perSecond, burst }: { perSecond: number; burst: number }): TokenBucket {
  const everyMs = 1000 / perSecond;
  // When the bucket will be full again: equivalent to a count of tokens, without rounding errors.
  let fullAt = Number.NEGATIVE_INFINITY;
  const waitMs = (now: number, ahead: number): number =>
    Math.max(0, Math.max(fullAt, now) + (ahead + 1 - burst) * everyMs - now);
  return {
    take(now) {
      // Timers may fire a fraction of a millisecond early.
      if (waitMs(now, 0) > 0.5) return false;
      fullAt = Math.max(fullAt, now) + everyMs;
      return true;
    },
    waitMs,
  };
}

function refusal(code: HttpErrorCode, url: URL, detail: string, waitMs: number): HttpError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const hint = `Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`;
  return new HttpError(code, url, { detail, hint, retryAfterMs: Math.ceil(waitMs) });
}

/** Failures of the API or the network. Other failures are due to the request or its caller. */
const upstreamFailure = /^(?:ECONNREFUSED|ETIMEDOUT|ENOTFOUND|ECONNRESET|EHOSTUNREACH|TLS|NETWORK|BAD_RESPONSE)$/;

function healthOf({ reply, error }: Outcome): Health {
  if (reply !== undefined) return reply.status >= 500 ? 'fails' : 'works';
  return upstreamFailure.test(error.code) ? 'fails' : undefined;
}

function refusedOutcome({ code }: HttpError): UpstreamOutcome {
  return code === 'ABORTED' ? 'cancelled' : code === 'CIRCUIT_OPEN' ? 'open' : 'limited';
}

function outcomeOf({ reply, error }: Outcome): UpstreamOutcome {
  if (reply !== undefined) return reply.status >= 400 ? 'error' : 'ok';
  return error.code === 'ABORTED' ? 'cancelled' : 'error';
}
