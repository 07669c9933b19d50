import { assertSchemaCompatibility, createPostgresBackend, LATEST_SCHEMA_VERSION, runMigrations } from 'bullmq';
import pg from 'pg';
import { createRunQueue, queueSettings, type RunQueue } from './run-queue.ts';
import { silentMs } from './shared-run-store.ts';

/** `undefined_function` and `undefined_table` (PostgreSQL, appendix A). */
const missing = ['42883', '42P01'];

/** The queue in the PostgreSQL of a URL: in the schema `bullmq`, whose tables are made if they are missing. */
export async function openPostgresQueue(url: string): Promise<RunQueue> {
  const connection = {
    ...{ connectionString: url, connectionTimeoutMillis: silentMs, query_timeout: silentMs },
    ...{ keepAlive: true, allowExitOnIdle: true, max: 4 },
  };
  const makeTables = async () => {
    const client = new pg.Client(connection);
    client.on('error', () => {});
    try {
      await client.connect();
      // Who may not make tables can use those that are there.
      const version = await assertSchemaCompatibility(client).catch(() => 0);
      if (version < LATEST_SCHEMA_VERSION) await runMigrations(client);
    } finally {
      // Nobody waits for a line that passes nothing.
      client.end().catch(() => {});
    }
  };
  await makeTables();
  const root = createPostgresBackend('schemakit', { ...queueSettings, connection });
  root.on('error', () => {});
  try {
    // It keeps whether this failed, and would not try again.
    await root.waitUntilReady();
  } catch (error) {
    root.close().catch(() => {});
    throw error;
  }
  const queue = createRunQueue(root);
  const surely =
    <A extends unknown[], T>(call: (...args: A) => Promise<T>) =>
    (...args: A) =>
      call(...args).catch(async (error: { code?: string }) => {
        if (!missing.includes(error.code ?? '')) throw error;
        // Somebody has deleted them while this process is running.
        await makeTables();
        return call(...args);
      });
  return { ...queue, add: surely(queue.add), next: surely(queue.next), remove: surely(queue.remove) };
}
