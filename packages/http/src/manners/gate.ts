import type { Deadline } from '../deadline.ts';
import type { Outcome } from '../exchange.ts';
import type { Hop } from '../hop.ts';
import type { HttpError } from '../http-error.ts';
import { parseRetryAfter } from '../retry.ts';
import { createBreaker, type Health } from './breaker.ts';
import { healthOf, outcomeOf } from './health-of.ts';
import { createLine, type Place } from './line.ts';
import type { MannersSettings } from './manners-options.ts';
import { circuitOpen, queueFull, retryLater } from './refusal.ts';
import { createTokenBucket } from './token-bucket.ts';
import type { BreakerState, UpstreamObserver } from './upstream-record.ts';

/** The permission to send one request. */
export interface Turn {
  readonly startedAt: number;
  /** How long it was waited for, in milliseconds. */
  readonly waitedMs: number;
  readonly isTrial: boolean;
}

/** Takes a request's time in line as soon as it has to wait: how long in milliseconds, where that is known. */
export type OnWait = (waitMs: number | undefined) => void;

/** What stands before an API, for all requests to it. */
export interface Gate {
  /** A turn, at once where nothing stands against it. Throws or rejects with an {@link HttpError} where there is none. */
  enter(hop: Hop, deadline: Deadline, onWait?: OnWait): Turn | Promise<Turn>;
  /** Gives a turn back; `outcome` is undefined for a request that was not sent after all. */
  leave(turn: Turn, outcome: Outcome | undefined): void;
  /** Whether requests are refused because the API has failed. */
  isOpen(): boolean;
  /** Whether nothing would be lost with it. */
  isIdle(): boolean;
}

interface Waiter extends Place {
  hop: Hop;
  deadline: Deadline;
  since: number;
  isTrial: boolean;
  grant(turn: Turn): void;
  refuse(error: HttpError): void;
}

/** An API may ask for any pause, but after this one it is asked whether it still means it. */
const longestPauseMs = 3_600_000;

/** @param origin As it is shown in records. */
export function createGate(origin: string, settings: MannersSettings, observer: UpstreamObserver): Gate {
  const { concurrency, maxQueue, maxWaitMs, requestsPerSecond, burst } = settings;
  const { onUpstream, onBreaker } = observer;
  const isLimited = requestsPerSecond < Number.POSITIVE_INFINITY;
  const bucket = isLimited ? createTokenBucket({ perSecond: requestsPerSecond, burst }) : undefined;
  const breaker = settings.breaker && createBreaker(settings.breaker);
  const line = createLine<Waiter>();
  let active = 0;
  let pausedUntil = 0;
  let meanMs = 0;
  let lastFailure = '';
  let timer: NodeJS.Timeout | undefined;

  function enter(hop: Hop, deadline: Deadline, onWait?: OnWait): Turn | Promise<Turn> {
    const now = performance.now();
    const isTrial = breaker !== undefined && breaker.state !== 'closed' && admitTrial(hop, now);
    if (line.length === 0 && active < concurrency && now >= pausedUntil && (bucket === undefined || bucket.take(now))) {
      active += 1;
      return { startedAt: now, waitedMs: 0, isTrial };
    }
    const refusal = whyNotWait(hop, deadline, now);
    if (refusal === undefined) return wait({ hop, deadline, since: now, isTrial }, onWait);
    giveBack(isTrial, now);
    tell('limited', 0);
    throw refusal;
  }

  /** True: while the breaker is not closed, whoever is let in is the trial. */
  function admitTrial(hop: Hop, now: number): boolean {
    const admission = changing(() => breaker?.admit(now));
    if (admission === undefined || admission.ok) return admission?.isTrial ?? false;
    tell('open', 0);
    throw circuitOpen(hop, { failures: breaker?.failures ?? 0, last: lastFailure, waitMs: admission.waitMs });
  }

  function whyNotWait(hop: Hop, deadline: Deadline, now: number): HttpError | undefined {
    const pauseMs = Math.max(0, pausedUntil - now);
    const rateMs = bucket?.waitMs(now, line.length) ?? 0;
    const waitMs = Math.max(pauseMs, rateMs);
    if (waitMs > longestWait(deadline)) {
      const reason = pauseMs >= rateMs ? 'it asked for a pause' : `it gets ${requestsPerSecond} requests in a second`;
      return retryLater(hop, { reason, waitMs });
    }
    if (line.length < maxQueue) return undefined;
    return queueFull(hop, { length: line.length, waitMs: Math.max(waitMs, (line.length / concurrency) * meanMs) });
  }

  function longestWait(deadline: Deadline): number {
    return Math.min(maxWaitMs, deadline.remainingMs());
  }

  function wait(
    place: Pick<Waiter, 'hop' | 'deadline' | 'since' | 'isTrial'>,
    onWait: OnWait | undefined,
  ): Promise<Turn> {
    const { deadline, since, isTrial, hop } = place;
    const pauseMs = Math.max(pausedUntil - since, bucket?.waitMs(since, line.length) ?? 0);
    try {
      onWait?.(pauseMs > 0 ? pauseMs : undefined);
    } catch (error) {
      giveBack(isTrial, since);
      throw error;
    }
    return new Promise((resolve, reject) => {
      let isWaiting = true;
      /** False where it has left already: observers may end requests that are about to be sent away. */
      const leaveLine = () => {
        if (!isWaiting) return false;
        isWaiting = false;
        line.remove(waiter);
        deadline.onEnd = undefined;
        deadline.waitingSince = undefined;
        deadline.waitedMs += performance.now() - since;
        return true;
      };
      const waiter: Waiter = {
        ...place,
        grant(turn) {
          if (leaveLine()) resolve(turn);
        },
        refuse(error) {
          if (!leaveLine()) return;
          const now = performance.now();
          giveBack(isTrial, now);
          tell(error.code === 'ETIMEDOUT' ? 'limited' : outcomeOf({ error, answered: false }), now - since);
          reject(error);
        },
      };
      line.add(waiter);
      deadline.waitingSince = since;
      deadline.onEnd = () => waiter.refuse(deadline.error(hop.url));
      admitNext();
    });
  }

  /** Lets in who is first in line, as many as may be. */
  function admitNext(): void {
    for (let waiter = line.first(); waiter !== undefined && active < concurrency; waiter = line.first()) {
      const now = performance.now();
      const waitMs = pausedUntil > now ? pausedUntil - now : (bucket?.waitMs(now, 0) ?? 0);
      if (pausedUntil > now || bucket?.take(now) === false) {
        wakeIn(waitMs);
        return;
      }
      active += 1;
      waiter.grant({ startedAt: now, waitedMs: now - waiter.since, isTrial: waiter.isTrial });
    }
  }

  function wakeIn(waitMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(admitNext, Math.ceil(waitMs));
  }

  function leave(turn: Turn, outcome: Outcome | undefined): void {
    active -= 1;
    const now = performance.now();
    if (outcome === undefined) giveBack(turn.isTrial, now);
    else learn(turn, outcome, now);
    if (line.length > 0) admitNext();
  }

  function learn({ startedAt, waitedMs, isTrial }: Turn, outcome: Outcome, now: number): void {
    const durationMs = now - startedAt;
    meanMs += (durationMs - meanMs) / 8;
    const { reply } = outcome;
    if (reply !== undefined && (reply.status === 429 || reply.status === 503))
      keepPause(reply.headers['retry-after'], now);
    // One that stood in line for most of its time was late for other reasons.
    const isLate = outcome.error?.code === 'ETIMEDOUT' && waitedMs > durationMs;
    if (breaker !== undefined) takeHealth(outcome, isLate ? undefined : healthOf(outcome), { isTrial, now });
    tell(outcomeOf(outcome), waitedMs, durationMs, reply?.status);
  }

  function takeHealth(outcome: Outcome, health: Health, { isTrial, now }: { isTrial: boolean; now: number }): void {
    if (health === 'works' && !isTrial && breaker?.failures === 0) return;
    if (health === 'fails') lastFailure = outcome.reply ? `HTTP ${outcome.reply.status}` : outcome.error.code;
    changing(() => breaker?.take(health, isTrial, now));
    if (breaker?.state !== 'open') return;
    const { failures } = breaker;
    for (const waiter of line.all()) {
      waiter.refuse(circuitOpen(waiter.hop, { failures, last: lastFailure, waitMs: breaker.openForMs(now) }));
    }
  }

  /** Keeps to `Retry-After` (RFC 9110 10.2.3). Those who would wait too long are told at once. */
  function keepPause(retryAfter: string | undefined, now: number): void {
    const asked = parseRetryAfter(retryAfter, Date.now());
    if (asked === undefined) return;
    pausedUntil = Math.max(pausedUntil, now + Math.min(asked, longestPauseMs));
    const waitMs = pausedUntil - now;
    for (const waiter of line.all()) {
      if (waitMs > longestWait(waiter.deadline)) {
        waiter.refuse(retryLater(waiter.hop, { reason: 'it asked for a pause', waitMs }));
      }
    }
  }

  function giveBack(isTrial: boolean, now: number): void {
    if (isTrial) breaker?.take(undefined, true, now);
  }

  function changing<Result>(change: () => Result): Result {
    const before: BreakerState | undefined = breaker?.state;
    const result = change();
    const state = breaker?.state;
    if (state !== undefined && state !== before) onBreaker?.({ origin, state });
    return result;
  }

  function tell(outcome: ReturnType<typeof outcomeOf>, waitedMs: number, durationMs = 0, status?: number): void {
    onUpstream?.({ origin, outcome, waitedMs, durationMs, ...(status !== undefined && { status }) });
  }

  return {
    enter,
    leave,
    isOpen: () => breaker?.state === 'open',
    isIdle: () => active === 0 && line.length === 0 && pausedUntil <= performance.now() && !breaker?.failures,
  };
}
