import type { Lock, LockEntry } from './lock.ts';
import { lockedFile, lockPaths } from './lock-paths.ts';

/** The entries of files, and those below folders. */
export function entriesAt({ file, schemas }: Lock, paths: readonly string[]): [string, LockEntry][] {
  const places = paths.flatMap((path) => lockPaths(file, path));
  // The folder of the lock file itself has no path in it, so both are compared in every spelling.
  return [...schemas].filter(([path]) => {
    const names = lockPaths(file, lockedFile(file, path));
    return places.some((place) => names.some((name) => name === place || name.startsWith(`${place}/`)));
  });
}
