import type { MannersSettings } from './manners-options.ts';
import type { BreakerState } from './upstream-record.ts';

/** What the end of a request says about an API; nothing where its caller gave it up. */
export type Health = 'works' | 'fails' | undefined;

/**
 * Knows whether an API is worth asking. After some failures in a row it is not (`open`); after a while one request is let
 * through for a trial (`half-open`), whose end decides. Times are in milliseconds of any clock that does not go back.
 */
export interface Breaker {
  readonly state: BreakerState;
  /** Failures since it last worked. */
  readonly failures: number;
  /** How long it stays open. */
  openForMs(now: number): number;
  /** Whether a request may be sent, and whether it is the trial; otherwise how long there will be none. */
  admit(now: number): { ok: true; isTrial: boolean } | { ok: false; waitMs: number };
  /** Takes how a request ended that was admitted. */
  take(health: Health, isTrial: boolean, now: number): void;
}

/** How often a caller is told to ask again while a trial is under way, in milliseconds. */
const trialMs = 1000;

const admitted = { ok: true, isTrial: false } as const;

export function createBreaker({
  failures: maxFailures,
  pauseMs: firstPauseMs,
  maxPauseMs,
}: NonNullable<MannersSettings['breaker']>): Breaker {
  let state: BreakerState = 'closed';
  let failures = 0;
  let pauseMs = firstPauseMs;
  let openUntil = 0;
  let isTrying = false;

  function open(now: number): void {
    state = 'open';
    openUntil = now + pauseMs;
    pauseMs = Math.min(pauseMs * 2, Math.max(maxPauseMs, firstPauseMs));
  }

  return {
    get state() {
      return state;
    },
    get failures() {
      return failures;
    },
    openForMs: (now) => Math.max(0, openUntil - now),
    admit(now) {
      if (state === 'closed') return admitted;
      if (state === 'open' && now < openUntil) return { ok: false, waitMs: openUntil - now };
      state = 'half-open';
      if (isTrying) return { ok: false, waitMs: trialMs };
      isTrying = true;
      return { ok: true, isTrial: true };
    },
    take(health, isTrial, now) {
      if (isTrial) isTrying = false;
      // What was under way when it opened says nothing about now.
      if (health === undefined || (state !== 'closed' && !isTrial)) return;
      if (health === 'works') {
        state = 'closed';
        failures = 0;
        pauseMs = firstPauseMs;
      } else {
        failures += 1;
        if (isTrial || failures >= maxFailures) open(now);
      }
    },
  };
}
