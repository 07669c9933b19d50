import { createRedisBackend } from 'bullmq';
import { Redis } from 'ioredis';
import { createRunQueue, queueSettings, type RunQueue } from './run-queue.ts';
import { silentMs } from './shared-run-store.ts';

/** The queue in the Redis of a URL, which answers: its keys are `bull:schemakit-<tool>:…`, as dashboards of BullMQ expect them. */
export async function openRedisQueue(url: string): Promise<RunQueue> {
  const redis = new Redis(url, { commandTimeout: silentMs, socketTimeout: silentMs, maxRetriesPerRequest: null });
  redis.on('error', () => {});
  const root = createRedisBackend('schemakit', { ...queueSettings, connection: redis });
  root.on('error', () => {});
  try {
    await root.waitUntilReady();
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  const queue = createRunQueue(root);
  return {
    ...queue,
    async close() {
      await queue.close();
      redis.disconnect();
    },
  };
}
