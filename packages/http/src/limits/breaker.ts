/** Whether an API is asked: always, for a trial, or not at all for the time being. */
export type BreakerState = 'closed' | 'half-open' | 'open';

/** What the end of a request says about an API; undefined where it says nothing, such as for a cancelled call. */
export type Health = 'works' | 'fails' | undefined;

/** When an API that fails is left alone. */
export interface BreakerOptions {
  /** Failures in a row, of connections and answers from 500 on, after which it is not asked for a while. Default 5. */
  failures?: number | undefined;
  /** How long it is not asked, in milliseconds; twice as long each time that it still fails afterwards. Default 10,000. */
  pauseMs?: number | undefined;
  /** The longest of these times, in milliseconds. Default 300,000. */
  maxPauseMs?: number | undefined;
}

/**
 * A circuit breaker: after some failures in a row no request is admitted (`open`); after a pause one request is admitted as a trial
 * (`half-open`), and its end decides. `now` is in milliseconds of any clock that does not go back.
 */
export interface Breaker {
  readonly state: BreakerState;
  /** Failures since the API last worked. */
  readonly failures: number;
  /** How long it stays open. */
  openForMs(now: number): number;
  /** Whether a request may be sent, and whether it is the trial; otherwise how long to wait before asking again. */
  admit(now: number): { ok: true; isTrial: boolean } | { ok: false; waitMs: number };
  /** Reports the end of an admitted request. */
  report(health: Health, isTrial: boolean, now: number): void;
}

/** The wait that callers are told while a trial is running. */
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

/** The default for options that are not given, and for numbers that mean nothing. */
export function atLeast(least: number, value: number | undefined, otherwise: number): number {
  return typeof value === 'number' && value >= least ? value : otherwise;
}
