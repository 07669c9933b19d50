import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FromHost, HostCommand } from '../sandbox/host-process.ts';
import { createProcessPool, type Pool, type PoolOutcome } from '../sandbox/process-pool.ts';
import { memoryMark, type QueryFailure, type QueryRows, type QueryTask } from './query-message.ts';

export interface QueryJob {
  /** Absolute path of the database. */
  database: string;
  task: QueryTask;
  /** Counts from the start of the query, which waits at most as long for a free host. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export type QueryOutcome = { type: 'done'; rows: QueryRows } | { type: 'failed'; failure: QueryFailure } | LostQuery;

export interface LostQuery {
  type: 'lost';
  reason: 'deadline' | 'memory' | 'aborted' | 'crash';
  cause: string;
}

export type QueryPool = Pool<QueryJob, QueryOutcome>;

/** Heap limit for rows, in MiB. The host itself watches the memory of SQLite, which is not in the heap. */
const HEAP_MB = 256;

/** The hosts for queries: one database each, one query at a time. A database may have several, so that a slow query blocks no other. */
export function createQueryPool({
  size = 4,
  sizePerDatabase = 2,
  idleMs = 60_000,
  memoryMb = 512,
}: Partial<Record<'size' | 'sizePerDatabase' | 'idleMs' | 'memoryMb', number>> = {}): QueryPool {
  const pool = createProcessPool({
    size,
    perGroup: sizePerDatabase,
    targetJobs: 1,
    maxJobs: 1,
    idleMs,
    // A query blocks its host.
    graceMs: 0,
    // These hosts run only our own code.
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
    case 'lost':
      return outcome;
    case 'timeout':
      return { type: 'lost', reason: 'deadline', cause: `it gave no answer within ${timeoutMs} ms` };
    case 'queue-timeout':
      return { type: 'lost', reason: 'deadline', cause: `no host became free within ${timeoutMs} ms` };
    case 'aborted':
      return { type: 'lost', reason: 'aborted', cause: 'it was aborted' };
    case 'unsendable':
      return { type: 'lost', reason: 'crash', cause: outcome.message };
  }
}

// As in `sandbox/handler-pool.ts`: hosts always run what was built.
const builtFolder = import.meta.url.endsWith('.ts') ? '../../dist/' : './';
const hostFile = fileURLToPath(new URL(`${builtFolder}query-process.js`, import.meta.url));

/**
 * The permission model of Node.js denies everything but reading the program and the database with its journal files, and the
 * thread that watches the memory. It does not cover SQLite itself, which opens the database read-only and gets no statement that
 * can name another file.
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

let pool: QueryPool | undefined;

export function runInQueryPool(job: QueryJob): Promise<QueryOutcome> {
  pool ??= createQueryPool();
  return pool.run(job);
}

export async function closeQueryPool(): Promise<void> {
  const closing = pool;
  pool = undefined;
  await closing?.close();
}
