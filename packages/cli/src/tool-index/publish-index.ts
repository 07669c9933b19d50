import { closeSync, copyFileSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../make-folder.ts';
import { createTables, openDraft } from './tables.ts';

/** After this time a draft was left behind by a process that was stopped. Milliseconds. */
const maxDraftAge = 3_600_000;

/**
 * Writes an index to a file of its own and then puts it in the place of the published one, which is never written to. So nobody
 * ever waits for a lock or meets an index that is half-written, and of several who publish at once the last one wins.
 *
 * @param file - Where the index is published.
 * @param options.from - The index to begin with; without one it begins empty.
 * @param write - Brings the draft up to date.
 * @throws where the file, or its folder, cannot be written.
 */
export async function publishIndex(
  file: string,
  { from }: { from?: string },
  write: (draft: DatabaseSync) => Promise<void>,
): Promise<void> {
  makeFolder(dirname(file));
  removeAbandoned(file);
  const path = `${file}.${crypto.randomUUID()}.draft`;
  try {
    if (from !== undefined) copyFileSync(from, path);
    const draft = openDraft(path);
    try {
      if (from === undefined) createTables(draft);
      await write(draft);
    } finally {
      draft.close();
    }
    flush(path);
    renameSync(path, file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

/** Without this, a power cut could leave the name of the new file and nothing in it. */
function flush(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function removeAbandoned(file: string): void {
  const folder = dirname(file);
  const drafts = readdirSync(folder).filter((name) => name.startsWith(`${basename(file)}.`) && name.endsWith('.draft'));
  for (const draft of drafts) {
    const path = join(folder, draft);
    const info = statSync(path, { throwIfNoEntry: false });
    if (info !== undefined && Date.now() - info.mtimeMs > maxDraftAge) rmSync(path, { force: true });
  }
}
