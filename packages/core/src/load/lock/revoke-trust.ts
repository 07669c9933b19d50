import { checkArguments } from '../../format/arguments.ts';
import { type CheckResult, checkResult } from '../../format/check-result.ts';
import type { Grants } from '../schema-record.ts';
import { entriesAt } from './entries-at.ts';
import { withoutGrants } from './merge-grants.ts';
import { updateLock } from './update-lock.ts';

export interface RevokedTrust extends CheckResult {
  /** The paths of the entries that were removed or changed. */
  revoked: string[];
}

/**
 * Removes entries from a lock file, of files that need not be there any more.
 *
 * @param options.paths - Files; a folder stands for all entries below it.
 * @param options.grants - Takes only these grants away and leaves the entries.
 */
export async function revokeTrust({
  lockFile,
  paths,
  grants,
}: {
  lockFile: string;
  paths: readonly string[];
  grants?: Grants;
}): Promise<RevokedTrust> {
  const problems = checkArguments('revokeTrust', { lockFile, paths }, { lockFile: 'text', paths: 'text array' });
  if (problems.length > 0) return { ...checkResult(problems), revoked: [] };
  let revoked: string[] = [];
  const result = await updateLock(lockFile, (lock) => {
    const entries = entriesAt(lock, paths);
    const schemas = new Map(lock.schemas);
    revoked = [];
    for (const [path, entry] of entries) {
      const left = grants === undefined ? undefined : { ...entry, grants: withoutGrants(entry.grants, grants) };
      if (left === undefined) schemas.delete(path);
      else if (JSON.stringify(left) === JSON.stringify(entry)) continue;
      else schemas.set(path, left);
      revoked.push(path);
    }
    return { schemas };
  });
  return { ...result, revoked: result.status ? revoked : [] };
}
