import type { UpstreamObserver } from './upstream-record.ts';

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
export interface MannersOptions extends UpstreamObserver {
  /** Requests at a time. The others wait in line. Default 16. */
  concurrency?: number | undefined;
  /** Requests in a second, also fewer than one. Default: any number. */
  requestsPerSecond?: number | undefined;
  /** Requests that may come at once after a time without any. Default: those of a second, at least 1. */
  burst?: number | undefined;
  /** Requests that may wait in line; one more fails at once. Default 1,000. */
  maxQueue?: number | undefined;
  /** A request that is known to have to wait longer fails at once, in milliseconds. Default 10,000. */
  maxWaitMs?: number | undefined;
  /** `false` asks an API however often it fails. */
  breaker?: BreakerOptions | false | undefined;
  /** Whether reading requests (GET and HEAD) that are the same and come at the same time are sent once. Default true. */
  singleFlight?: boolean | undefined;
}

/** Options with every default filled in. */
export interface MannersSettings {
  concurrency: number;
  /** Infinite where there is no limit. */
  requestsPerSecond: number;
  burst: number;
  maxQueue: number;
  maxWaitMs: number;
  breaker: { failures: number; pauseMs: number; maxPauseMs: number } | undefined;
  singleFlight: boolean;
}

/** Fills in the defaults, also for numbers that mean nothing. */
export function settleManners({
  concurrency,
  requestsPerSecond,
  burst,
  maxQueue,
  maxWaitMs,
  breaker = {},
  singleFlight = true,
}: MannersOptions): MannersSettings {
  const rate = atLeast(Number.MIN_VALUE, requestsPerSecond, Number.POSITIVE_INFINITY);
  return {
    concurrency: Math.floor(atLeast(1, concurrency, 16)),
    requestsPerSecond: rate,
    burst: Math.floor(atLeast(1, burst, Math.max(1, rate))),
    maxQueue: Math.floor(atLeast(0, maxQueue, 1000)),
    maxWaitMs: atLeast(0, maxWaitMs, 10_000),
    breaker: breaker === false ? undefined : settleBreaker(breaker),
    singleFlight,
  };
}

function settleBreaker({ failures, pauseMs, maxPauseMs }: BreakerOptions): MannersSettings['breaker'] {
  return {
    failures: Math.floor(atLeast(1, failures, 5)),
    pauseMs: atLeast(1, pauseMs, 10_000),
    maxPauseMs: atLeast(1, maxPauseMs, 300_000),
  };
}

function atLeast(least: number, value: number | undefined, otherwise: number): number {
  return typeof value === 'number' && value >= least ? value : otherwise;
}
