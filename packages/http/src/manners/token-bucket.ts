/** Lets a number of requests through in a second. Times are in milliseconds of any clock that does not go back. */
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
