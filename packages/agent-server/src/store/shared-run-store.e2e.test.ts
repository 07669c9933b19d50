import { createSecretKey, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type DatabaseServer, databases, hasDatabase } from '../../fixtures/database-servers.ts';
import { runStoreLaws, someRun } from '../../fixtures/run-store-laws.ts';
import { startTcpRelay } from '../../fixtures/tcp-relay.ts';
import { openRunStore } from './open-run-store.ts';

describe.each(['redis', 'postgres'] as const)('%s', (kind) => {
  describe.skipIf(!hasDatabase(kind))('of this machine', () => {
    let server: DatabaseServer;
    beforeAll(async () => {
      server = await databases[kind]();
    });
    afterAll(() => server.close());

    const openTwice = async (options: Parameters<typeof openRunStore>[1]) => {
      await server.clear();
      const store = await openRunStore(server.url, options);
      return { store, other: await openRunStore(server.url, options) };
    };

    runStoreLaws(kind, (now) => openTwice({ now }));
    const keys = new Map([['k1', createSecretKey(randomBytes(32))]]);
    runStoreLaws(`sealed ${kind}`, (now) => openTwice({ now, keys }));

    const liveRun = () => someRun({ createdAt: Date.now(), expiresAt: Date.now() + 3_600_000 });

    test('loses and doubles no entry while the server is killed and started again', async () => {
      // As if all were written within a millisecond: what tells two changes apart is not their time.
      const startedAt = Date.now();
      const { store, other } = await openTwice({ now: () => startedAt });
      onTestFinished(() => Promise.all([store.close(), other.close()]).then(() => {}));
      const heard: unknown[] = [];
      other.watch((id) => heard.push(id));
      const run = liveRun();
      await store.create(run, []);
      const { fence = 0 } = (await store.claim({ leaseMs: 5_000, tools: ['find'] })) ?? {};
      const written: string[] = [];
      let isOver = false;
      const writing = (async () => {
        for (let from = 0; !isOver; from += 1) {
          await store.append(run.id, { fence, from, entries: [`${from}`] });
          written.push(`${from}`);
        }
      })();
      for (let kills = 0; kills < 5; kills += 1) {
        const before = written.length;
        await expect.poll(() => written.length).toBeGreaterThan(before + 10);
        await server.kill();
        heard.length = 0;
        await server.start();
      }
      isOver = true;
      await writing;
      expect(await other.read(run.id)).toEqual(written);
      expect(await store.get(run.id)).toMatchObject({ fence, kills: 0 });
      // Who watches is told that there is something it has not heard of, and hears what comes then.
      await expect.poll(() => heard).toContain(undefined);
      const next = liveRun();
      await store.create(next, []);
      await expect.poll(() => heard).toContain(next.id);
    });

    test('goes on where all that it had was deleted', async () => {
      const { store, other } = await openTwice({});
      onTestFinished(() => Promise.all([store.close(), other.close()]).then(() => {}));
      await store.create(liveRun(), ['0']);
      await server.clear();
      expect(await store.counts()).toMatchObject({ waiting: 0, kills: 0 });
      const run = liveRun();
      await store.create(run, ['1']);
      expect(await other.read(run.id)).toEqual(['1']);
    });

    test('extends a lease by its whole length, also after many writes that read no clock', async () => {
      const { store, other } = await openTwice({});
      onTestFinished(() => Promise.all([store.close(), other.close()]).then(() => {}));
      const run = liveRun();
      await store.create(run, []);
      const { fence = 0 } = (await store.claim({ leaseMs: 60_000, tools: ['find'] })) ?? {};
      const begun = Date.now();
      for (let from = 0; from < 300; from += 1) await store.append(run.id, { fence, from, entries: [`${from}`] });
      const now = Date.now();
      const { leaseEndsAt = 0 } = await store.renew(run.id, fence, 60_000);
      expect(leaseEndsAt).toBeGreaterThan(now + 60_000 - (now - begun) / 2);
    });

    test('does not wait for ever on a line that passes nothing, and goes on when it does', async () => {
      const relay = await startTcpRelay(server.url);
      const store = await openRunStore(relay.url);
      onTestFinished(() => store.close().then(relay.close));
      const run = liveRun();
      await store.create(run, ['0']);
      relay.cut();
      await expect(store.get(run.id)).rejects.toThrow(/^Cannot use the runs at (?:redis|postgres):/);
      relay.mend();
      expect(await store.read(run.id)).toEqual(['0']);
    });

    test('is not opened where no server answers', async () => {
      const url = new URL(server.url);
      url.port = '1';
      url.password = 'secret';
      const error = await openRunStore(url.href).catch((reason: Error) => reason);
      expect(String(error)).toMatch(/Cannot open the runs at .*127.0.0.1:1\/.*ECONNREFUSED/);
      expect(String(error)).not.toContain('secret');
    });
  });
});

describe.skipIf(!hasDatabase('redis'))('a URL of Redis', () => {
  test.each([
    [
      'a database that is not there',
      'redis',
      '/99',
      /^Cannot open the runs at redis:.*99: ERR DB index is out of range$/,
    ],
    ['TLS that the server has not', 'rediss', '', /^Cannot open the runs at rediss:.*: no answer from Redis; with TLS/],
  ])('with %s is refused', async (_, scheme, path, message) => {
    const server = await databases.redis();
    onTestFinished(() => server.close());
    const url = `${scheme}://127.0.0.1:${server.port}${path}`;
    await expect(openRunStore(url)).rejects.toMatchObject({ message: expect.stringMatching(message) });
  });
});
