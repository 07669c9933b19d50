import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** How long a query waits while another program writes, in milliseconds. */
const BUSY_TIMEOUT_MS = 2000;

let cached: { database: DatabaseSync; identity: string } | undefined;

/** Opens the database read-only, and again if the file has been replaced since. */
export function openDatabase(file: string): DatabaseSync {
  const isIdle = isIdleWal(file);
  const identity = identityOf(file, isIdle);
  if (cached?.identity === identity) return cached.database;
  cached?.database.close();
  cached = undefined;
  const database = open(file, isIdle);
  cached = { database, identity };
  return database;
}

function open(file: string, isIdle: boolean): DatabaseSync {
  const url = pathToFileURL(file);
  url.searchParams.set('mode', 'ro');
  if (isIdle) url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true, allowExtension: false, timeout: BUSY_TIMEOUT_MS });
  // Views in an untrusted file may not call unsafe functions, and large sorts do not go to disk.
  database.exec(
    'PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA query_only = ON',
  );
  // A second check, after that of the statement.
  if (isAuthorizable(database)) database.setAuthorizer(authorize);
  return database;
}

/** Whether a write-ahead log is empty: then the database opens as immutable; otherwise SQLite creates files beside it even for reading. */
function isIdleWal(file: string): boolean {
  return usesWal(file) && (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** https://www.sqlite.org/fileformat.html#the_database_header: byte 19 is the read version, 2 for WAL. */
function usesWal(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const header = new Uint8Array(20);
    return readSync(descriptor, header) === header.length && header[19] === 2;
  } finally {
    closeSync(descriptor);
  }
}

/** SQLite itself notices changes, except to an immutable file, which must then be opened again. */
function identityOf(file: string, isIdle: boolean): string {
  const { dev, ino, size, mtimeMs } = statSync(file);
  return isIdle ? `${dev}:${ino}:${size}:${mtimeMs}` : `${dev}:${ino}`;
}

/** Node.js 24.10 and later. */
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
  // Used internally by full-text indexes.
  'data_version',
]);
/** Tables of a spatial index, which compiles write statements even for reading. The database is read-only. */
const spatialTable = /_(?:node|rowid|parent)$/;

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
