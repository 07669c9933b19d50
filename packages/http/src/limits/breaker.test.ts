import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBreaker } from './breaker.ts';

const settings = { failures: 3, pauseMs: 1000, maxPauseMs: 4000 };

function failing(times: number, now: number) {
  const breaker = createBreaker(settings);
  for (let i = 0; i < times; i += 1) breaker.report('fails', false, now);
  return breaker;
}

describe('a breaker', () => {
  it('opens after the given number of failures in a row', () => {
    expect(failing(2, 0).admit(0)).toEqual({ ok: true, isTrial: false });
    expect(failing(3, 0).admit(400)).toEqual({ ok: false, waitMs: 600 });
  });

  it('forgets failures when a request works', () => {
    const breaker = failing(2, 0);
    breaker.report('works', false, 0);
    breaker.report('fails', false, 0);
    breaker.report('fails', false, 0);
    expect(breaker.state).toBe('closed');
  });

  it('admits one request after the pause, and closes when it succeeds', () => {
    const breaker = failing(3, 0);
    expect(breaker.admit(1000)).toEqual({ ok: true, isTrial: true });
    expect(breaker.state).toBe('half-open');
    expect(breaker.admit(1000)).toMatchObject({ ok: false });
    breaker.report('works', true, 1100);
    expect(breaker.admit(1100)).toEqual({ ok: true, isTrial: false });
  });

  it('waits longer after each failed trial, up to a maximum', () => {
    const breaker = failing(3, 0);
    let now = 0;
    const pauses = [1000, 2000, 4000, 4000].map((pause) => {
      expect(breaker.admit(now + pause - 1)).toMatchObject({ ok: false });
      now += pause;
      expect(breaker.admit(now)).toEqual({ ok: true, isTrial: true });
      breaker.report('fails', true, now);
      return pause;
    });
    expect(pauses).toHaveLength(4);
  });

  it('tries again if the trial was cancelled', () => {
    const breaker = failing(3, 0);
    breaker.admit(1000);
    breaker.report(undefined, true, 1001);
    expect(breaker.admit(1002)).toEqual({ ok: true, isTrial: true });
  });

  it('ignores requests that were running when it opened', () => {
    const breaker = failing(3, 0);
    breaker.report('works', false, 10);
    expect(breaker.state).toBe('open');
    breaker.report('fails', false, 10);
    expect(breaker.failures).toBe(3);
  });

  it('never admits two trials at a time, and always one in the end', () => {
    const step = fc.record({
      after: fc.nat(3000),
      ends: fc.constantFrom('works' as const, 'fails' as const, undefined),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const breaker = createBreaker(settings);
        let now = 0;
        let trials = 0;
        for (const { after, ends } of steps) {
          now += after;
          const admission = breaker.admit(now);
          if (!admission.ok) continue;
          if (admission.isTrial) {
            trials += 1;
            expect(breaker.admit(now)).toMatchObject({ ok: false });
          }
          breaker.report(ends, admission.isTrial, now);
        }
        expect(breaker.admit(now + settings.maxPauseMs).ok).toBe(true);
        expect(trials).toBeLessThanOrEqual(steps.length);
      }),
    );
  });
});
