import type { DatabaseSync } from 'node:sqlite';
import type { Finding } from '@schemakit/core';
import { indexFinding } from './index-codes.ts';
import { isCurrent, type Plan, planChanges, seenText } from './plan-changes.ts';
import { publishIndex } from './publish-index.ts';
import type { OnProgress } from './read-schemas.ts';
import { type Scan, type SourceFolder, scanFolders } from './scan-folders.ts';
import { createTables, openDraft, openIndex } from './tables.ts';
import { writeChanges } from './write-changes.ts';

export interface CurrentIndexOptions {
  /** The file of the index; it and its folder are made if they are not there. Without one, the index is in memory. */
  file?: string | undefined;
  /** What the index is of. Each source has one folder. */
  folders: readonly SourceFolder[];
  /** Told after each file that is read. */
  onProgress?: OnProgress | undefined;
  /** With more files to read than these, the index stays as it is, and is empty where there is none. Default: no limit. */
  readAtMost?: number;
}

export interface CurrentIndex {
  database: DatabaseSync;
  /** Warnings: folders that cannot be read, a file that cannot be written. */
  findings: readonly Finding[];
}

/** Others may publish an index of other folders at the same place again and again; after this many times it is kept in memory. */
const maxRounds = 3;

/**
 * Opens an index that says what its folders hold. Reads what is new or changed, if anything is; makes the index anew where it is
 * damaged, and in memory where it cannot be written.
 *
 * @param options.fresh - Makes the index anew even if it looks well.
 */
export async function openCurrentIndex({
  file,
  folders,
  onProgress,
  readAtMost = Number.POSITIVE_INFINITY,
  fresh = false,
}: CurrentIndexOptions & { fresh?: boolean }): Promise<CurrentIndex> {
  const scan = scanFolders(folders);
  if (folders.length === 0) return { database: openEmpty(), findings: [] };
  const write = (draft: DatabaseSync, plan: Plan) => applyPlan(draft, plan, { scan, onProgress });
  const reread = async () => {
    const database = openEmpty();
    await write(database, planChanges(scan));
    return database;
  };
  if (file === undefined) return { database: await reread(), findings: scan.findings };
  let reason = 'other commands write an index of other folders to it';
  let isWritable = true;
  let isEmptyDraft = fresh;
  for (let round = 0; round < maxRounds; round += 1) {
    const published = isEmptyDraft ? undefined : openPlanned(file, scan);
    const plan = published?.plan ?? planChanges(scan);
    const isUsable = published !== undefined && isCurrent(plan);
    // What an index says is right even if the times of its files are not.
    const isEnough = plan.changed.length > readAtMost || (isUsable && (plan.touched.length === 0 || !isWritable));
    if (published !== undefined && isEnough) return { database: published.database, findings: scan.findings };
    if (isEnough) return { database: openEmpty(), findings: scan.findings };
    published?.database.close();
    try {
      if (published === undefined) await publishIndex(file, {}, (draft) => write(draft, plan));
      // Another command may have published an index since this one was looked at: the draft has the ids of that one.
      else await publishIndex(file, { from: file }, (draft) => write(draft, planChanges(scan, draft)));
      isEmptyDraft = false;
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
      if (published === undefined) break;
      isWritable = false;
      // A draft that cannot be made of the published index may show that it is damaged.
      isEmptyDraft = !isUsable;
    }
  }
  const database = await reread();
  return { database, findings: [...scan.findings, indexFinding('IDX001', `${file} cannot be used: ${reason}`)] };
}

function openEmpty(): DatabaseSync {
  const database = openDraft(':memory:');
  createTables(database);
  return database;
}

/** Damage may show only when the rows are read. */
function openPlanned(file: string, scan: Scan): { database: DatabaseSync; plan: Plan } | undefined {
  const database = openIndex(file);
  if (database === undefined) return undefined;
  try {
    return { database, plan: planChanges(scan, database) };
  } catch {
    database.close();
    return undefined;
  }
}

async function applyPlan(
  database: DatabaseSync,
  { removed, changed, touched }: Plan,
  { scan, onProgress }: { scan: Scan; onProgress: OnProgress | undefined },
): Promise<void> {
  // The library takes longer to load than a search takes; where nothing changed, it is not needed.
  const read = changed.length === 0 ? [] : await (await import('./read-schemas.ts')).readSchemas(changed, onProgress);
  writeChanges(database, { removed, touched, read, seen: seenText(scan), time: scan.time });
}
