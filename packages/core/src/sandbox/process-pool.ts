import type { FromHost, HostCommand, HostJob, JobOutcome, LostJob } from './host-job.ts';
import { HostProcess } from './host-process.ts';

/** A job with what decides where it runs. */
export interface PoolJob<Content> extends HostJob<Content> {
  /** Jobs of one group share hosts, and no others. */
  group: string;
  /** Starts a host of the group. */
  command: () => HostCommand;
  signal?: AbortSignal | undefined;
}

/** What became of a job: `aborted` by its signal; `no-room` where no host became free in its time. */
export type PoolOutcome<Result, Failure> = JobOutcome<Result, Failure> | { type: 'aborted' } | { type: 'no-room' };

/** Host processes and the jobs that wait for one. */
export interface ProcessPool<Result, Failure, Content> {
  run(job: PoolJob<Content>): Promise<PoolOutcome<Result, Failure>>;
  /** Ends all hosts; what runs in them is lost. */
  close(): Promise<void>;
}

export interface PoolOptions<Result, Failure, Content> {
  /** Most hosts at a time. */
  size: number;
  /** Most hosts of a group, as far as there is room without ending others. */
  perGroup: number;
  /** With so many jobs in each host of a group, another one is started if there may be one. */
  comfortableJobs: number;
  /** Most jobs of a host at a time. */
  maxJobs: number;
  /** How long a host stays without jobs, in milliseconds. */
  idleMs: number;
  /** See `HostOptions`. */
  graceMs: number;
  read: (message: unknown) => FromHost<Result, Failure, Content> | undefined;
}

interface Member<Result, Failure, Content> {
  group: string;
  host: HostProcess<Result, Failure, Content>;
  /** Gets no more jobs and ends after those that it has. */
  retiring: boolean;
  /** Has a job that runs alone. */
  reserved: boolean;
  lastUsed: number;
  idleTimer: NodeJS.Timeout | undefined;
  gone: Promise<void>;
}

/** Makes a pool. Nothing is started before the first job. */
export function createProcessPool<Result, Failure, Content>({
  size,
  perGroup,
  comfortableJobs,
  maxJobs,
  idleMs,
  graceMs,
  read,
}: PoolOptions<Result, Failure, Content>): ProcessPool<Result, Failure, Content> {
  type Host = Member<Result, Failure, Content>;
  type Outcome = PoolOutcome<Result, Failure>;
  interface Waiting {
    job: PoolJob<Content>;
    /** It needs a host without other jobs. */
    alone: boolean;
    take: (member: Host) => void;
    /** Ends the wait without a host. */
    giveUp: (outcome: Outcome) => void;
  }
  const members = new Set<Host>();
  const waiting = new Set<Waiting>();
  let isClosed = false;

  /** Runs a job, once more where its host ended because of another: at once if it was not begun, else alone. */
  async function run(job: PoolJob<Content>): Promise<Outcome> {
    const waitUntil = performance.now() + job.timeoutMs;
    let outcome = await runOnce(job, { waitUntil });
    while (isLost(outcome) && outcome.again === 'anywhere') outcome = await runOnce(job, { waitUntil });
    // Alone, so that a second end of its host is its own doing.
    if (isLost(outcome) && outcome.again === 'alone') {
      outcome = await runOnce(job, { waitUntil: performance.now() + job.timeoutMs, alone: true });
    }
    return outcome;
  }

  function isLost(outcome: Outcome): outcome is LostJob {
    return outcome.type === 'lost' && !isClosed;
  }

  function runOnce(
    job: PoolJob<Content>,
    { waitUntil, alone = false }: { waitUntil: number; alone?: boolean },
  ): Promise<Outcome> {
    const { signal } = job;
    if (signal?.aborted) return Promise.resolve({ type: 'aborted' });
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    let cancel = (): unknown => waiting.delete(entry);
    const finish = (outcome: Outcome): void => {
      clearTimeout(patience);
      signal?.removeEventListener('abort', onAbort);
      cancel();
      resolve(outcome);
    };
    const onAbort = (): void => finish({ type: 'aborted' });
    const patience = setTimeout(() => finish({ type: 'no-room' }), Math.max(0, waitUntil - performance.now()));
    const entry: Waiting = {
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
    }
  }

  function findMember({ job: { group, command }, alone }: Waiting): Host | undefined {
    const own = [...members].filter((member) => member.group === group && !member.retiring);
    const able = own.filter(({ reserved, host }) => !reserved && !host.isStopping);
    const best = able.sort((left, right) => left.host.jobs - right.host.jobs)[0];
    if (best !== undefined && best.host.jobs < (alone ? 1 : comfortableJobs)) return best;
    const mayGrow = alone || own.length < perGroup;
    if (mayGrow && (members.size < size || ((alone || best === undefined) && makeRoom(alone ? undefined : group)))) {
      return addMember(group, command());
    }
    return !alone && best !== undefined && best.host.jobs < maxJobs ? best : undefined;
  }

  /** Ends the host that was idle for longest. Where none is idle, the one with the fewest jobs gets no others. */
  function makeRoom(except: string | undefined): boolean {
    if ([...members].some(({ retiring }) => retiring)) return false;
    const others = [...members].filter(({ group, reserved }) => group !== except && !reserved);
    const [first] = others.sort((left, right) => left.host.jobs - right.host.jobs || left.lastUsed - right.lastUsed);
    if (first !== undefined) retire(first);
    return members.size < size;
  }

  function addMember(group: string, command: HostCommand): Host {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const host = new HostProcess<Result, Failure, Content>(command, {
      read,
      graceMs,
      onChange: () => settleDown(member),
      onUnfit: () => retire(member),
      onEnd: () => {
        remove(member);
        resolve();
      },
    });
    const member: Host = { group, host, retiring: false, reserved: false, lastUsed: 0, idleTimer: undefined, gone };
    members.add(member);
    return member;
  }

  function settleDown(member: Host): void {
    if (member.host.jobs === 0) member.reserved = false;
    assign();
    if (member.host.jobs > 0 || !members.has(member)) return;
    if (member.retiring) {
      remove(member);
      member.host.kill('it was replaced');
      return;
    }
    clearTimeout(member.idleTimer);
    member.idleTimer = setTimeout(() => retire(member), idleMs).unref();
  }

  function retire(member: Host): void {
    member.retiring = true;
    settleDown(member);
  }

  function remove(member: Host): void {
    clearTimeout(member.idleTimer);
    if (members.delete(member)) assign();
  }

  async function close(): Promise<void> {
    isClosed = true;
    const cause = 'all hosts were closed';
    for (const { giveUp } of waiting) giveUp({ type: 'lost', reason: 'aborted', cause });
    const all = [...members];
    for (const { host } of all) host.kill(cause, 'aborted');
    await Promise.all(all.map(({ gone }) => gone));
  }

  return { run, close };
}
