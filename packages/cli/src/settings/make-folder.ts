import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder, and those above it that are missing; `mode` is that of all that are made. Node's own way to do so does not end
 * where a folder is there and refuses new ones as if it were not, as `/proc` does.
 *
 * @throws where it cannot be made.
 */
export function makeFolder(folder: string, { mode = 0o777 }: { mode?: number } = {}): void {
  for (const path of missingFolders(resolve(folder))) {
    try {
      mkdirSync(path, { mode });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Another process may have been first.
      if (code === 'EEXIST' && isFolder(path)) continue;
      if (code === 'ENOENT') throw new Error(`no folder can be made in ${dirname(path)}`, { cause: error });
      throw error;
    }
  }
}

/** The outermost first. */
function missingFolders(folder: string): string[] {
  const above = dirname(folder);
  if (isFolder(folder)) return [];
  return above === folder ? [folder] : [...missingFolders(above), folder];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
