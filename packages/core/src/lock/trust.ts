import { checkArguments } from '../schema/arguments.ts';
import { type CheckResult, checkResult, type Finding } from '../schema/finding.ts';
import type { LockCheck } from './check-lock.ts';
import { changedParts } from './describe-changes.ts';
import type { Grants } from './grants.ts';
import { mergeGrants, withoutGrants } from './grants.ts';
import { lockFinding } from './lock-codes.ts';
import { entriesAt, updateLock } from './lock-file.ts';
import { trustCommand } from './lock-paths.ts';
import type { Lock, LockEntry } from './parse-lock.ts';

/** A schema to trust, as a person has seen it. */
export interface TrustedSchema {
  /** What `checkLock` gave. */
  check: LockCheck;
  /** What it may do beside what its entry grants already. Default nothing. */
  grants?: Grants;
  /** Where the file came from. Default: what the entry has. */
  source?: string;
  /** The revision of the source. Default: what the entry has, unless the schema changed. */
  revision?: string;
}

/**
 * Writes entries for schemas as they were checked, which may not be what their files hold by now. Grants of earlier entries
 * stay. All are written or none; an entry that another process changed since it was checked is an error.
 */
export async function trustSchemas({
  lockFile,
  schemas,
}: {
  lockFile: string;
  schemas: readonly TrustedSchema[];
}): Promise<CheckResult> {
  const problems = checkArguments('trustSchemas', { lockFile, schemas }, { lockFile: 'text', schemas: 'array' });
  if (problems.length > 0) return checkResult(problems);
  return updateLock(lockFile, (lock) => {
    const findings = schemas.flatMap(({ check }) => (isOvertaken(lock, check) ? [overtaken(check, lock.file)] : []));
    const entries = schemas.map((schema): [string, LockEntry] => [schema.check.path, entryOf(lock, schema)]);
    return { schemas: new Map([...lock.schemas, ...entries]), findings };
  });
}

/** Whether the lock has by now another schema than the one that was shown as trusted, or the one that is to be. */
function isOvertaken({ schemas }: Lock, { path, entry, pin }: LockCheck): boolean {
  const current = schemas.get(path);
  if (current === undefined || changedParts(current, pin).length === 0) return false;
  return entry === undefined || changedParts(current, entry).length > 0;
}

function overtaken({ path, file }: LockCheck, lockFile: string): Finding {
  return lockFinding('LCK007', `the entry of ${path} was changed meanwhile`, {
    file,
    hint: `Look at it again: ${trustCommand({ files: [file], lockFile })}`,
  });
}

function entryOf({ schemas }: Lock, { check, grants = {}, source, revision }: TrustedSchema): LockEntry {
  const { path, pin } = check;
  const current = schemas.get(path);
  const isSame = current !== undefined && changedParts(current, pin).length === 0;
  return {
    ...pin,
    source: source ?? current?.source ?? null,
    revision: revision ?? (isSame ? current.revision : null),
    grants: mergeGrants(current?.grants ?? {}, grants),
  };
}

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
