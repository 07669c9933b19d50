import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { shownIds } from './find-tools.ts';
import type { IndexedTool } from './indexed-tool.ts';
import { isUnchanged, type KnownTimes } from './plan-changes.ts';
import { openIndex, rows } from './tables.ts';
import { toolsByIds } from './tool-rows.ts';

/** A file that an index has to be right about. */
interface IndexedPath {
  source: string;
  /** Absolute. */
  path: string;
}

/**
 * Finds the one tool of a name in an index as it was published, without a look at the folders that it is of. Undefined where there
 * is none, and where the index cannot be read or does not say what is in one of these files now: then it has to be brought up to
 * date first.
 */
export function findPublished(
  name: string,
  { file, among }: { file: string; among: readonly IndexedPath[] },
): IndexedTool | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = openIndex(file);
    if (database === undefined || !isRightAbout(among, database)) return undefined;
    const tools = toolsByIds(database, shownIds(database, name.trim()));
    return tools.length === 1 ? tools[0] : undefined;
  } catch {
    return undefined; // Who brings it up to date finds the damage, and makes it anew.
  } finally {
    database?.close();
  }
}

function isRightAbout(files: readonly IndexedPath[], database: DatabaseSync): boolean {
  const sql = 'SELECT size, mtime, ctime, checked FROM files WHERE source = ? AND path = ?';
  return files.every(({ source, path }) => {
    const { size, mtimeMs: mtime, ctimeMs: ctime } = statSync(path);
    const [known] = rows<KnownTimes>(database, sql, source, path);
    return known !== undefined && isUnchanged({ size, mtime, ctime }, known);
  });
}
