import type { DatabaseSync } from 'node:sqlite';
import type { FromQueryHost, QueryFailure, QueryTask, ToQueryHost } from '../query-message.ts';
import { openDatabase } from './open-database.ts';
import { runQuery } from './run-query.ts';
import { setBusy, type Watch } from './watch-memory.ts';

/** Answers queries until the channel closes. */
export function serveQueries(file: string, watch: Watch): void {
  process.on('message', ({ task }: ToQueryHost) => {
    setBusy(watch, true);
    const answer = answerQuery(file, task);
    setBusy(watch, false);
    send(answer);
  });
  process.on('disconnect', () => process.exit());
  send({ type: 'ready' });
}

function send(message: FromQueryHost): void {
  process.send?.(message);
}

function answerQuery(file: string, task: QueryTask): FromQueryHost {
  let database: DatabaseSync;
  try {
    database = openDatabase(file);
  } catch (error) {
    return { type: 'failed', failure: { kind: 'open', message: messageOf(error) } };
  }
  try {
    return { type: 'done', rows: runQuery(database, task) };
  } catch (error) {
    return { type: 'failed', failure: failureOf(error) };
  }
}

/** https://www.sqlite.org/rescode.html: the low byte is the primary code. */
const kinds: Readonly<Record<number, QueryFailure['kind']>> = {
  8: 'refused', // READONLY
  10: 'open', // IOERR
  11: 'open', // CORRUPT
  14: 'open', // CANTOPEN
  23: 'refused', // AUTH
  26: 'open', // NOTADB
};

function failureOf(error: unknown): QueryFailure {
  const { errcode } = error as { errcode?: unknown };
  const kind = typeof errcode === 'number' ? kinds[errcode & 0xff] : undefined;
  return { kind: kind ?? 'sql', message: messageOf(error) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
