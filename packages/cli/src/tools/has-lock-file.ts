import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Whether schemas are held to a lock file, in this folder or above it. Does not load the library, which reads it. */
export function hasLockFile(folder: string = process.cwd()): boolean {
  if (existsSync(join(folder, 'schemakit.lock.json'))) return true;
  const parent = dirname(folder);
  return parent !== folder && hasLockFile(parent);
}
