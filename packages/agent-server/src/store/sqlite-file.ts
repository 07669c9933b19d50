import { closeSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/** Of the tables. Another number for each change of them. */
const version = 1;

/** How long processes that use one file wait for each other: less than a lease lasts, because nothing else runs meanwhile. */
const busyMs = 3_000;

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
  CREATE INDEX runs_to_claim ON runs (created_at, id) WHERE phase IN ('waiting', 'running');
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
    database = new (loadSqlite().DatabaseSync)(file ?? ':memory:', { timeout: busyMs });
    prepareTables(database);
    if (file !== undefined) useWal(database);
    // A commit survives the end of the process. The last ones may be lost when the machine loses power; `FULL` would cost a sync each.
    database.exec('PRAGMA synchronous = NORMAL');
    return database;
  } catch (error) {
    database?.close();
    throw new Error(`Cannot open the runs in ${file ?? 'memory'}: ${(error as Error).message}`, { cause: error });
  }
}

function prepareTables(database: DatabaseSync): void {
  inTransaction(database, () => {
    const found = Number(database.prepare('PRAGMA user_version').get()?.user_version);
    if (found > version)
      throw new Error(
        `it has version ${found}, and this SchemaKit reads ${version}. Update SchemaKit, or use another file`,
      );
    if (found === version) return;
    if (database.prepare('SELECT 1 FROM sqlite_schema').get() !== undefined)
      throw new Error('it is the database of another program. Use another file');
    database.exec(schema);
  });
}

/** Writers and readers do not wait for each other in this mode, which the file then stays in. */
function useWal(database: DatabaseSync): void {
  const deadline = Date.now() + busyMs;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      // SQLite does not wait here by itself while another process opens or closes the file.
      const isBusy = (error as { errcode?: number }).errcode === 5;
      if (!isBusy || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
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
