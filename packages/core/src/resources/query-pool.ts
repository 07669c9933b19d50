import type { QueryTask } from './query-message.ts';
import { type QueryOutcome, type QueryProcess, startQueryProcess } from './query-process.ts';

/** A query, where it runs and for how long. */
export interface QueryJob {
  /** Absolute path of the database. */
  database: string;
  task: QueryTask;
  /** From the moment at which the query begins; it waits as long for a host at most. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** Host processes, each for one database, and the queries that wait for one. */
export interface QueryPool {
  run(job: QueryJob): Promise<QueryOutcome>;
  /** Ends all hosts; what runs in them is lost. */
  close(): Promise<void>;
}

interface Member {
  database: string;
  host: QueryProcess;
  /** When its query was given to it; undefined without one. */
  busySince: number | undefined;
  lastUsed: number;
  idleTimer: NodeJS.Timeout | undefined;
  gone: Promise<void>;
}

interface Waiting {
  job: QueryJob;
  take: (member: Member) => void;
}

/** Another host for the same database is worth its start when a query takes longer than this. */
const SLOW_MS = 250;

/**
 * Makes a pool. Nothing is started before the first query.
 *
 * @param size Most hosts at a time; default 4.
 * @param sizePerDatabase Most hosts for one database; default 2, so that a slow query does not stop the others.
 * @param idleMs How long a host stays without queries; default 60 s.
 * @param memoryMb Most memory of a host in MiB; default 512.
 */
export function createQueryPool({
  size = 4,
  sizePerDatabase = 2,
  idleMs = 60_000,
  memoryMb = 512,
}: {
  size?: number;
  sizePerDatabase?: number;
  idleMs?: number;
  memoryMb?: number;
} = {}): QueryPool {
  const members = new Set<Member>();
  const waiting = new Set<Waiting>();
  let growTimer: NodeJS.Timeout | undefined;

  function run(job: QueryJob): Promise<QueryOutcome> {
    const { signal, timeoutMs } = job;
    return new Promise((resolve) => {
      let host: QueryProcess | undefined;
      const stop = (reason: 'deadline' | 'aborted', cause: string): void => {
        waiting.delete(entry);
        if (host === undefined) finish({ type: 'lost', reason, cause });
        else host.kill(reason, cause);
      };
      const onAbort = (): void => stop('aborted', 'it was aborted');
      const patience = setTimeout(() => stop('deadline', `no host became free within ${timeoutMs} ms`), timeoutMs);
      const finish = (outcome: QueryOutcome): void => {
        clearTimeout(patience);
        signal?.removeEventListener('abort', onAbort);
        resolve(outcome);
      };
      const entry: Waiting = {
        job,
        take: (member) => {
          clearTimeout(patience);
          host = member.host;
          runIn(member, job).then(finish);
        },
      };
      if (signal?.aborted) return onAbort();
      signal?.addEventListener('abort', onAbort);
      waiting.add(entry);
      assign();
    });
  }

  async function runIn(member: Member, { task, timeoutMs }: QueryJob): Promise<QueryOutcome> {
    clearTimeout(member.idleTimer);
    member.busySince = performance.now();
    const outcome = await member.host.run(task, timeoutMs);
    member.busySince = undefined;
    member.lastUsed = performance.now();
    assign();
    const isIdle = member.busySince === undefined && members.has(member);
    if (isIdle) member.idleTimer = setTimeout(() => retire(member), idleMs).unref();
    return outcome;
  }

  /** Gives waiting queries to hosts, in the order in which they came. */
  function assign(): void {
    for (const entry of waiting) {
      const member = findMember(entry.job.database);
      if (member === undefined) continue;
      waiting.delete(entry);
      entry.take(member);
    }
    clearTimeout(growTimer);
    if (waiting.size > 0) growTimer = setTimeout(assign, SLOW_MS).unref();
  }

  function findMember(database: string): Member | undefined {
    const own = [...members].filter((member) => member.database === database);
    const idle = own.find(({ busySince }) => busySince === undefined);
    if (idle !== undefined) return idle;
    const now = performance.now();
    const areSlow = own.every(({ busySince = now }) => now - busySince >= SLOW_MS);
    if (!areSlow || own.length >= sizePerDatabase) return undefined;
    if (members.size >= size && !retireIdle()) return undefined;
    return addMember(database);
  }

  function addMember(database: string): Member {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const onEnd = (): void => {
      clearTimeout(member.idleTimer);
      members.delete(member);
      resolve();
      assign();
    };
    const host = startQueryProcess({ database, memoryMb, onEnd });
    const member: Member = { database, host, busySince: undefined, lastUsed: 0, idleTimer: undefined, gone };
    members.add(member);
    return member;
  }

  function retire(member: Member): void {
    clearTimeout(member.idleTimer);
    members.delete(member);
    member.host.kill('aborted', 'it was idle');
  }

  /** Makes room for another database. */
  function retireIdle(): boolean {
    const idle = [...members].filter(({ busySince }) => busySince === undefined);
    const [oldest] = idle.sort((left, right) => left.lastUsed - right.lastUsed);
    if (oldest !== undefined) retire(oldest);
    return oldest !== undefined;
  }

  async function close(): Promise<void> {
    const all = [...members];
    for (const { host } of all) host.kill('aborted', 'all hosts were closed');
    await Promise.all(all.map(({ gone }) => gone));
  }

  return { run, close };
}
