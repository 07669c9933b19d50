import { existsSync } from 'node:fs';
import { rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '@schemakit/core';
import { lockFileName, revokeTrust } from '@schemakit/core/lock';
import { reasonOf } from '../output/terminal-text.ts';
import { withSourceLock } from './import-source.ts';
import { sourceFinding } from './source-codes.ts';
import { stagingFolder } from './source-state.ts';

/** `revoked` has the paths of the lock file's entries that were removed. */
export type RemovedSource = { ok: true; revoked: readonly string[] } | { ok: false; finding: Finding };

/**
 * Removes a source with its files and its entries in the lock file beside it. Its folder disappears in one step; the entries go
 * first, so that the same command completes a removal that was interrupted.
 */
export async function removeSource({ name, folder }: { name: string; folder: string }): Promise<RemovedSource> {
  const fail = (finding: Finding): RemovedSource => ({ ok: false, finding });
  const staging = stagingFolder(folder);
  const removed = join(staging, `removed-${name}`);
  try {
    return await withSourceLock({ folder, name, fail }, async () => {
      const lockFile = join(folder, lockFileName);
      const paths = [join(folder, name)];
      const { revoked, findings } = existsSync(lockFile)
        ? await revokeTrust({ lockFile, paths })
        : { revoked: [], findings: [] };
      const [problem] = findings;
      if (problem !== undefined) return fail(problem);
      await rm(removed, { recursive: true, force: true });
      await rename(join(folder, name), removed);
      await rm(removed, { recursive: true, force: true });
      return { ok: true, revoked };
    });
  } catch (error) {
    const hint = `Check the permissions of ${folder}.`;
    return fail(sourceFinding('SRC014', `cannot remove the source ${name}: ${reasonOf(error)}`, { hint }));
  } finally {
    // Fails while another process uses it.
    await rmdir(staging).catch(() => {});
  }
}
