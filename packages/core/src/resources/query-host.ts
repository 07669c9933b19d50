/**
 * The program of a host process: it opens one SQLite database for reading and runs queries on it, one at a time. Our process
 * starts it as query-hosts.ts says and talks to it over its IPC channel. Arguments: the database and the most memory in MiB.
 */

import type { DatabaseSync } from 'node:sqlite';
import { isMainThread, workerData } from 'node:worker_threads';
import { openDatabase } from './host/open-database.ts';
import { runQuery } from './host/run-query.ts';
import { setBusy, startWatch, type Watch, watchProcess } from './host/watch-memory.ts';
import type { FromQueryHost, QueryFailure, QueryRows, QueryTask, ToQueryHost } from './query-message.ts';

if (isMainThread) {
  const [file = '', memoryMb = ''] = process.argv.slice(2);
  serveQueries(file, await startWatch(new URL(import.meta.url), { memoryMb: Number(memoryMb) }));
} else {
  watchProcess(workerData);
}

/** Answers queries until the channel closes. */
export function serveQueries(file: string, watch: Watch): void {
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
/** Reading itself would have to write: somebody was stopped in the middle of a change. */
const unfinished: readonly number[] = [264, 776]; // READONLY_RECOVERY, READONLY_ROLLBACK

function failureOf(error: unknown): QueryFailure {
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode !== 'number') return { kind: 'sql', message: messageOf(error) };
  if (unfinished.includes(errcode)) {
    const message = 'a change to it was never finished; open it once with a program that writes';
    return { kind: 'open', message };
  }
  return { kind: kinds[errcode & 0xff] ?? 'sql', message: messageOf(error) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
