import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { indexWords, nameJoint } from './index-words.ts';
import type { Plan } from './plan-changes.ts';
import type { ReadFile } from './read-schemas.ts';
import { searchFields } from './tables.ts';

/** Files to be written into an index, and since when they hold what was read from them. */
export interface Changes extends Pick<Plan, 'removed' | 'touched'> {
  read: readonly ReadFile[];
  /** See `seenText`. */
  seen: string;
  /** Milliseconds since 1970. */
  time: number;
}

/** Writes what a plan found out of date. */
export function writeChanges(database: DatabaseSync, { removed, touched, read, seen, time }: Changes): void {
  database.exec('BEGIN');
  removeFiles(database, removed);
  touchFiles(database, touched, time);
  insertFiles(database, read, time);
  if (removed.length + read.length > 0) {
    nameTools(database);
    keepSearchWords(database);
  }
  prepareWrite(database, "INSERT OR REPLACE INTO state VALUES ('seen', ?)").run(seen);
  database.exec('COMMIT');
}

/** The full-text index has rows of its own with ids that no number holds; Node fails to give back the id of the last row then. */
function prepareWrite(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

function removeFiles(database: DatabaseSync, ids: readonly number[]): void {
  const removals = [
    'DELETE FROM words WHERE rowid IN (SELECT id FROM tools WHERE file = ?)',
    'DELETE FROM tools WHERE file = ?',
    'DELETE FROM files WHERE id = ?',
  ].map((sql) => prepareWrite(database, sql));
  for (const id of ids) for (const removal of removals) removal.run(id);
}

function touchFiles(database: DatabaseSync, touched: Changes['touched'], time: number): void {
  const update = prepareWrite(database, 'UPDATE files SET size = ?, mtime = ?, ctime = ?, checked = ? WHERE id = ?');
  for (const { id, file } of touched) update.run(file.size, file.mtime, file.ctime, time, id);
}

function insertFiles(database: DatabaseSync, read: readonly ReadFile[], time: number): void {
  const insertFile = prepareWrite(
    database,
    `INSERT INTO files (source, path, place, size, mtime, ctime, checked, hash, dependent, schema)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertTools = toolInserter(database);
  for (const { file, hash, schema: description } of read) {
    const { source, path, place, size, mtime, ctime } = file;
    const schema = description === undefined ? null : JSON.stringify(description.schema);
    const dependent = description?.isDependent ? 1 : 0;
    const inserted = insertFile.run(source, path, place, size, mtime, ctime, time, hash, dependent, schema);
    if (description !== undefined) insertTools(inserted.lastInsertRowid, description);
  }
}

function toolInserter(
  database: DatabaseSync,
): (file: number | bigint, description: NonNullable<ReadFile['schema']>) => void {
  const insertTool = prepareWrite(
    database,
    `INSERT INTO tools (file, type, callable, namespace, tool, part, place, cli, mcp, reference, name, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertWords = prepareWrite(
    database,
    `INSERT INTO words (rowid, ${searchFields.join(', ')}) VALUES (?${', ?'.repeat(searchFields.length)})`,
  );
  return (file, { schema, tools }) => {
    for (const description of tools) {
      const { tool, cli } = description;
      const { type, namespace, toolName, part, file: place, mcpName, reference } = tool;
      const isCallable = type === 'tool' || type === 'resource' ? 1 : 0;
      const names = [namespace, toolName, part, place, cli, mcpName, reference, cli];
      const { lastInsertRowid } = insertTool.run(file, type, isCallable, ...names, JSON.stringify(tool));
      const words = indexWords(description, schema);
      insertWords.run(lastInsertRowid, ...searchFields.map((field) => words[field]));
    }
  };
}

/** A name that several tools would have is none; but no skill or prompt takes its name from a tool. */
function nameTools(database: DatabaseSync): void {
  database.exec(
    `UPDATE tools SET name = iif(
       EXISTS (SELECT 1 FROM tools AS other WHERE other.cli = tools.cli AND other.id <> tools.id AND other.callable >= tools.callable),
       reference, cli)`,
  );
}

/** What every search needs, in the form in which it is read the fastest. */
function keepSearchWords(database: DatabaseSync): void {
  database.exec('DELETE FROM postings');
  database.exec('INSERT INTO postings SELECT term, col, json_group_array(doc) FROM places GROUP BY term, col');
  const keep = (key: string, sql: string, ...values: string[]) =>
    prepareWrite(database, `UPDATE state SET value = coalesce((${sql}), '') WHERE key = '${key}'`).run(...values);
  const words = 'SELECT DISTINCT word FROM postings WHERE instr(word, ?) = 0';
  keep('vocabulary', `SELECT group_concat(word, ' ') FROM (${words})`, nameJoint);
  keep('order', `SELECT group_concat(id) FROM (SELECT id FROM tools ORDER BY length(cli), cli, reference)`);
}
