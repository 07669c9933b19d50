import { availableParallelism } from 'node:os';
import { type HandlerFailure, lateFailure } from './handler-error.ts';
import { needsOwnHost } from './handler-program.ts';
import { type SpawnHost, spawnHost } from './host-child.ts';
import type { HostJob, JobOutcome, LostJob } from './host-job.ts';
import { type HostProcess, startHost } from './host-process.ts';
import type { PoolSettings } from './pool-settings.ts';

/** A job with what decides where it runs. */
export interface PoolJob extends HostJob {
  signal?: AbortSignal | undefined;
}

/** What became of a job; `aborted` by its signal. */
export type PoolOutcome = JobOutcome | { type: 'aborted' };

/** Hosts and the jobs that wait for one. */
export interface HostPool {
  run(job: PoolJob): Promise<PoolOutcome>;
  /** Ends all hosts; what runs in them is lost. */
  close(): Promise<void>;
}

interface Member {
  /** Which jobs may come here: `''` for all programs that share hosts, else the key of the only program. */
  group: string;
  host: HostProcess;
  /** Gets no more jobs and ends after those that it has. */
  retiring: boolean;
  /** Has a job that runs alone, and gets no other one beside it. */
  reserved: boolean;
  lastUsed: number;
  idleTimer: NodeJS.Timeout | undefined;
  gone: Promise<void>;
}

interface Waiting {
  group: string;
  job: PoolJob;
  /** It needs a host without other jobs. */
  alone: boolean;
  take: (member: Member) => void;
  /** Ends the wait without a host. */
  giveUp: (outcome: PoolOutcome) => void;
}

/** With so many jobs in each host, another host is started if there may be one. */
const COMFORTABLE_JOBS = 4;
/** After so many programs a host is replaced, since compartments are never given back. */
const MAX_PROGRAMS = 500;
/** So often a job is given to a host that ends before it begins it. */
const MAX_TRIES = 4;
/** After so many ends of a host with a program's code in it beside that of others, the program gets a host of its own. */
const MAX_STRIKES = 3;

/**
 * Makes a pool. Nothing is started before the first job.
 *
 * @param settings.size Default: the number of cores, at least 2 and at most 8.
 * @param settings.memoryMb Default 256.
 * @param settings.idleMs Default 60 s.
 * @param settings.spawn What a host is. Default: a process.
 * @param settings.shared False where no two programs may have a host in common. Default true.
 */
export function createHostPool({
  size = Math.min(Math.max(2, availableParallelism()), 8),
  memoryMb = 256,
  idleMs = 60_000,
  spawn = spawnHost,
  shared = true,
}: Partial<PoolSettings> & { spawn?: SpawnHost; shared?: boolean } = {}): HostPool {
  const members = new Set<Member>();
  const waiting = new Set<Waiting>();
  const strikes = new Map<string, number>();
  let isClosed = false;

  /** Runs a job, again where its host ended for another's sake: not begun, or begun without effects, it costs only time. */
  async function run(job: PoolJob): Promise<PoolOutcome> {
    let outcome = await runOnce(job);
    for (let tries = 1; tries < MAX_TRIES && isLost(outcome, 'anywhere'); tries += 1) outcome = await runOnce(job);
    if (isLost(outcome, 'alone')) outcome = await runAgainAlone(job, outcome);
    return outcome;
  }

  function isLost(outcome: PoolOutcome, again: LostJob['again']): outcome is LostJob {
    return outcome.type === 'lost' && outcome.again === again && !isClosed;
  }

  /** Alone, so that a second end of its host is its own doing. Its deadline stays where it was. */
  async function runAgainAlone(job: PoolJob, { usedMs }: LostJob): Promise<PoolOutcome> {
    const { limitMs = job.timeoutMs } = job;
    const timeoutMs = Math.ceil(job.timeoutMs - usedMs);
    if (timeoutMs <= 0) return { type: 'failed', failure: lateFailure(limitMs) };
    return runOnce({ ...job, timeoutMs, limitMs }, { alone: true });
  }

  function runOnce(job: PoolJob, { alone = false }: { alone?: boolean } = {}): Promise<PoolOutcome> {
    const { signal } = job;
    if (signal?.aborted) return Promise.resolve({ type: 'aborted' });
    const { promise, resolve } = Promise.withResolvers<PoolOutcome>();
    let cancel = (): void => {
      waiting.delete(entry);
    };
    const finish = (outcome: PoolOutcome): void => {
      clearTimeout(patience);
      signal?.removeEventListener('abort', onAbort);
      cancel();
      resolve(outcome);
    };
    const onAbort = (): void => finish({ type: 'aborted' });
    const patience = setTimeout(() => finish({ type: 'failed', failure: noRoom(job.timeoutMs) }), job.timeoutMs);
    const entry: Waiting = {
      group: groupOf(job),
      job,
      alone,
      take: (member) => {
        clearTimeout(patience);
        const running = member.host.run(job);
        cancel = running.cancel;
        running.outcome.then(finish);
      },
      giveUp: finish,
    };
    signal?.addEventListener('abort', onAbort);
    waiting.add(entry);
    assign();
    return promise;
  }

  /** Gives waiting jobs to hosts, in the order in which they came. */
  function assign(): void {
    for (const entry of waiting) {
      const member = findMember(entry);
      if (member === undefined) continue;
      waiting.delete(entry);
      clearTimeout(member.idleTimer);
      member.lastUsed = performance.now();
      member.reserved = entry.alone;
      entry.take(member);
      if (member.host.programs() >= MAX_PROGRAMS) retire(member);
    }
  }

  function findMember({ group, job, alone }: Waiting): Member | undefined {
    const able = [...members].filter(
      (member) =>
        member.group === group &&
        !member.retiring &&
        !member.reserved &&
        !member.host.isStalled() &&
        (!alone || member.host.busy() === 0),
    );
    const best = able.sort((left, right) => rank(left, job.key) - rank(right, job.key))[0];
    if (best !== undefined && best.host.busy() < COMFORTABLE_JOBS) return best;
    if (members.size < size) return addMember(group, job);
    if (best !== undefined) return best;
    // Somebody has to make room. A host that retires ends after the jobs that it has; `assign` comes again then.
    if (![...members].some(({ retiring }) => retiring)) retireOne(alone ? undefined : group);
    return members.size < size ? addMember(group, job) : undefined;
  }

  function addMember(group: string, job: PoolJob): Member {
    const folders = group === '' ? [] : (job.program?.libraries ?? []).flatMap((library) => library.folders);
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const host = startHost(
      { spawn, folders, memoryMb },
      {
        onChange: () => settleDown(member),
        onUnfit: () => retire(member),
        onSuspects: (keys) => {
          const programs = new Set(keys);
          const weight = programs.size === 1 ? MAX_STRIKES : 1;
          for (const key of programs) strikes.set(key, (strikes.get(key) ?? 0) + weight);
        },
        onEnd: () => {
          remove(member);
          resolve();
        },
      },
    );
    const lastUsed = performance.now();
    const member: Member = { group, host, retiring: false, reserved: false, lastUsed, idleTimer: undefined, gone };
    members.add(member);
    return member;
  }

  function settleDown(member: Member): void {
    if (member.host.busy() === 0) member.reserved = false;
    assign();
    if (member.host.busy() > 0 || !members.has(member)) return;
    if (member.retiring) {
      remove(member);
      member.host.close('it was replaced');
      return;
    }
    clearTimeout(member.idleTimer);
    member.idleTimer = setTimeout(() => retire(member), idleMs).unref();
  }

  function retire(member: Member): void {
    member.retiring = true;
    settleDown(member);
  }

  function retireOne(exceptGroup: string | undefined): void {
    const others = [...members].filter(({ group, reserved }) => group !== exceptGroup && !reserved);
    const [victim] = others.sort(
      (left, right) => left.host.busy() - right.host.busy() || left.lastUsed - right.lastUsed,
    );
    if (victim !== undefined) retire(victim);
  }

  function remove(member: Member): void {
    clearTimeout(member.idleTimer);
    members.delete(member);
    assign();
  }

  function groupOf({ key, program }: PoolJob): string {
    return !shared || (program !== undefined && needsOwnHost(program)) || (strikes.get(key) ?? 0) >= MAX_STRIKES
      ? key
      : '';
  }

  async function close(): Promise<void> {
    isClosed = true;
    const cause = 'all hosts were closed';
    for (const { giveUp } of waiting) giveUp({ type: 'lost', again: 'anywhere', usedMs: 0, cause });
    const all = [...members];
    for (const { host } of all) host.close(cause);
    await Promise.all(all.map(({ gone }) => gone));
  }

  return { run, close };
}

/** Few jobs first; among equals, a host that has the program already. */
function rank({ host }: Member, key: string): number {
  return host.busy() * 2 + (host.knows(key) ? 0 : 1);
}

function noRoom(timeoutMs: number): HandlerFailure {
  return {
    code: 'HANDLER_TIMEOUT',
    message: `No handler host became free within ${timeoutMs} ms`,
    hint: 'Make fewer calls at a time, or allow more hosts with SCHEMAKIT_HANDLER_HOSTS.',
  };
}
