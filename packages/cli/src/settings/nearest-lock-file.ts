import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What `findLockFile` of the library gives, without loading the library. */
export function nearestLockFile(folder: string = process.cwd()): string | undefined {
  const file = join(folder, 'schemakit.lock.json');
  if (existsSync(file)) return file;
  const parent = dirname(folder);
  return parent === folder ? undefined : nearestLockFile(parent);
}
