import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTokenBucket } from './limiter.ts';

describe('a token bucket', () => {
  it('admits a burst at once, and then one after the other', () => {
    const bucket = createTokenBucket({ perSecond: 10, burst: 3 });
    expect([0, 0, 0, 0].map((now) => bucket.take(now))).toEqual([true, true, true, false]);
    expect(bucket.waitMs(0, 0)).toBe(100);
    expect(bucket.waitMs(0, 2)).toBe(300);
    expect(bucket.take(100)).toBe(true);
    expect(bucket.take(100)).toBe(false);
  });

  it('may be below one per second', () => {
    const bucket = createTokenBucket({ perSecond: 0.5, burst: 1 });
    expect(bucket.take(0)).toBe(true);
    expect(bucket.waitMs(500, 0)).toBe(1500);
    expect(bucket.take(2000)).toBe(true);
  });

  it('never admits more than its rate and its burst', () => {
    const gaps = fc.array(fc.nat(400), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 10 }), (waits, perSecond, burst) => {
        const bucket = createTokenBucket({ perSecond, burst });
        const taken: number[] = [];
        let now = 0;
        for (const wait of waits) {
          now += wait;
          if (bucket.take(now)) taken.push(now);
        }
        for (const [index, from] of taken.entries()) {
          for (const [more, to] of taken.slice(index).entries()) {
            // A timer that is early by half a millisecond is let through.
            const allowed = burst + ((to - from + 0.5) * perSecond) / 1000;
            expect(more + 1).toBeLessThanOrEqual(Math.floor(allowed + 1e-6) + 1);
          }
        }
      }),
    );
  });
});
