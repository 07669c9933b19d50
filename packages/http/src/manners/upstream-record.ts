/**
 * What became of a request:
 *
 * - `ok` and `error`: it was sent, and was answered with a status below 400, or otherwise
 * - `cancelled`: its caller did not wait for it
 * - `limited`: it was not sent because too many were waiting, or because it would have had to wait too long
 * - `open`: it was not sent because the API has failed repeatedly
 * - `shared`: it was answered by a request just like it that was already under way
 * - `cached`: it was answered from a cache
 */
export type UpstreamOutcome = 'ok' | 'error' | 'cancelled' | 'limited' | 'open' | 'shared' | 'cached';

/** One request to an API, for counts and logs. It holds no secrets. Retries are requests of their own. */
export interface UpstreamRecord {
  /** Scheme, host and port. */
  origin: string;
  outcome: UpstreamOutcome;
  /** How long it stood in line before it was sent, or before it was given up. */
  waitedMs: number;
  /** How long its answer took from then on. */
  durationMs: number;
  /** Of its answer, where there was one. */
  status?: number;
}

/** Whether an API is asked: always, for a trial, or not at all for the time being. */
export type BreakerState = 'closed' | 'half-open' | 'open';

/** Takes what happens to requests. */
export interface UpstreamObserver {
  onUpstream?: ((record: UpstreamRecord) => void) | undefined;
  /** Takes each change of whether an API is asked. */
  onBreaker?: ((change: { origin: string; state: BreakerState }) => void) | undefined;
}
