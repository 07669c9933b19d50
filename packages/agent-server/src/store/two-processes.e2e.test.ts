import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Order, Reply } from '../../fixtures/store-worker-messages.ts';
import { openRunStore } from './open-run-store.ts';

const program = fileURLToPath(new URL('../../fixtures/store-worker.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'two-processes-'));
const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});
afterAll(() => rmSync(folder, { recursive: true }));

const leaseMs = 5000;

interface StoreWorker {
  child: ChildProcess;
  replies: Reply[];
  stderr: Promise<string>;
  send(order: Order): void;
  /** The first reply of a type from number `from` on. */
  reply<T extends Reply['type']>(type: T, from?: number): Promise<Extract<Reply, { type: T }>>;
}

async function start(file: string): Promise<StoreWorker> {
  const child = fork(program, [file], { execArgv: [], stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
  children.add(child);
  const replies: Reply[] = [];
  child.on('message', (reply: Reply) => {
    replies.push(reply);
    child.emit('reply');
  });
  const stderr = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  const worker: StoreWorker = {
    child,
    replies,
    stderr,
    send: (order) => void child.send(order),
    async reply(type, from = 0) {
      for (;;) {
        const found = replies.slice(from).find((reply) => reply.type === type);
        if (found !== undefined) return found as Extract<Reply, { type: typeof type }>;
        await once(child, 'reply', { signal: AbortSignal.timeout(20_000) });
      }
    },
  };
  await worker.reply('ready');
  return worker;
}

/** A store with one run, in a file of its own. */
async function withRun(name: string) {
  const file = join(folder, name);
  const store = await openRunStore(`sqlite:${file}`, { now: () => 0 });
  await store.create({ id: 'r1', tool: 'find', createdAt: 0, expiresAt: Number.MAX_SAFE_INTEGER }, []);
  return { file, store };
}

describe('processes that share a file', () => {
  test('lose and double no entry when the one that has the run is killed, many times', async () => {
    const { file, store } = await withRun('killed.db');
    let next = start(file);
    let stored: string[] = [];
    for (let kills = 0; kills < 12; kills += 1) {
      const worker = await next;
      next = start(file);
      worker.send({ type: 'claim', time: kills * leaseMs, leaseMs });
      expect(await worker.reply('claimed')).toMatchObject({ fence: kills + 1, kills });
      worker.send({ type: 'append on' });
      // It goes on meanwhile, and is killed wherever it is then.
      await worker.reply('appended');
      worker.child.kill('SIGKILL');
      await once(worker.child, 'exit');
      const before = stored.length;
      stored = await store.read('r1');
      const confirmed = worker.replies.flatMap((reply) => (reply.type === 'appended' ? reply.number : []));
      expect(confirmed).toEqual(confirmed.map((_, index) => before + index));
      expect(stored.length).toBeGreaterThanOrEqual(before + confirmed.length);
      const own = stored.slice(before);
      expect(own).toEqual(own.map((_, index) => `${kills + 1}:${before + index}`));
    }
    await next;
    await store.close();
  });

  test('refuse the entry of one that was stopped for longer than its lease', async () => {
    const { file, store } = await withRun('stopped.db');
    let [holder, other] = await Promise.all([start(file), start(file)]);
    holder.send({ type: 'claim', time: 0, leaseMs });
    await holder.reply('claimed');
    const expected: string[] = [];
    for (let stops = 0; stops < 8; stops += 1) {
      const entry = `${stops + 1}:${stops}`;
      const [seenByHolder, seenByOther] = [holder.replies.length, other.replies.length];
      holder.send({ type: 'append' });
      await holder.reply('appended', seenByHolder);
      expected.push(entry);
      holder.child.kill('SIGSTOP');
      other.send({ type: 'claim', time: (stops + 1) * leaseMs, leaseMs });
      expect(await other.reply('claimed', seenByOther)).toMatchObject({ fence: stops + 2, kills: stops + 1 });
      holder.send({ type: 'append' });
      holder.child.kill('SIGCONT');
      expect(await holder.reply('refused')).toMatchObject({ name: 'LeaseLostError' });
      holder.replies.length = 0;
      [holder, other] = [other, holder];
    }
    expect(await store.read('r1')).toEqual(expected);
    await store.close();
  });

  test('may all make it at once', async () => {
    const rounds = 50;
    const workerData = { folder, rounds, workers: 4, arrived: new Int32Array(new SharedArrayBuffer(4)) };
    // They open each file at the same moment.
    const code = `
      const { workerData: { folder, rounds, workers, arrived } } = require('node:worker_threads');
      import(${JSON.stringify(new URL('open-run-store.ts', import.meta.url).href)}).then(async ({ openRunStore }) => {
        for (let round = 1; round <= rounds; round += 1) {
          Atomics.add(arrived, 0, 1);
          while (Atomics.load(arrived, 0) < round * workers);
          await (await openRunStore('sqlite:' + folder + '/round' + round + '.db')).close();
        }
      });`;
    const workers = Array.from(
      { length: workerData.workers },
      () => new Worker(code, { eval: true, workerData, execArgv: [] }),
    );
    try {
      // Rejects where a worker fails.
      await Promise.all(workers.map((worker) => once(worker, 'exit')));
    } finally {
      for (const worker of workers) void worker.terminate();
    }
  });

  test('write nothing to standard error', async () => {
    const { file, store } = await withRun('quiet.db');
    const worker = await start(file);
    worker.send({ type: 'claim', time: 0, leaseMs });
    await worker.reply('claimed');
    worker.child.disconnect();
    expect(await worker.stderr).toBe('');
    await store.close();
  });
});
