import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { restrictDatabase } from './restrict-database.ts';

/** How long a query waits for another program that writes, in milliseconds. */
const BUSY_TIMEOUT_MS = 2000;

let opened: { database: DatabaseSync; identity: string } | undefined;

/** The database, opened for reading. It is kept, and opened again when another file has taken its place. */
export function openDatabase(file: string): DatabaseSync {
  const isQuiet = isQuietWal(file);
  const identity = identityOf(file, isQuiet);
  if (opened?.identity === identity) return opened.database;
  opened?.database.close();
  opened = undefined;
  const database = open(file, isQuiet);
  opened = { database, identity };
  return database;
}

function open(file: string, isQuiet: boolean): DatabaseSync {
  const url = pathToFileURL(file);
  url.searchParams.set('mode', 'ro');
  if (isQuiet) url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true, allowExtension: false, timeout: BUSY_TIMEOUT_MS });
  // The file may come from anywhere: views in it may not call what only a query may, and large sorts stay off the disk.
  database.exec(
    'PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA query_only = ON',
  );
  restrictDatabase(database);
  return database;
}

/**
 * Tells whether a database with a write-ahead log is at rest: nobody has left anything in the log. Opened as immutable, it
 * needs no files beside it, which SQLite would make even for reading.
 */
function isQuietWal(file: string): boolean {
  return usesWal(file) && (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** https://www.sqlite.org/fileformat.html#the_database_header: byte 19 is the version that readers need, 2 with a log. */
function usesWal(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const header = new Uint8Array(20);
    return readSync(descriptor, header) === header.length && header[19] === 2;
  } finally {
    closeSync(descriptor);
  }
}

/** Changes of a file in use are SQLite's to see. An immutable one is trusted to stay as it is, so any change counts. */
function identityOf(file: string, isQuiet: boolean): string {
  const { dev, ino, size, mtimeMs } = statSync(file);
  return isQuiet ? `${dev}:${ino}:${size}:${mtimeMs}` : `${dev}:${ino}`;
}
