import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Grants } from '../lock/grants.ts';
import { findLockFile } from '../lock/lock-paths.ts';

/** Written into each folder that an import of the command made. */
const importMark = '_source.json';

/**
 * The folder that a schema file came with. Handlers of one source share host processes, and those of others never run there.
 * It is the imported folder that the file is in; else `source`, such as the folder that was loaded as a whole; else that of
 * the lock file; else that of the file.
 */
export function sourceFolder(
  file: string,
  { source, lockFile }: { source?: string | undefined; lockFile?: string | undefined },
): string {
  const folder = dirname(file);
  const lock = lockFile ?? findLockFile(folder);
  return importedFolder(folder) ?? source ?? (lock === undefined ? folder : dirname(resolve(lock)));
}

function importedFolder(folder: string): string | undefined {
  if (existsSync(join(folder, importMark))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : importedFolder(parent);
}

/** Names the programs that may share hosts: one source, loaded for one owner, with the same grants. */
export function hostGroup(
  source: string,
  { owner = null, grants }: { owner?: string | null | undefined; grants: Grants },
): string {
  const { network = [], secrets = [] } = grants;
  const origins = network === 'any' ? network : [...network].sort();
  return hash('sha256', JSON.stringify([source, owner, origins, [...secrets].sort()]));
}
