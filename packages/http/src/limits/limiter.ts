import type { Deadline } from '../deadline.ts';
import type { Outcome } from '../dispatch-request.ts';
import { HttpError, type HttpErrorCode } from '../http-error.ts';
import { parseRetryAfter } from '../retry.ts';
import { atLeast, type BreakerOptions, type BreakerState, createBreaker, type Health } from './breaker.ts';

/**
 * What became of a request:
 *
 * - `ok` and `error`: it was sent, and was answered with a status below 400, or otherwise
 * - `cancelled`: its caller did not wait for it
 * - `limited`: it was not sent because too many were waiting, or because it would have had to wait too long
 * - `open`: it was not sent because the API has failed repeatedly
 * - `shared`: it was answered by an identical request that was already running
 * - `cached`: it was answered from a cache
 */
export type UpstreamOutcome = 'ok' | 'error' | 'cancelled' | 'limited' | 'open' | 'shared' | 'cached';

/** One request to an API, for counts and logs. It holds no secrets. Retries are requests of their own. */
export interface UpstreamRecord {
  /** Scheme, host and port. */
  origin: string;
  outcome: UpstreamOutcome;
  /** How long it was queued, in milliseconds. */
  waitedMs: number;
  /** How long its answer took from then on. */
  durationMs: number;
  /** Of its answer, where there was one. */
  status?: number;
}

/** How many requests an API gets at a time, and when. All is for each origin (scheme, host and port) by itself. */
export interface LimitOptions {
  /** Called for each request. */
  onUpstream?: ((record: UpstreamRecord) => void) | undefined;
  /** Called for each change of the circuit breaker. */
  onBreaker?: ((change: { origin: string; state: BreakerState }) => void) | undefined;
  /** Requests at a time. The others are queued. Default 16. */
  concurrency?: number | undefined;
  /** Requests in a second, also fewer than one. Default: any number. */
  requestsPerSecond?: number | undefined;
  /** Requests that may come at once after a time without any. Default: those of a second, at least 1. */
  burst?: number | undefined;
  /** Requests that may be queued; one more fails at once. Default 1,000. */
  maxQueue?: number | undefined;
  /** A request that is known to have to wait longer fails at once, in milliseconds. Default 10,000. */
  maxWaitMs?: number | undefined;
  /** `false` asks an API however often it fails. */
  breaker?: BreakerOptions | false | undefined;
  /** Whether identical reading requests (GET and HEAD) that run at the same time are sent once. Default true. */
  singleFlight?: boolean | undefined;
}

/** Called when a request is queued: for how many milliseconds, where that is known. */
export type OnWait = (waitMs: number | undefined) => void;

/** The permission to send one request. */
export interface Permit {
  readonly startedAt: number;
  /** How long it was queued, in milliseconds. */
  readonly waitedMs: number;
  readonly isTrial: boolean;
}

/** The limits of one origin. */
export interface Limiter {
  /** Waits for a permit; rejects with an {@link HttpError} where the request is not to be sent. */
  acquire(url: URL, deadline: Deadline, onWait?: OnWait): Promise<Permit>;
  /** Gives a permit back; `outcome` is undefined for a request that was not sent after all. */
  release(permit: Permit, outcome: Outcome | undefined): void;
  /** Whether requests are refused because the API has failed. */
  isOpen(): boolean;
  /** Whether it holds no state that would be lost with it. */
  isIdle(): boolean;
}

interface Waiter {
  url: URL;
  deadline: Deadline;
  start(): void;
  refuse(error: HttpError): void;
}

/** After this time an API is asked whether it still means its `Retry-After`. */
const longestPauseMs = 3_600_000;

/** @param origin As it is shown in records. */
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

  /** Refuses a request that would have to wait too long; gives the wait, where it is known. */
  function expectedWait(url: URL, deadline: Deadline, now: number): number | undefined {
    const pauseMs = Math.max(0, pausedUntil - now);
    const rateMs = bucket.waitMs(now, queue.length);
    const waitMs = Math.max(pauseMs, rateMs);
    if (waitMs > Math.min(maxWaitMs, deadline.remainingMs())) {
      const reason = pauseMs >= rateMs ? 'it asked for a pause' : `it gets ${perSecond} requests in a second`;
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

  /** Keeps to `Retry-After` (RFC 9110 10.2.3). Requests that would wait too long are refused at once. */
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

  /** Takes what the answer says about the API: a pause, or whether it works. */
  function learn(outcome: Outcome, { waitedMs, isTrial }: Permit, durationMs: number): void {
    const now = performance.now();
    const { reply, error } = outcome;
    meanMs += (durationMs - meanMs) / 8;
    if (reply?.status === 429 || reply?.status === 503) {
      const askedMs = parseRetryAfter(reply.headers['retry-after'], Date.now());
      if (askedMs !== undefined) pause(askedMs, now);
    }
    // A request that spent most of its time in the queue was late for other reasons.
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
        if (error instanceof HttpError) report(refusedOutcomes[error.code] ?? 'limited', now - since);
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

/** A limit on requests in a second. Times are in milliseconds of any clock that does not go back. */
export interface TokenBucket {
  /** Lets one request through, if it may go now. */
  take(now: number): boolean;
  /** How long it takes until the next request may go, when as many as `ahead` go before it. */
  waitMs(now: number, ahead: number): number;
}

/** @param burst How many may go at once after a time without any. At least 1. */
export function createTokenBucket({ perSecond, burst }: { perSecond: number; burst: number }): TokenBucket {
  const everyMs = 1000 / perSecond;
  // When the bucket is full again: it tells as much as a count of tokens, and is never rounded away from it.
  let fullAt = Number.NEGATIVE_INFINITY;
  const waitMs = (now: number, ahead: number): number =>
    Math.max(0, Math.max(fullAt, now) + (ahead + 1 - burst) * everyMs - now);
  return {
    take(now) {
      // Timers and clocks differ by parts of a millisecond.
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

/** Failures of an API or of the way to it. All others are of the request, or of its caller. */
const upstreamFailures: ReadonlySet<HttpErrorCode> = new Set([
  'ECONNREFUSED',
  'ETIMEDOUT',
  'ENOTFOUND',
  'ECONNRESET',
  'EHOSTUNREACH',
  'TLS',
  'NETWORK',
  'BAD_RESPONSE',
]);

function healthOf({ reply, error }: Outcome): Health {
  if (reply !== undefined) return reply.status >= 500 ? 'fails' : 'works';
  return upstreamFailures.has(error.code) ? 'fails' : undefined;
}

/** Of requests that were not sent; all others are `limited`. */
const refusedOutcomes: Partial<Readonly<Record<HttpErrorCode, UpstreamOutcome>>> = {
  ABORTED: 'cancelled',
  CIRCUIT_OPEN: 'open',
};

function outcomeOf({ reply, error }: Outcome): UpstreamOutcome {
  if (reply !== undefined) return reply.status >= 400 ? 'error' : 'ok';
  return error.code === 'ABORTED' ? 'cancelled' : 'error';
}
