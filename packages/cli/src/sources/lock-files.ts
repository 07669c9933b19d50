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

export interface ImportedFrom {
  /** The folder of the source. */
  folder: string;
  /** The lock file that pins its schemas; undefined if it was removed. */
  lockFile: string | undefined;
}

/** The source that a file or folder was imported from; undefined for the user's own. */
export function importedFrom(path: string): ImportedFrom | undefined {
  for (let folder = resolve(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (!existsSync(join(folder, stateName))) continue;
    const lockFile = join(dirname(folder), lockFileName);
    return { folder, lockFile: existsSync(lockFile) ? lockFile : undefined };
  }
  return undefined;
}
