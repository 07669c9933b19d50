import { existsSync } from 'node:fs';
import type { Finding } from '../../format/finding.ts';
import { lockFinding } from '../../format/lock-codes.ts';
import { entriesAt } from './entries-at.ts';
import type { Lock } from './lock.ts';
import { lockedFile } from './lock-paths.ts';
import { trustCommand } from './trust-command.ts';

/** Warnings for entries whose files are gone: one that was renamed has lost its entry, and its new name is held to nothing. */
export function missingFiles({ lock, paths }: { lock: Lock; paths: readonly string[] }): Finding[] {
  const files = entriesAt(lock, paths).map(([path]) => ({ path, file: lockedFile(lock.file, path) }));
  return files
    .filter(({ file }) => !existsSync(file))
    .map(({ path, file }) =>
      lockFinding('LCK006', `the lock file has an entry for ${path}, which is not there`, {
        file: lock.file,
        hint: `If it was renamed, trust its new name. Remove the entry: ${trustCommand({ files: [file], lockFile: lock.file, flags: ['--revoke'] })}`,
      }),
    );
}
