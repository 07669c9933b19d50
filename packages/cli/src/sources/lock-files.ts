import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { stateName } from './source-state.ts';

/** `lockFileName` of the library, which servers with a cached catalog do not load. */
const lockFileName = 'schemakit.lock.json';

/** Finds the nearest lock file, like `findLockFile` of the library but without loading it. */
export function nearestLockFile(folder: string = process.cwd()): string | undefined {
  const file = join(folder, lockFileName);
  if (existsSync(file)) return file;
  const parent = dirname(folder);
  return parent === folder ? undefined : nearestLockFile(parent);
}

/** For an imported file or folder: the lock file that pins it, if there is one; undefined for the user's own. */
export function importedFrom(path: string): { lockFile: string | undefined } | undefined {
  for (let folder = resolve(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (!existsSync(join(folder, stateName))) continue;
    const lockFile = join(dirname(folder), lockFileName);
    return { lockFile: existsSync(lockFile) ? lockFile : undefined };
  }
  return undefined;
}
