import { closeSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';

/** Of the tables. Another number for each change of them. */
const version = 2;

/** How long a call waits for another process that has locked the file. */
const maxWaitMs = 10_000;

const schema = `
  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    tool TEXT NOT NULL,
    owner TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    phase TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    lease_ends_at INTEGER,
    kills INTEGER NOT NULL,
    is_cancelled INTEGER NOT NULL,
    answer TEXT,
    change INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX runs_by_age ON runs (created_at, id);
  CREATE INDEX runs_by_change ON runs (change);
  CREATE TABLE entries (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run_id, number)
  ) STRICT;
  CREATE TABLE records (key TEXT PRIMARY KEY, text TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;
  CREATE TABLE changes (last INTEGER NOT NULL) STRICT;
  INSERT INTO changes VALUES (0);
`;

/** What version 2 has more than version 1. */
const priorities = `
  ALTER TABLE runs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE changes ADD COLUMN kills INTEGER NOT NULL DEFAULT 0;
  DROP INDEX IF EXISTS runs_to_claim;
  CREATE INDEX runs_by_phase ON runs (phase, priority DESC, created_at, id);
  PRAGMA user_version = ${version};
`;

/**
 * Opens a SQLite file for runs, and makes it if it is missing; without a file, a database in memory.
 *
 * @throws {Error} if it cannot be opened, is not a SQLite file, or was made by a newer version.
 */
export function openSqliteFile(file?: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    // SQLite would make a file that everybody may read. It gives its other two files (-wal, -shm) the rights of this one.
    if (file !== undefined) closeSync(openSync(file, 'a', 0o600));
    database = new (loadSqlite().DatabaseSync)(file ?? ':memory:');
    prepareTables(database);
    // Writers and readers do not wait for each other in this mode, which the file then stays in.
    if (file !== undefined) database.exec('PRAGMA journal_mode = WAL');
    // A commit survives the end of the process. The last ones may be lost when the machine loses power; `FULL` would cost a sync each.
    database.exec('PRAGMA synchronous = NORMAL');
    return database;
  } catch (error) {
    database?.close();
    if (isSqliteError(error)) throw error;
    throw new Error(`Cannot open the runs in ${file ?? 'memory'}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Does something with a SQLite file. While another process has the file locked, it tries again with the event loop free: SQLite itself
 * would wait in it, and the whole server with it.
 *
 * @throws {Error} for errors of SQLite, with the file and what to do.
 */
export async function useSqlite<T>(file: string | undefined, work: () => T): Promise<T> {
  const deadline = performance.now() + maxWaitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isSqliteError(error)) throw error;
      // The lower byte is the kind of error, without its details.
      const kind = error.errcode & 0xff;
      if (kind !== busy || performance.now() > deadline) {
        const todo = advice[kind] ?? '';
        throw new Error(`Cannot use the runs in ${file ?? 'memory'}: ${error.message}.${todo}`, { cause: error });
      }
    }
    await setTimeout(5 + 20 * Math.random());
  }
}

const busy = 5;
/** What to do about errors of SQLite (https://sqlite.org/rescode.html). */
const advice: Record<number, string> = {
  [busy]: ' Another process keeps it locked, such as a backup or a SQLite shell. Try again when it has ended.',
  8: ' Make the file and its folder writable for this process.',
  10: ' Look whether the disk is there, and has room.',
  11: ' The file is damaged: restore it from a backup, or use another one.',
  13: ' Make room on the disk.',
  26: ' Use another file.',
};

function isSqliteError(error: unknown): error is Error & { errcode: number } {
  return (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR';
}

function prepareTables(database: DatabaseSync): void {
  inTransaction(database, () => {
    const found = Number(database.prepare('PRAGMA user_version').get()?.user_version);
    if (found > version)
      throw new Error(
        `it has version ${found}, and this SchemaKit reads ${version}. Update SchemaKit, or use another file`,
      );
    if (found === version) return;
    if (found === 0) {
      if (database.prepare('SELECT 1 FROM sqlite_schema').get() !== undefined)
        throw new Error('it is the database of another program. Use another file');
      database.exec(schema);
    }
    database.exec(priorities);
  });
}

/** Runs `work` in a transaction that no other process writes during. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Node 22 warns on standard error that `node:sqlite` is experimental, when it is loaded: that warning alone is kept off. */
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    const sqlite = process.getBuiltinModule('node:sqlite');
    // Built without it, or started with --no-experimental-sqlite.
    if (sqlite === undefined) throw new Error('this Node has no SQLite');
    return sqlite;
  } finally {
    process.emitWarning = emitWarning;
  }
}
