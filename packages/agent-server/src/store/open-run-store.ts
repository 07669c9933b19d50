import { AgentConfigError } from '../manifest/check-config.ts';
import { configFinding } from '../manifest/config-codes.ts';
import type { RunStore } from './run-store.ts';
import { sealedRunStore } from './sealed-run-store.ts';
import { openSharedRunStore, type SharedDatabase } from './shared-run-store.ts';
import { useSqlite } from './sqlite-file.ts';
import { createSqliteRunStore } from './sqlite-run-store.ts';
import type { StoreKeys } from './store-keys.ts';
import { parseStoreUrl } from './store-url.ts';

/**
 * Opens the store of a URL:
 *
 * - `memory:`
 * - `sqlite:` and a file, relative to the working directory or absolute (`sqlite:runs.db`, `sqlite:/var/lib/runs.db`,
 *   `sqlite:///var/lib/runs.db`, `sqlite:C:\runs.db`)
 * - `redis://` or `rediss://` (TLS): Redis, with the packages bullmq and ioredis
 * - `postgres://` or `postgresql://`: PostgreSQL, with the packages bullmq and pg
 *
 * @param options.keys Encrypt the texts outside of memory.
 * @param options.now Default: the clock of the database, or of this machine where there is none.
 * @throws {AgentConfigError} for another URL, or if the package is missing.
 * @throws {Error} if the store cannot be used.
 */
export async function openRunStore(
  url: string,
  { keys = new Map(), now }: { keys?: StoreKeys; now?: () => number } = {},
): Promise<RunStore> {
  const parsed = parseStoreUrl(url);
  switch (parsed.kind) {
    case 'wrong':
      throw new AgentConfigError('openRunStore', [parsed.finding]);
    case 'memory':
      return createSqliteRunStore(undefined, { now });
    case 'sqlite': {
      const { file } = parsed;
      return sealedRunStore(await useSqlite(file, () => createSqliteRunStore(file, { now })), keys);
    }
    default: {
      return sealedRunStore(await openSharedRunStore(await loadDriver(parsed.kind), url, { now }), keys);
    }
  }
}

/** The packages are optional: who keeps runs in a file does not need them. */
const drivers = {
  redis: {
    name: 'ioredis',
    load: async (): Promise<SharedDatabase> => ({
      openTable: (await import('./redis-run-table.ts')).openRedisTable,
      openQueue: (await import('./redis-run-queue.ts')).openRedisQueue,
    }),
  },
  postgres: {
    name: 'pg',
    load: async (): Promise<SharedDatabase> => ({
      openTable: (await import('./postgres-run-table.ts')).openPostgresTable,
      openQueue: (await import('./postgres-run-queue.ts')).openPostgresQueue,
    }),
  },
};

async function loadDriver(kind: keyof typeof drivers): Promise<SharedDatabase> {
  const { name, load } = drivers[kind];
  try {
    return await load();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const problem = `tasks needs the packages bullmq and ${name}`;
    const finding = configFinding('AGS001', 'tasks', problem, `Run: npm install bullmq ${name}`);
    throw new AgentConfigError('openRunStore', [finding]);
  }
}
