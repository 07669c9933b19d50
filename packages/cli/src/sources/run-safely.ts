import { existsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Finding } from '@schemakit/core';
import { sourceFinding } from './source-codes.ts';

/**
 * Does work, and turns what it throws into a finding: the reason of a signal, and what the disk refuses. A trial leaves no
 * folder that was not there before.
 */
export async function runSafely<T>(
  { signal, folder, dryRun }: { signal: AbortSignal; folder: string; dryRun: boolean },
  work: () => Promise<T>,
  failed: (finding: Finding) => T,
): Promise<T> {
  const missing = dryRun ? missingFolders(folder) : [];
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) {
      const hint = 'Run it again: what was fetched need not be fetched again.';
      return failed(sourceFinding('SRC018', 'the work was stopped before it was done', { hint }));
    }
    if (!isSystemError(error)) throw error;
    const hint = `Check the rights of ${folder}, and the space on its disk.`;
    return failed(sourceFinding('SRC014', `files of the source cannot be read or written: ${error.message}`, { hint }));
  } finally {
    for (const path of missing) await rmdir(path).catch(() => {}); // Somebody else put something into it.
  }
}

/** A folder and those above it that are not there, the deepest first. */
function missingFolders(folder: string): string[] {
  return existsSync(folder) ? [] : [folder, ...missingFolders(dirname(folder))];
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
