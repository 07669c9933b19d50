import { shownOrigin } from '../request-watch.ts';
import { createLimiter, type Limiter, type LimitOptions, type UpstreamRecord } from './limiter.ts';

/** Rate, concurrency and circuit breaker by origin, shared by all requests with the same object. */
export interface UpstreamLimits {
  /** @internal */
  limiterFor(target: { url: URL; origin: string }, secretValues: readonly string[]): Limiter;
  /** @internal */
  readonly singleFlight: boolean;
  /** @internal For requests that were not sent. */
  report(record: UpstreamRecord): void;
}

/** Handlers choose the origins of their requests, so their number needs a limit. Idle ones are evicted first. */
const maxOrigins = 1000;

/**
 * Creates limits that requests share: concurrency and rate of each origin, its `Retry-After`, and a circuit breaker.
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
      if (limiters.size >= maxOrigins) evictIdle(limiters);
      const limiter = createLimiter(shownOrigin(url, secretValues), settings);
      limiters.set(origin, limiter);
      return limiter;
    },
    singleFlight: options.singleFlight ?? true,
    report: (record) => onUpstream?.(record),
  };
}

/** A callback that throws must not stop requests. */
function neverThrowing<Event>(observe: (event: Event) => void): (event: Event) => void {
  return (event) => {
    try {
      observe(event);
    } catch {
      // Nothing to report it to: the callback is the reporter.
    }
  };
}

/** Running requests keep their limiter, even if it is evicted. */
function evictIdle(limiters: Map<string, Limiter>): void {
  for (const [origin, limiter] of limiters) if (limiter.isIdle()) limiters.delete(origin);
  const [oldest] = limiters.keys();
  if (limiters.size >= maxOrigins && oldest !== undefined) limiters.delete(oldest);
}
