import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { stateName } from './source-state.ts';

/** `lockFileName` of the library, which a server that kept its offer starts without. */
const lockFileName = 'schemakit.lock.json';

/** What an import decided about a file. */
export interface ImportedFrom {
  /** The folder of the source. */
  folder: string;
  /** The lock file that holds its schemas to what they were when they came; undefined where it was removed. */
  lockFile: string | undefined;
}

/** The source that a file, or a folder of files, was imported from; undefined for what is the user's own. */
export function importedFrom(path: string): ImportedFrom | undefined {
  for (let folder = resolve(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (!existsSync(join(folder, stateName))) continue;
    const lockFile = join(dirname(folder), lockFileName);
    return { folder, lockFile: existsSync(lockFile) ? lockFile : undefined };
  }
  return undefined;
}
