import type { DatabaseSync } from 'node:sqlite';

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
export function restrictDatabase(database: DatabaseSync): void {
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
