import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../make-folder.ts';
import { lookAt } from './local-files.ts';
import { type OnProgress, progressOf } from './source-progress.ts';
import { type SourceState, writeState } from './source-state.ts';

/** A file to put in place. */
export interface FileToWrite {
  path: string;
  sha256: string;
  /** Hash of the file that is here and may be replaced; undefined where there is none. */
  replaces: string | undefined;
}

/**
 * Puts a new source in place, all at once.
 *
 * @param options.tree - A folder with all files of the source, and others, which are removed.
 */
export async function activateSource({
  folder,
  tree,
  state,
}: {
  folder: string;
  tree: string;
  state: SourceState;
}): Promise<void> {
  const kept = new Set([...state.files.keys()].map((path) => join(tree, path)));
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  // The deepest first, so that folders are empty when it is their turn.
  for (const entry of entries.reverse()) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory())
      await rmdir(path).catch(() => {}); // Something is kept in it.
    else if (!kept.has(path)) await rm(path);
  }
  await writeState(tree, { state, staging: dirname(tree) });
  makeFolder(dirname(folder));
  await rename(tree, folder);
}

/**
 * Puts changed files in place, one after the other, each as a whole. What is about to be written is noted before: after an
 * interruption, the next update knows those files for its own.
 *
 * @returns the paths of files that were edited since they were looked at, and were left alone.
 */
export async function activateChanges(
  files: readonly FileToWrite[],
  {
    folder,
    tree,
    before,
    after,
    onProgress,
  }: { folder: string; tree: string; before: SourceState; after: SourceState; onProgress: OnProgress | undefined },
): Promise<string[]> {
  const edited: string[] = [];
  const staging = dirname(tree);
  if (files.length > 0) {
    const pending = new Map(before.pending);
    for (const { path, sha256 } of files) pending.set(path, [...(pending.get(path) ?? []), sha256]);
    await writeState(folder, { state: { ...before, pending }, staging });
  }
  const tell = progressOf('write', { total: files.length, onProgress });
  for (const { path, replaces } of files) {
    const local = await lookAt(folder, path);
    const isAsSeen = local.is === 'absent' ? replaces === undefined : local.is === 'file' && local.sha256 === replaces;
    if (isAsSeen) {
      makeFolder(dirname(join(folder, path)));
      await rename(join(tree, path), join(folder, path));
    } else edited.push(path);
    tell(path);
  }
  // What was left alone is still what it was, and so is what is noted about it.
  const noted = new Map(after.files);
  for (const path of edited) {
    const earlier = before.files.get(path);
    if (earlier === undefined) noted.delete(path);
    else noted.set(path, earlier);
  }
  await writeState(folder, { state: { ...after, files: noted }, staging });
  return edited;
}
