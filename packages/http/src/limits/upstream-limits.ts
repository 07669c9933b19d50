import { shownOrigin } from '../request-watch.ts';
import { createLimiter, type Limiter, type LimitOptions, type UpstreamRecord } from './limiter.ts';

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
  const onUpstream = options.onUpstream && neverThrowing(options.onUpstream);
  const onBreaker = options.onBreaker && neverThrowing(options.onBreaker);
  const settings = { ...options, onUpstream, onBreaker };
  const limiters = new Map<string, Limiter>();
  return {
    limiterFor({ url, origin }, secretValues) {
      const known = limiters.get(origin);
      if (known !== undefined) return known;
      if (limiters.size >= maxOrigins) forgetSome(limiters);
      const limiter = createLimiter(shownOrigin(url, secretValues), settings);
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
