import { createQueryPool, type QueryJob, type QueryPool } from './query-pool.ts';
import type { QueryOutcome } from './query-process.ts';

let pool: QueryPool | undefined;

/** Runs a checked statement in a host of the one pool that this process has. */
export function runInQueryHost(job: QueryJob): Promise<QueryOutcome> {
  pool ??= createQueryPool();
  return pool.run(job);
}

/** Ends all query hosts; the next query starts new ones. */
export async function closeQueryHosts(): Promise<void> {
  const closing = pool;
  pool = undefined;
  await closing?.close();
}
