import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FromHost, HostCommand } from '../sandbox/host-job.ts';
import { createProcessPool, type PoolOutcome } from '../sandbox/process-pool.ts';
import { memoryMark, type QueryFailure, type QueryRows, type QueryTask } from './query-message.ts';

/** A query, where it runs and for how long. */
export interface QueryJob {
  /** Absolute path of the database. */
  database: string;
  task: QueryTask;
  /** From the moment at which the query begins; it waits as long for a host at most. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** How a query ended. `lost` is the end of its host. */
export type QueryOutcome =
  | { type: 'done'; rows: QueryRows }
  | { type: 'failed'; failure: QueryFailure }
  | { type: 'lost'; reason: 'deadline' | 'memory' | 'aborted' | 'crash'; cause: string };

export interface QueryHosts {
  run(job: QueryJob): Promise<QueryOutcome>;
  /** Ends all hosts; what runs in them is lost. */
  close(): Promise<void>;
}

/** Heap for rows on their way out, in MiB. SQLite's own memory is watched by the host. */
const HEAP_MB = 256;

/**
 * Host processes for queries, each for one database and one query at a time. Nothing is started before the first query.
 *
 * @param size Most hosts at a time; default 4.
 * @param sizePerDatabase Most hosts for one database; default 2, so that a slow query does not stop the others.
 * @param idleMs How long a host stays without queries; default 60 s.
 * @param memoryMb Most memory of a host in MiB; default 512.
 */
export function createQueryHosts({
  size = 4,
  sizePerDatabase = 2,
  idleMs = 60_000,
  memoryMb = 512,
}: {
  size?: number;
  sizePerDatabase?: number;
  idleMs?: number;
  memoryMb?: number;
} = {}): QueryHosts {
  const pool = createProcessPool({
    size,
    perGroup: sizePerDatabase,
    comfortableJobs: 1,
    maxJobs: 1,
    idleMs,
    // A query does not let its host look up.
    graceMs: 0,
    // A host runs no code of a schema.
    read: (message) => message as FromHost<QueryRows, QueryFailure, never>,
  });
  return {
    close: pool.close,
    run: async (job) => {
      const { database, task, timeoutMs, signal } = job;
      const command = () => queryCommand({ database, memoryMb });
      return outcomeOf(await pool.run({ group: database, command, task: { task }, timeoutMs, signal }), job);
    },
  };
}

function outcomeOf(outcome: PoolOutcome<QueryRows, QueryFailure>, { timeoutMs }: QueryJob): QueryOutcome {
  switch (outcome.type) {
    case 'done':
      return { type: 'done', rows: outcome.result };
    case 'failed':
      return outcome;
    case 'late':
      return { type: 'lost', reason: 'deadline', cause: `it gave no answer within ${timeoutMs} ms` };
    case 'no-room':
      return { type: 'lost', reason: 'deadline', cause: `no host became free within ${timeoutMs} ms` };
    case 'aborted':
      return { type: 'lost', reason: 'aborted', cause: 'it was aborted' };
    case 'unsendable':
      return { type: 'lost', reason: 'crash', cause: outcome.message };
    case 'lost':
      return { type: 'lost', reason: outcome.reason, cause: outcome.cause };
  }
}

// As in `sandbox/handler-hosts.ts`: a host always runs what was built.
const builtFolder = import.meta.url.endsWith('.ts') ? '../../dist/' : './';
const hostFile = fileURLToPath(new URL(`${builtFolder}query-host.js`, import.meta.url));

/**
 * Everything that the permission model of Node.js knows is denied, except reading the host's program and the database with the
 * files that SQLite keeps beside it, and the thread that watches the memory. SQLite itself is not bound by this: it opens the
 * database for reading only, and gets no statement that could name another file.
 */
function queryCommand({ database, memoryMb }: { database: string; memoryMb: number }): HostCommand {
  const readable = [hostFile, database, `${database}-wal`, `${database}-shm`, `${database}-journal`];
  return {
    folder: dirname(database),
    heapMb: memoryMb,
    memoryMark,
    args: [
      '--permission',
      '--allow-worker',
      ...readable.map((path) => `--allow-fs-read=${path}`),
      `--max-old-space-size=${HEAP_MB}`,
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=SecurityWarning',
      hostFile,
      database,
      String(memoryMb),
    ],
  };
}

let hosts: QueryHosts | undefined;

/** Runs a checked statement in one of the hosts of this process. */
export function runInQueryHost(job: QueryJob): Promise<QueryOutcome> {
  hosts ??= createQueryHosts();
  return hosts.run(job);
}

/** Ends all query hosts; the next query starts new ones. */
export async function closeQueryHosts(): Promise<void> {
  const closing = hosts;
  hosts = undefined;
  await closing?.close();
}
