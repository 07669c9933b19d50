/**
 * The program of a host process, which opens one SQLite database read-only and runs queries on it, one at a time. The calling
 * process starts it as in query-pool.ts, and talks to it over IPC. Arguments: the database, and the memory limit in MiB.
 */
import { writeSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { openDatabase } from './host/open-database.ts';
import { runQuery } from './host/run-query.ts';
import {
  type FromQueryHost,
  memoryMark,
  type QueryFailure,
  type QueryRows,
  type QueryTask,
  type ToQueryHost,
} from './query-message.ts';

const MEMORY_INTERVAL_MS = 25;

interface MemoryWatch {
  /** `1` while a query runs. */
  busy: Int32Array<SharedArrayBuffer>;
  memoryMb: number;
  /** Id of the process that started the host. */
  parent: number;
}

if (isMainThread) {
  const [file = '', memoryMb = ''] = process.argv.slice(2);
  serveQueries(file, await startMemoryWatch(Number(memoryMb)));
} else {
  watchMemory(workerData);
}

function serveQueries(file: string, watch: MemoryWatch): void {
  process.on('message', (message: ToQueryHost) => {
    if (message.type === 'ping') return send({ type: 'pong' });
    const { id, task } = message;
    send({ type: 'started', id });
    setBusy(watch, true);
    const answer = answerQuery(file, task);
    setBusy(watch, false);
    send({ id, ...answer });
  });
  process.on('disconnect', () => process.exit());
  send({ type: 'ready' });
}

function send(message: FromQueryHost): void {
  process.send?.(message);
}

type QueryAnswer = { type: 'done'; result: QueryRows } | { type: 'failed'; failure: QueryFailure };

function answerQuery(file: string, task: QueryTask): QueryAnswer {
  let database: DatabaseSync;
  try {
    database = openDatabase(file);
  } catch (error) {
    return { type: 'failed', failure: { ...failureOf(error), kind: 'open' } };
  }
  try {
    return { type: 'done', result: runQuery(database, task) };
  } catch (error) {
    return { type: 'failed', failure: failureOf(error) };
  }
}

/** Primary codes, the low byte of https://www.sqlite.org/rescode.html. */
const kinds: Readonly<Record<number, QueryFailure['kind']>> = {
  8: 'refused', // READONLY
  10: 'open', // IOERR
  11: 'open', // CORRUPT
  14: 'open', // CANTOPEN
  23: 'refused', // AUTH
  26: 'open', // NOTADB
};
/** An interrupted write, which reading would have to roll back. */
const unfinished: readonly number[] = [264, 776]; // READONLY_RECOVERY, READONLY_ROLLBACK

function failureOf(error: unknown): QueryFailure {
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode !== 'number') return { kind: 'sql', message: messageOf(error) };
  if (unfinished.includes(errcode)) {
    const message = 'a write to it was interrupted; open it once with a program that can write to it';
    return { kind: 'open', message };
  }
  return { kind: kinds[errcode & 0xff] ?? 'sql', message: messageOf(error) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Starts the thread that kills the host when a query exceeds the memory limit, or when the process that started the host is gone.
 * Node.js cannot limit the memory of SQLite, and a query blocks the main thread. Resolves when the thread runs.
 */
async function startMemoryWatch(memoryMb: number): Promise<MemoryWatch> {
  const busy = new Int32Array(new SharedArrayBuffer(4));
  const watch: MemoryWatch = { busy, memoryMb, parent: process.ppid };
  const worker = new Worker(new URL(import.meta.url), {
    workerData: watch,
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  });
  await new Promise((resolve, reject) => worker.once('online', resolve).once('error', reject));
  worker.unref();
  return watch;
}

function setBusy({ busy }: MemoryWatch, isBusy: boolean): void {
  Atomics.store(busy, 0, isBusy ? 1 : 0);
  Atomics.notify(busy, 0);
}

/** The thread: sleeps until a query starts, then checks the process every few milliseconds. */
function watchMemory({ busy, memoryMb, parent }: MemoryWatch): void {
  for (;;) {
    Atomics.wait(busy, 0, 0);
    while (Atomics.load(busy, 0) === 1) {
      if (process.memoryUsage.rss() > memoryMb * 1024 * 1024) killHost(memoryMark);
      if (process.ppid !== parent) killHost('the process that started it is gone');
      Atomics.wait(busy, 0, 1, MEMORY_INTERVAL_MS);
    }
  }
}

function killHost(reason: string): void {
  try {
    writeSync(2, `${reason}\n`);
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}
