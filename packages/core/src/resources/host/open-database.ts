import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

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

/** What Node.js calls before a statement is compiled; from version 24.10 on. */
interface Authorizable {
  setAuthorizer(authorize: (action: number, first: string | null, second: string | null) => number): void;
}

// https://www.sqlite.org/c3ref/c_alter_table.html
const action = { delete: 9, insert: 18, pragma: 19, read: 20, select: 21, update: 23, function: 31, recursive: 33 };
const allow = 0;
const deny = 1;

const refusedFunctions: ReadonlySet<string> = new Set(['load_extension', 'fts3_tokenizer']);
const allowedPragmas: ReadonlySet<string> = new Set([
  'table_list',
  'table_info',
  'table_xinfo',
  'index_list',
  'index_info',
  'index_xinfo',
  'foreign_key_list',
  // Full-text indexes ask for it themselves.
  'data_version',
]);
/** Tables behind a spatial index, which compiles its writing statements before it is read. The database is read only. */
const spatialTable = /_(?:node|rowid|parent)$/;

/** Has SQLite refuse, where it can be asked to, every action but reading: a second check of what the caller has checked. */
function restrictDatabase(database: DatabaseSync): void {
  if (isAuthorizable(database)) database.setAuthorizer(authorize);
}

function isAuthorizable(database: object): database is Authorizable {
  return 'setAuthorizer' in database;
}

function authorize(code: number, first: string | null, second: string | null): number {
  switch (code) {
    case action.select:
    case action.read:
    case action.recursive:
      return allow;
    case action.function:
      return refusedFunctions.has(second?.toLowerCase() ?? '') ? deny : allow;
    case action.pragma:
      return allowedPragmas.has(first?.toLowerCase() ?? '') ? allow : deny;
    case action.insert:
    case action.update:
    case action.delete:
      return spatialTable.test(first ?? '') ? allow : deny;
    default:
      return deny;
  }
}
