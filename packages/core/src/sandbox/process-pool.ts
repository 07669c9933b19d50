import type { FromHost, HostCommand, HostJob, JobOutcome, LostJob } from './host-process.ts';
import { HostProcess } from './host-process.ts';

export interface PoolJob<Content> extends HostJob<Content> {
  /** Only jobs of the same group share hosts. */
  group: string;
  command: () => HostCommand;
  signal?: AbortSignal | undefined;
}

/** `aborted` by the job's signal; `queue-timeout` if no host became free in time. */
export type PoolOutcome<Result, Failure> =
  | JobOutcome<Result, Failure>
  | { type: 'aborted' }
  | { type: 'queue-timeout' };

export interface Pool<Job, Outcome> {
  run(job: Job): Promise<Outcome>;
  /** Kills all hosts; their jobs are lost. */
  close(): Promise<void>;
}

export interface PoolOptions<Result, Failure, Content> {
  /** Most hosts at a time. */
  size: number;
  /** Most hosts of a group. Only its first one evicts hosts of other groups. */
  perGroup: number;
  /** Once each host of a group has this many jobs, the group gets another one. */
  targetJobs: number;
  /** Most jobs of a host at a time. */
  maxJobs: number;
  /** How long a host may be idle, in milliseconds. */
  idleMs: number;
  graceMs: number;
  read: (message: unknown) => FromHost<Result, Failure, Content> | undefined;
}

interface Member<Result, Failure, Content> {
  group: string;
  host: HostProcess<Result, Failure, Content>;
  /** Gets no more jobs, and ends after its last one. */
  retiring: boolean;
  reserved: boolean;
  lastUsed: number;
  idleTimer: NodeJS.Timeout | undefined;
  gone: Promise<void>;
}

/** Host processes with a queue of jobs. The first job starts the first host. */
export function createProcessPool<Result, Failure, Content>(
  options: PoolOptions<Result, Failure, Content>,
): Pool<PoolJob<Content>, PoolOutcome<Result, Failure>> {
  const { size, perGroup, targetJobs, maxJobs, idleMs, graceMs, read } = options;
  type Host = Member<Result, Failure, Content>;
  type Outcome = PoolOutcome<Result, Failure>;
  interface QueuedJob {
    job: PoolJob<Content>;
    alone: boolean;
    start: (member: Host) => void;
    /** Removes the job from the queue. */
    giveUp: (outcome: Outcome) => void;
  }
  const members = new Set<Host>();
  const queue = new Set<QueuedJob>();
  let isClosed = false;

  /** Retries a job whose host ended because of another job: in any host if it had not started, else alone in one. */
  async function run(job: PoolJob<Content>): Promise<Outcome> {
    const queueUntil = performance.now() + job.timeoutMs;
    let outcome = await runOnce(job, { queueUntil });
    while (isLost(outcome) && outcome.retry === 'anywhere') outcome = await runOnce(job, { queueUntil });
    // Alone, so that it is to blame if its host ends again.
    if (isLost(outcome) && outcome.retry === 'alone') {
      outcome = await runOnce(job, { queueUntil: performance.now() + job.timeoutMs, alone: true });
    }
    return outcome;
  }

  const isLost = (outcome: Outcome): outcome is LostJob => outcome.type === 'lost' && !isClosed;

  function runOnce(
    job: PoolJob<Content>,
    { queueUntil, alone = false }: { queueUntil: number; alone?: boolean },
  ): Promise<Outcome> {
    const { signal } = job;
    if (signal?.aborted) return Promise.resolve({ type: 'aborted' });
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    let cancel = (): unknown => queue.delete(entry);
    const finish = (outcome: Outcome): void => {
      clearTimeout(queueTimer);
      signal?.removeEventListener('abort', onAbort);
      cancel();
      resolve(outcome);
    };
    const onAbort = (): void => finish({ type: 'aborted' });
    const queueTimer = setTimeout(() => finish({ type: 'queue-timeout' }), Math.max(0, queueUntil - performance.now()));
    const entry: QueuedJob = {
      job,
      alone,
      start: (member) => {
        clearTimeout(queueTimer);
        const running = member.host.run(job);
        cancel = running.cancel;
        running.outcome.then(finish);
      },
      giveUp: finish,
    };
    signal?.addEventListener('abort', onAbort);
    queue.add(entry);
    assign();
    return promise;
  }

  /** Starts queued jobs, oldest first, as far as hosts are free. */
  function assign(): void {
    for (const entry of queue) {
      const member = findMember(entry);
      if (member === undefined) continue;
      queue.delete(entry);
      clearTimeout(member.idleTimer);
      member.lastUsed = performance.now();
      member.reserved = entry.alone;
      entry.start(member);
    }
  }

  function findMember({ job: { group, command }, alone }: QueuedJob): Host | undefined {
    const own = [...members].filter((member) => member.group === group && !member.retiring);
    const able = own.filter(({ reserved, host }) => !reserved && !host.isStopping);
    const best = able.sort((left, right) => left.host.jobs - right.host.jobs)[0];
    if (best !== undefined && best.host.jobs < (alone ? 1 : targetJobs)) return best;
    const mayGrow = alone || own.length < perGroup;
    if (mayGrow && (members.size < size || ((alone || best === undefined) && evict(alone ? undefined : group)))) {
      return addMember(group, command());
    }
    return !alone && best !== undefined && best.host.jobs < maxJobs ? best : undefined;
  }

  /** Retires the host that has been idle longest, else the one with the fewest jobs. Tells whether there is room now. */
  function evict(except: string | undefined): boolean {
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
      onChange: () => update(member),
      onRetire: () => retire(member),
      onEnd: () => {
        remove(member);
        resolve();
      },
    });
    const member: Host = { group, host, retiring: false, reserved: false, lastUsed: 0, idleTimer: undefined, gone };
    members.add(member);
    return member;
  }

  function update(member: Host): void {
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
    update(member);
  }

  function remove(member: Host): void {
    clearTimeout(member.idleTimer);
    if (members.delete(member)) assign();
  }

  async function close(): Promise<void> {
    isClosed = true;
    const cause = 'all hosts were closed';
    for (const { giveUp } of queue) giveUp({ type: 'lost', reason: 'aborted', cause });
    const all = [...members];
    for (const { host } of all) host.kill(cause, 'aborted');
    await Promise.all(all.map(({ gone }) => gone));
  }

  return { run, close };
}
