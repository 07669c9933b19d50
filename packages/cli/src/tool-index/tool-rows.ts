import type { DatabaseSync } from 'node:sqlite';
import type { IndexedFile, IndexedSchema, IndexedTool } from './indexed-tool.ts';
import { rows } from './tables.ts';

/** All that the folders offer, in the order of the files. */
export function allTools(database: DatabaseSync): IndexedTool[] {
  return rows<ToolRow>(database, 'SELECT name, data FROM tools ORDER BY place, id').map(readTool);
}

/** All schema files, those with errors too, in their order. */
export function allSchemas(database: DatabaseSync): IndexedSchema[] {
  const sql = 'SELECT schema FROM files WHERE schema IS NOT NULL ORDER BY place';
  return rows<{ schema: string }>(database, sql).map(({ schema }) => JSON.parse(schema) as IndexedSchema);
}

/** A schema file by its `<source>/<file>.mjs`, and all that it offers; undefined where the index has none. */
export function fileAt(database: DatabaseSync, place: string): IndexedFile | undefined {
  const sql = 'SELECT id, schema FROM files WHERE place = ? AND schema IS NOT NULL';
  const [found] = rows<{ id: number; schema: string }>(database, sql, place);
  if (found === undefined) return undefined;
  const tools = rows<ToolRow>(database, 'SELECT name, data FROM tools WHERE file = ? ORDER BY id', found.id);
  return { schema: JSON.parse(found.schema) as IndexedSchema, tools: tools.map(readTool) };
}

/** Tools in the order of their ids. */
export function toolsByIds(database: DatabaseSync, ids: readonly number[]): IndexedTool[] {
  const select = database.prepare('SELECT name, data FROM tools WHERE id = ?');
  return ids.map((id) => readTool(select.get(id) as unknown as ToolRow));
}

interface ToolRow {
  name: string;
  data: string;
}

function readTool({ name, data }: ToolRow): IndexedTool {
  return { ...(JSON.parse(data) as Omit<IndexedTool, 'name'>), name };
}
