import { shownOrigin } from '../request-watch.ts';
import type { BreakerSettings } from './breaker.ts';
import {
  createLimiter,
  type Limiter,
  type LimiterSettings,
  type UpstreamObserver,
  type UpstreamRecord,
} from './limiter.ts';

/** When an API that fails is left alone. */
export interface BreakerOptions {
  /** Failures in a row, of connections and answers from 500 on, after which it is not asked for a while. Default 5. */
  failures?: number | undefined;
  /** How long it is not asked, in milliseconds; twice as long each time that it still fails afterwards. Default 10,000. */
  pauseMs?: number | undefined;
  /** The longest of these times, in milliseconds. Default 300,000. */
  maxPauseMs?: number | undefined;
}

/** How many requests an API gets at a time, and when. All is for each origin (scheme, host and port) by itself. */
export interface LimitOptions extends UpstreamObserver {
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

/** Rate, concurrency and circuit-breaker state by origin, shared by all requests that are given the same object. */
export interface UpstreamLimits {
  /** @internal */
  limiterFor(target: { url: URL; origin: string }, secretValues: readonly string[]): Limiter;
  /** @internal Whether identical reading requests are sent once. */
  readonly singleFlight: boolean;
  /** @internal Reports a request that was not sent. */
  report(record: UpstreamRecord): void;
}

/** Origins that are remembered. Handlers choose theirs, so there must be an end; idle ones go first. */
const maxOrigins = 1000;

/**
 * Makes limits that requests share: concurrency and rate of each origin, its `Retry-After`, and a circuit breaker.
 *
 * @example
 * const limits = createUpstreamLimits({ concurrency: 4, requestsPerSecond: 10 });
 * await client.request({ url: 'https://example.com/', method: 'GET' }, { limits });
 */
export function createUpstreamLimits(options: LimitOptions = {}): UpstreamLimits {
  const settings = withDefaults(options);
  const onUpstream = options.onUpstream && neverThrowing(options.onUpstream);
  const onBreaker = options.onBreaker && neverThrowing(options.onBreaker);
  const limiters = new Map<string, Limiter>();
  return {
    limiterFor({ url, origin }, secretValues) {
      const known = limiters.get(origin);
      if (known !== undefined) return known;
      if (limiters.size >= maxOrigins) forgetSome(limiters);
      const limiter = createLimiter(shownOrigin(url, secretValues), settings, { onUpstream, onBreaker });
      limiters.set(origin, limiter);
      return limiter;
    },
    singleFlight: options.singleFlight ?? true,
    report: (record) => onUpstream?.(record),
  };
}

/** A callback that throws must not stop requests, nor those queued behind them. */
function neverThrowing<Event>(observe: (event: Event) => void): (event: Event) => void {
  return (event) => {
    try {
      observe(event);
    } catch {
      // The callback is what would report it.
    }
  };
}

/** Requests that are running keep their limiter, even where another one takes its place. */
function forgetSome(limiters: Map<string, Limiter>): void {
  for (const [origin, limiter] of limiters) if (limiter.isIdle()) limiters.delete(origin);
  const [oldest] = limiters.keys();
  if (limiters.size >= maxOrigins && oldest !== undefined) limiters.delete(oldest);
}

/** Fills in the defaults, also for numbers that mean nothing. */
function withDefaults({
  concurrency,
  requestsPerSecond,
  burst,
  maxQueue,
  maxWaitMs,
  breaker = {},
}: LimitOptions): LimiterSettings {
  const rate = atLeast(Number.MIN_VALUE, requestsPerSecond, Number.POSITIVE_INFINITY);
  return {
    concurrency: Math.floor(atLeast(1, concurrency, 16)),
    requestsPerSecond: rate,
    burst: Math.floor(atLeast(1, burst, Number.isFinite(rate) ? Math.max(1, rate) : 1)),
    maxQueue: Math.floor(atLeast(0, maxQueue, 1000)),
    maxWaitMs: atLeast(0, maxWaitMs, 10_000),
    breaker: breakerDefaults(breaker === false ? { failures: Number.POSITIVE_INFINITY } : breaker),
  };
}

function breakerDefaults({ failures, pauseMs, maxPauseMs }: BreakerOptions): BreakerSettings {
  return {
    failures: Math.floor(atLeast(1, failures, 5)),
    pauseMs: atLeast(1, pauseMs, 10_000),
    maxPauseMs: atLeast(1, maxPauseMs, 300_000),
  };
}

function atLeast(least: number, value: number | undefined, otherwise: number): number {
  return typeof value === 'number' && value >= least ? value : otherwise;
}
