import {
  LeaseLostError,
  type NewRun,
  type RunCounts,
  type RunPhase,
  type RunRequest,
  type StoredRun,
} from './run-store.ts';

// How runs change. A store reads the run, asks here what becomes of it, and writes that, with nothing in between.

export function newRun(run: NewRun): StoredRun {
  return { ...run, phase: 'waiting', updatedAt: run.createdAt, fence: 0, kills: 0, isCancelled: false };
}

/** @param run One that waits, or whose lease has run out. */
export function claimed(run: StoredRun, { leaseMs, now }: { leaseMs: number; now: number }): StoredRun {
  const kills = run.phase === 'running' ? run.kills + 1 : run.kills;
  return { ...run, phase: 'running', updatedAt: now, fence: run.fence + 1, leaseEndsAt: now + leaseMs, kills };
}

/**
 * The run, if its lease is the one with this number.
 *
 * @throws {@link LeaseLostError} if not.
 */
export function leased(run: StoredRun | undefined, id: string, fence: number): StoredRun {
  if (run === undefined) throw new LeaseLostError(`The run ${id} does not exist, or has expired`);
  if (run.phase !== 'running') throw new LeaseLostError(`The run ${id} is ${run.phase}: lease ${fence} has ended`);
  if (run.fence !== fence) throw new LeaseLostError(`The run ${id} has lease ${run.fence} by now, and not ${fence}`);
  return run;
}

/** @throws {@link LeaseLostError} if the journal is not as long as the worker thinks. */
export function assertLength(length: number, id: string, from: number): void {
  if (length !== from)
    throw new LeaseLostError(`The journal of the run ${id} has ${length} entries, and not ${from}: read it again`);
}

export function written(run: StoredRun, { phase: wanted, now }: { phase: RunPhase; now: number }): StoredRun {
  const { leaseEndsAt, answer, ...rest } = run;
  // Nobody would claim a paused run to end it.
  const phase = wanted === 'paused' && run.isCancelled ? 'waiting' : wanted;
  return {
    ...rest,
    phase,
    updatedAt: now,
    ...(phase === 'running' && leaseEndsAt !== undefined && { leaseEndsAt }),
    ...(phase !== 'paused' && answer !== undefined && { answer }),
  };
}

/** Undefined where the request does not fit the phase of the run. */
export function requested(run: StoredRun, request: RunRequest, now: number): StoredRun | undefined {
  const waiting = { ...run, phase: 'waiting' as const, updatedAt: now };
  switch (request.type) {
    case 'cancel':
      if (run.phase === 'ended' || run.isCancelled) return undefined;
      return { ...(run.phase === 'paused' ? waiting : { ...run, updatedAt: now }), isCancelled: true };
    case 'answer':
      return run.phase === 'paused' ? { ...waiting, answer: request.answer } : undefined;
    case 'retry':
      return run.phase === 'ended' ? { ...waiting, kills: 0, isCancelled: false } : undefined;
  }
}

/** @param groups How many runs there are in each phase that any is in, and when the oldest was created. */
export function countsOf(
  groups: readonly { phase: RunPhase; count: number; oldest: number }[],
  kills: number,
): RunCounts {
  const counts: RunCounts = { waiting: 0, running: 0, paused: 0, ended: 0, kills };
  for (const { phase, count, oldest } of groups) {
    counts[phase] = count;
    if (phase === 'waiting') counts.oldestWaitingAt = oldest;
  }
  return counts;
}
