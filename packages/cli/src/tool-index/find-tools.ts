import type { DatabaseSync } from 'node:sqlite';
import type { Finding, ToolResolution } from '@schemakit/core';
import type { IndexedTool } from './indexed-tool.ts';
import { rows } from './tables.ts';
import { toolsByIds } from './tool-rows.ts';

/** What a reference names: one tool, or all of a file; a skill, a prompt, or all queries of a database. */
export type FoundTools = ToolResolution<IndexedTool>;

/**
 * Finds what a reference names, in any form that `parseReference` of the library reads (specification 2.11). Names that lists and
 * searches show are found without the library, which takes longer to load than everything else does.
 */
export async function findTools(database: DatabaseSync, reference: string): Promise<FoundTools> {
  const ids = shownIds(database, reference.trim());
  if (ids.length > 0) {
    const findings: Finding[] = [];
    return { status: true, messages: [], findings, outcome: 'match', tools: toolsByIds(database, ids) };
  }
  const { resolveReference } = await import('./resolve-reference.ts');
  return resolveReference(database, reference);
}

/** Ids of what lists and searches show under a name: none where several things have it. */
export function shownIds(database: DatabaseSync, text: string): number[] {
  const isFile = text.endsWith('.mjs');
  const sql = isFile
    ? 'SELECT tools.id, file FROM files JOIN tools ON tools.file = files.id WHERE files.place = ? AND callable ORDER BY tools.id'
    : 'SELECT id, file FROM tools WHERE name = ? OR reference = ?';
  const values = isFile ? [text] : [text, text];
  const found = rows<{ id: number; file: number }>(database, sql, ...values);
  // Where several are meant, the library says so.
  const isOne = isFile ? new Set(found.map(({ file }) => file)).size === 1 : found.length === 1;
  return isOne ? found.map(({ id }) => id) : [];
}
