import { availableParallelism } from 'node:os';
import { type HostJob, type HostProcess, type JobOutcome, startHost } from './host-process.ts';

/** A job with what decides where it runs. */
export interface PoolJob extends HostJob {
  signal?: AbortSignal | undefined;
}

/** What became of a job; `aborted` by its signal. */
export type PoolOutcome = JobOutcome | { type: 'aborted' };

/** Host processes and the jobs that wait for one. */
export interface HostPool {
  run(job: PoolJob): Promise<PoolOutcome>;
  /** Ends all hosts; what runs in them is lost. */
  close(): Promise<void>;
}

interface Member {
  /** Which jobs may come here: `''` for all programs without libraries, else the key of the only program. */
  group: string;
  host: HostProcess;
  /** Gets no more jobs and ends after those that it has. */
  retiring: boolean;
  lastUsed: number;
  idleTimer: NodeJS.Timeout | undefined;
  gone: Promise<void>;
}

interface Waiting {
  group: string;
  job: PoolJob;
  take: (member: Member) => void;
  /** Ends the wait without a host. */
  giveUp: (outcome: PoolOutcome) => void;
}

/** With so many jobs in each host, another host is started if there may be one. */
const COMFORTABLE_JOBS = 4;
/** After so many programs a host is replaced, since compartments are never given back. */
const MAX_PROGRAMS = 500;
/** After so many ends of a host with a program's code in it, the program gets a host of its own. */
const MAX_STRIKES = 3;

/**
 * Makes a pool. Nothing is started before the first job.
 *
 * @param size Most hosts at a time; default: the number of cores, at least 2.
 * @param idleMs How long a host stays without jobs; default 60 s.
 * @param memoryMb Heap of a host in MiB; default 256.
 */
export function createHostPool({
  size = Math.max(2, availableParallelism()),
  idleMs = 60_000,
  memoryMb = 256,
}: {
  size?: number;
  idleMs?: number;
  memoryMb?: number;
} = {}): HostPool {
  const members = new Set<Member>();
  const waiting = new Set<Waiting>();
  const strikes = new Map<string, number>();
  let isClosed = false;

  async function run(job: PoolJob): Promise<PoolOutcome> {
    const outcome = await runOnce(job);
    // Not begun means without effects, so a host that ended for another's sake costs nothing but time.
    return outcome.type === 'lost' && !outcome.started && !isClosed ? runOnce(job) : outcome;
  }

  function runOnce(job: PoolJob): Promise<PoolOutcome> {
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
      entry.take(member);
      if (member.host.programs() >= MAX_PROGRAMS) retire(member);
    }
  }

  function findMember({ group, job }: Waiting): Member | undefined {
    const able = [...members].filter(
      (member) => member.group === group && !member.retiring && !member.host.isStalled(),
    );
    const best = able.sort((left, right) => rank(left, job.key) - rank(right, job.key))[0];
    if (best !== undefined && best.host.busy() < COMFORTABLE_JOBS) return best;
    if (members.size < size) return addMember(group, job);
    if (best !== undefined) return best;
    // Another group has to make room. Its host ends after the jobs that it has; `assign` comes again then.
    if (![...members].some(({ retiring }) => retiring)) retireOneOf(group);
    return members.size < size ? addMember(group, job) : undefined;
  }

  function addMember(group: string, job: PoolJob): Member {
    const folders = group === '' ? [] : (job.program?.libraries ?? []).flatMap((library) => library.folders);
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const host = startHost(
      { folders, memoryMb },
      {
        onChange: () => settleDown(member),
        onUnfit: () => retire(member),
        onEnd: (suspects) => {
          for (const key of suspects) strikes.set(key, (strikes.get(key) ?? 0) + 1);
          remove(member);
          resolve();
        },
      },
    );
    const member: Member = { group, host, retiring: false, lastUsed: performance.now(), idleTimer: undefined, gone };
    members.add(member);
    return member;
  }

  function settleDown(member: Member): void {
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

  function retireOneOf(exceptGroup: string): void {
    const others = [...members].filter(({ group }) => group !== exceptGroup);
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
    const bringsCode = program?.libraries.some(({ entry }) => entry !== '') ?? false;
    return bringsCode || (strikes.get(key) ?? 0) >= MAX_STRIKES ? key : '';
  }

  async function close(): Promise<void> {
    isClosed = true;
    const cause = 'all hosts were closed';
    for (const { giveUp } of waiting) giveUp({ type: 'lost', started: false, cause });
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

function noRoom(timeoutMs: number): { code: 'HANDLER_TIMEOUT'; message: string; hint: string } {
  return {
    code: 'HANDLER_TIMEOUT',
    message: `No handler host became free within ${timeoutMs} ms`,
    hint: 'Make fewer calls at a time, or allow more hosts with SCHEMAKIT_HANDLER_HOSTS.',
  };
}
