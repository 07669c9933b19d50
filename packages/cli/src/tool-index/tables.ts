import { statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { loadSqlite } from '../demo/load-sqlite.ts';
import { readerVersion } from './reader-version.ts';

/** The parts of a tool that are searched, in the order of the columns of `words`. */
export const searchFields = ['namespace', 'name', 'tags', 'lists', 'schema', 'description', 'parameters'] as const;

export type SearchField = (typeof searchFields)[number];

const tables: readonly string[] = [
  'CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
  `CREATE TABLE files (
  id INTEGER PRIMARY KEY, source TEXT NOT NULL, path TEXT NOT NULL, place TEXT NOT NULL,
  size REAL NOT NULL, mtime REAL NOT NULL, ctime REAL NOT NULL, checked REAL NOT NULL, hash TEXT NOT NULL,
  dependent INTEGER NOT NULL, schema TEXT, UNIQUE (source, path))`,
  `CREATE TABLE tools (
  id INTEGER PRIMARY KEY, file INTEGER NOT NULL REFERENCES files, type TEXT NOT NULL, callable INTEGER NOT NULL,
  namespace TEXT NOT NULL, tool TEXT NOT NULL, part TEXT NOT NULL, place TEXT NOT NULL,
  cli TEXT NOT NULL, mcp TEXT NOT NULL, reference TEXT NOT NULL, name TEXT NOT NULL, data TEXT NOT NULL)`,
  'CREATE INDEX tools_of_file ON tools (file)',
  'CREATE INDEX tools_by_cli ON tools (cli)',
  'CREATE INDEX tools_by_name ON tools (name)',
  'CREATE INDEX tools_by_reference ON tools (reference)',
  // Turns the words of tools into the tools of words, also when only a few of them change. The words are split before they come
  // here; of this tokenizer it is only wanted that it splits at spaces.
  `CREATE VIRTUAL TABLE words USING fts5(${searchFields.join(', ')}, content='', contentless_delete=1, detail=column, tokenize='ascii')`,
  `CREATE VIRTUAL TABLE places USING fts5vocab(words, 'instance')`,
  // The same, put together for searches: tools as a JSON array of ids. These lists are long: were they part of what is sorted by
  // words, as without row ids, each comparison of words would read one.
  'CREATE TABLE postings (word TEXT NOT NULL, field TEXT NOT NULL, tools TEXT NOT NULL)',
  'CREATE INDEX postings_by_word ON postings (word)',
];

/** The rows that a query gives, as the caller knows them to be. */
export function rows<Row>(database: DatabaseSync, sql: string, ...values: readonly SQLInputValue[]): Row[] {
  return database.prepare(sql).all(...values) as unknown as Row[];
}

/** Opens a database without waiting for anybody, and without SQLite's promises about power cuts: it is nobody else's yet. */
export function openDraft(path: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Makes the tables of an empty index. */
export function createTables(database: DatabaseSync): void {
  for (const sql of tables) database.exec(sql);
  database
    .prepare(`INSERT INTO state VALUES ('reader', ?), ('vocabulary', ''), ('order', ''), ('seen', '')`)
    .run(readerVersion());
}

/**
 * Opens an index for reading. Undefined where there is none, where it is damaged, or where it was made by another version of
 * this program: its tables then differ, or its schemas were read differently.
 */
export function openIndex(path: string): DatabaseSync | undefined {
  const { DatabaseSync } = loadSqlite();
  let database: DatabaseSync | undefined;
  try {
    // What is published is never written to, so that there is nothing to lock, and no journal to look for before each query.
    database = new DatabaseSync(`${pathToFileURL(path)}?immutable=1`, { readOnly: true });
    if (isWhole(database, path) && hasTables(database) && state(database, 'reader') === readerVersion())
      return database;
  } catch {
    // Whatever is wrong with the file, the answer is to make a new one.
  }
  database?.close();
  return undefined;
}

/** `seen` is the text of the scan that the index was last brought up to date with. */
type StateKey = 'reader' | 'vocabulary' | 'order' | 'seen';

/** A value that is kept for the index as a whole. */
export function state(database: DatabaseSync, key: StateKey): string {
  const [row] = rows<{ value: string }>(database, 'SELECT value FROM state WHERE key = ?', key);
  return row?.value ?? '';
}

/** SQLite notices missing pages by itself, but not that the last one was cut. */
function isWhole(database: DatabaseSync, path: string): boolean {
  const [size] = rows<{ bytes: number }>(
    database,
    'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  );
  return size?.bytes === statSync(path).size;
}

function hasTables(database: DatabaseSync): boolean {
  const found = new Set(rows<{ sql: string }>(database, 'SELECT sql FROM sqlite_schema').map(({ sql }) => sql));
  return tables.every((sql) => found.has(sql));
}
