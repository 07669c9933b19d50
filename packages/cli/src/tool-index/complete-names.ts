import type { DatabaseSync } from 'node:sqlite';
import { rows } from './tables.ts';

/** A character after all others: what begins with a prefix stands before the prefix with this after it. */
const last = '\u{10ffff}';

/**
 * Names and references that begin with what somebody typed, sorted: names of the command line, those of MCP once two underscores
 * are typed, files and ids after a slash, parts of a file after two colons.
 */
export function completeNames(
  database: DatabaseSync,
  prefix: string,
  { limit = 200 }: { limit?: number } = {},
): string[] {
  const found = formsOf(prefix).flatMap((sql) =>
    rows<{ text: string }>(
      database,
      `SELECT DISTINCT text FROM (${sql}) WHERE text >= ? AND text < ? ORDER BY text LIMIT ?`,
      prefix,
      prefix + last,
      limit,
    ),
  );
  return [...new Set(found.map(({ text }) => text))].sort().slice(0, limit);
}

function formsOf(prefix: string): string[] {
  if (prefix.includes('::')) return ['SELECT reference AS text FROM tools'];
  if (prefix.includes('/')) {
    const ids = `SELECT namespace || '/' || type || '/' || tool AS text FROM tools`;
    return ['SELECT place AS text FROM tools', ids];
  }
  const names = 'SELECT name AS text FROM tools';
  return prefix.includes('__') ? [names, 'SELECT mcp AS text FROM tools WHERE callable'] : [names];
}
