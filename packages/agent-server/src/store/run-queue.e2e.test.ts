import {
  type BackendFactory,
  createPostgresBackend,
  createRedisBackend,
  type IQueueBackend,
  withBackend,
} from 'bullmq';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type DatabaseServer, databases, hasDatabase } from '../../fixtures/database-servers.ts';
import { someRun } from '../../fixtures/run-store-laws.ts';
import { openRunStore } from './open-run-store.ts';
import { openPostgresQueue } from './postgres-run-queue.ts';
import { openPostgresTable } from './postgres-run-table.ts';
import { openRedisQueue } from './redis-run-queue.ts';
import { openRedisTable } from './redis-run-table.ts';
import { type OpenTable, openSharedRunStore } from './shared-run-store.ts';

const claim = { leaseMs: 5_000, tools: ['find'] };
const redis = { openTable: openRedisTable, openQueue: openRedisQueue };
const postgres = { openTable: openPostgresTable, openQueue: openPostgresQueue };

describe.each(['redis', 'postgres'] as const)('runs that wait in %s', (kind) => {
  describe.skipIf(!hasDatabase(kind))('of this machine', () => {
    let server: DatabaseServer;
    beforeAll(async () => {
      server = await databases[kind]();
    });
    beforeEach(() => server.clear());
    afterAll(() => server.close());

    const open = async (now = () => 2_000) => {
      const store = await openRunStore(server.url, { now });
      onTestFinished(() => store.close());
      return store;
    };
    /** As any user of BullMQ sees the queue. */
    const outside = async () => {
      const name = 'schemakit-find';
      const connection = { url: server.url, connectionString: server.url };
      const bullmq = withBackend(
        (kind === 'redis' ? createRedisBackend : createPostgresBackend) as BackendFactory<IQueueBackend, object>,
      );
      const queue = new bullmq.Queue<{ id: string; fence: number }>(name, { connection });
      const worker = new bullmq.Worker(name, null, { connection, autorun: false, lockDuration: 1_000 });
      onTestFinished(async () => {
        await worker.close(true);
        await queue.close();
      });
      return { queue, worker };
    };

    test('are jobs of BullMQ, until a worker has claimed them, somebody has ended them or they have expired', async () => {
      let time = 2_000;
      const store = await open(() => time);
      const { queue } = await outside();
      const [first, second, third] = [someRun(), someRun({ priority: 9 }), someRun()];
      for (const run of [first, second, third]) await store.create(run, []);
      const waiting = async () => (await queue.getPrioritized()).map(({ data }) => data.id);
      expect(await waiting()).toEqual([second.id, first.id, third.id]);
      expect(await store.claim(claim)).toMatchObject({ id: second.id });
      expect(await waiting()).toEqual([first.id, third.id]);
      expect(await store.claimWaiting(first.id, 5_000)).toMatchObject({ id: first.id });
      expect(await waiting()).toEqual([third.id]);
      time = third.expiresAt;
      await store.expire();
      expect(await waiting()).toEqual([]);
      expect(await queue.getJobCounts('active', 'completed', 'failed', 'delayed')).toEqual({
        ...{ active: 0, completed: 0, failed: 0, delayed: 0 },
      });
    });

    test.each([
      ['of one agent', ['find']],
      ['of several', ['sum', 'find']],
    ])('are not forgotten when a worker %s is killed that has just taken one', async (_, tools) => {
      const claim = { leaseMs: 5_000, tools };
      const [store, { worker }] = [await open(), await outside()];
      const run = someRun();
      await store.create(run, []);
      expect(await worker.getNextJob('killed', { block: false })).toMatchObject({ data: { id: run.id } });
      expect(await store.claim(claim)).toBeUndefined();
      await expect
        .poll(() => store.claim(claim), { timeout: 20_000, interval: 200 })
        .toMatchObject({ id: run.id, kills: 0 });
    });

    test('are found when another worker looks for them before they are saved', async () => {
      const [store, { queue }] = [await open(), await outside()];
      const { promise: saving, resolve: save } = Promise.withResolvers<void>();
      const database = kind === 'redis' ? redis : postgres;
      const openTable: OpenTable = async (...args) => {
        const table = await database.openTable(...args);
        return { ...table, saveRun: (change) => saving.then(() => table.saveRun(change)) };
      };
      const slow = await openSharedRunStore({ ...database, openTable }, server.url, { now: () => 2_000 });
      onTestFinished(() => slow.close());
      const run = someRun();
      const creating = slow.create(run, []);
      await expect.poll(() => queue.getPrioritizedCount()).toBe(1);
      expect(await store.claim(claim)).toBeUndefined();
      save();
      await creating;
      await expect.poll(() => store.claim(claim), { timeout: 10_000 }).toMatchObject({ id: run.id });
    });

    test('are claimed once, also where an old job of theirs comes again', async () => {
      const [store, { queue }] = [await open(), await outside()];
      const run = someRun();
      await store.create(run, []);
      expect(await store.claim(claim)).toMatchObject({ id: run.id });
      await queue.add('run', { id: run.id, fence: 0 }, { jobId: `${run.id}-0`, removeOnComplete: true });
      expect(await store.claim(claim)).toBeUndefined();
      expect(await queue.getJobCountByTypes()).toBe(0);
    });

    test('get another job where somebody has deleted theirs', async () => {
      const [store, { queue }] = [await open(), await outside()];
      const run = someRun();
      await store.create(run, []);
      await queue.obliterate();
      expect(await store.claim(claim)).toBeUndefined();
      await store.expire();
      await store.expire();
      expect(await queue.getPrioritizedCount()).toBe(1);
      expect(await store.claim(claim)).toMatchObject({ id: run.id });
    });

    test('that a worker leaves to others are there for these at once, and still the first', async () => {
      const [store, other] = [await open(), await open()];
      const [first, second] = [someRun(), someRun()];
      for (const run of [first, second]) await store.create(run, []);
      expect(await store.claim({ ...claim, except: [first.id] })).toMatchObject({ id: second.id });
      const third = someRun();
      await store.create(third, []);
      expect(await store.claim({ ...claim, except: [first.id, third.id] })).toBeUndefined();
      expect(await other.claim(claim)).toMatchObject({ id: first.id });
      expect(await other.claim(claim)).toMatchObject({ id: third.id });
    });

    test('wait for as long as their queue is paused', async () => {
      const [store, { queue }] = [await open(), await outside()];
      const run = someRun();
      await store.create(run, []);
      await queue.pause();
      expect(await store.claim(claim)).toBeUndefined();
      await queue.resume();
      expect(await store.claim(claim)).toMatchObject({ id: run.id });
    });

    test('that have begun go before new ones of the same priority', async () => {
      const store = await open();
      const [old, fresh] = [someRun(), someRun()];
      await store.create(old, []);
      const { fence = 0 } = (await store.claim(claim)) ?? {};
      await store.create(fresh, []);
      await store.append(old.id, { fence, from: 0, entries: [], phase: 'waiting' });
      expect(await store.claim(claim)).toMatchObject({ id: old.id });
      expect(await store.claim(claim)).toMatchObject({ id: fresh.id });
    });
  });
});

describe.skipIf(!hasDatabase('postgres'))('a user of PostgreSQL who may not make tables', () => {
  test('can use those that another has made', async () => {
    const server = await databases.postgres();
    onTestFinished(() => server.close());
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    onTestFinished(() => admin.end());
    await admin.query('CREATE ROLE clerk LOGIN');
    const url = new URL(server.url);
    url.username = 'clerk';
    await expect(openRunStore(url.href)).rejects.toThrow('Cannot open the runs at');
    await openRunStore(server.url).then((store) => store.close());
    await admin.query(`
      GRANT USAGE ON SCHEMA schemakit, bullmq TO clerk;
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA bullmq TO clerk;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA schemakit, bullmq TO clerk;
    `);
    const store = await openRunStore(url.href, { now: () => 2_000 });
    onTestFinished(() => store.close());
    const run = someRun();
    await store.create(run, ['0']);
    const { fence = 0 } = (await store.claim(claim)) ?? {};
    await store.append(run.id, { fence, from: 1, entries: [], phase: 'waiting' });
    expect(await store.claim(claim)).toMatchObject({ id: run.id, fence: 2 });
    await store.expire();
  });
});
