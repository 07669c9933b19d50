import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its missing parents with a mode. `mkdir` with `recursive` never returns in a folder such as `/proc`, which
 * exists and refuses new entries with ENOENT.
 *
 * @throws if it cannot be created.
 */
export function makeFolder(folder: string, { mode = 0o777 }: { mode?: number } = {}): void {
  for (const path of missingFolders(resolve(folder))) {
    try {
      mkdirSync(path, { mode });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Another process may have been first.
      if (code === 'EEXIST' && isFolder(path)) continue;
      if (code === 'ENOENT') throw new Error(`cannot create a folder in ${dirname(path)}`, { cause: error });
      throw error;
    }
  }
}

/** Outermost first. */
function missingFolders(folder: string): string[] {
  const above = dirname(folder);
  if (isFolder(folder)) return [];
  return above === folder ? [folder] : [...missingFolders(above), folder];
}

/** False also for a folder that may not be read. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
