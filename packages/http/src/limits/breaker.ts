/** Whether requests are sent: `closed` all, `half-open` one as a trial, `open` none. */
export type BreakerState = 'closed' | 'half-open' | 'open';

/** What a request says about the health of an API; undefined if nothing, such as a cancelled call. */
export type Health = 'works' | 'fails' | undefined;

/** When requests to a failing API are paused. */
export interface BreakerOptions {
  /** Failures in a row (of connections, or answers from 500 on) that open the circuit breaker. Default 5. */
  failures?: number | undefined;
  /** How long it stays open, in milliseconds; doubled each time that the trial fails. Default 10,000. */
  pauseMs?: number | undefined;
  /** The longest pause, in milliseconds. Default 300,000. */
  maxPauseMs?: number | undefined;
}

/** A circuit breaker: opens after failures in a row, and admits one trial after a pause (`half-open`). `now` is a monotonic clock. */
export interface Breaker {
  readonly state: BreakerState;
  /** Failures since the API last worked. */
  readonly failures: number;
  openForMs(now: number): number;
  /** Whether a request may be sent, and whether it is the trial; otherwise how long to wait. */
  admit(now: number): { ok: true; isTrial: boolean } | { ok: false; waitMs: number };
  report(health: Health, isTrial: boolean, now: number): void;
}

/** The wait reported to callers while a trial is running. */
const trialMs = 1000;

export function createBreaker(options: BreakerOptions, onState: (state: BreakerState) => void = () => {}): Breaker {
  const maxFailures = Math.floor(atLeast(1, options.failures, 5));
  const firstPauseMs = atLeast(1, options.pauseMs, 10_000);
  const maxPauseMs = atLeast(1, options.maxPauseMs, 300_000);
  let state: BreakerState = 'closed';
  let failures = 0;
  let pauseMs = firstPauseMs;
  let openUntil = 0;
  let isTrying = false;

  function enter(next: BreakerState): void {
    if (next === state) return;
    state = next;
    onState(next);
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
      if (state === 'closed') return { ok: true, isTrial: false };
      if (state === 'open' && now < openUntil) return { ok: false, waitMs: openUntil - now };
      enter('half-open');
      if (isTrying) return { ok: false, waitMs: trialMs };
      isTrying = true;
      return { ok: true, isTrial: true };
    },
    report(health, isTrial, now) {
      if (isTrial) isTrying = false;
      // A request that was sent before the breaker opened says nothing about now.
      if (health === undefined || (state !== 'closed' && !isTrial)) return;
      if (health === 'works') {
        failures = 0;
        pauseMs = firstPauseMs;
        enter('closed');
        return;
      }
      failures += 1;
      if (!isTrial && failures < maxFailures) return;
      openUntil = now + pauseMs;
      pauseMs = Math.min(pauseMs * 2, Math.max(maxPauseMs, firstPauseMs));
      enter('open');
    },
  };
}

/** A default for missing and invalid numbers. */
export function atLeast(least: number, value: number | undefined, otherwise: number): number {
  return typeof value === 'number' && value >= least ? value : otherwise;
}
