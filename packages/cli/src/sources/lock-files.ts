import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { stateName } from './source-state.ts';

/** `lockFileName` of the library, which servers with a cached catalog do not load. */
const lockFileName = 'schemakit.lock.json';

/** Finds the nearest lock file, like `findLockFile` of the library but without loading it. */
export function nearestLockFile(folder: string = process.cwd()): string | undefined {
  const file = lockFileIn(folder);
  if (file !== undefined) return file;
  const parent = dirname(folder);
  return parent === folder ? undefined : nearestLockFile(parent);
}

/** A link to nothing counts: reading it is an error. */
function lockFileIn(folder: string): string | undefined {
  const file = join(folder, lockFileName);
  return lstatSync(file, { throwIfNoEntry: false }) === undefined ? undefined : file;
}

/** What was imported: the name of its source, and the lock file that pins it, if there is one. */
export interface Imported {
  source: string;
  lockFile: string | undefined;
}

/** For an imported file or folder, or a folder of imported sources. Undefined for the user's own. */
export function importedFrom(path: string): Imported | undefined {
  for (let folder = resolve(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, stateName))) {
      return { source: basename(folder), lockFile: lockFileIn(dirname(folder)) };
    }
  }
  const folder = resolve(path);
  return hasSources(folder) ? { source: basename(folder), lockFile: lockFileIn(folder) } : undefined;
}

function hasSources(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => existsSync(join(folder, name, stateName)));
  } catch {
    return false; // A file, or nothing.
  }
}
