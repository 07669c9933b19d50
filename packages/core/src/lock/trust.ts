import { checkArguments } from '../schema/arguments.ts';
import { type CheckResult, checkResult, type Finding } from '../schema/finding.ts';
import { changedParts, type LockCheck } from './check-lock.ts';
import { type Grants, mergeGrants, withoutGrants } from './grants.ts';
import { lockFinding } from './lock-codes.ts';
import { entriesAt, type Lock, type LockEntry, updateLock } from './lock-file.ts';
import { trustCommand } from './lock-paths.ts';
import { keptGrants } from './secret-routes.ts';

/** A schema to trust, as the user has seen it. */
export interface TrustedSchema {
  check: LockCheck;
  /** Added to the grants of its entry. Default none. */
  grants?: Grants;
  /** The origin of the file. Default: that of the entry. */
  source?: string;
  /** The revision of the source. Default: that of the entry, unless the schema changed. */
  revision?: string;
}

/**
 * Writes entries for schemas as they were checked, whatever their files contain now. Earlier grants stay, except those to send a
 * secret if the root has moved to an origin that they do not name. All entries are written or none; an entry that another process changed since the check is an error.
 *
 * @example
 * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
 * const { lock } = readLock({ lockFile: 'schemakit.lock.json', missing: 'empty' });
 * const check = lock && checkLock({ lock, schema });
 * if (check) await trustSchemas({ lockFile: 'schemakit.lock.json', schemas: [{ check }] });
 * const { status } = await SchemaKit.loadSchema({ filePath: 'tides.mjs', lockFile: 'schemakit.lock.json' });
 * console.log(status); // true
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
    const findings = schemas.flatMap(({ check }) => (hasConflict(lock, check) ? [conflict(check, lock.file)] : []));
    const entries = schemas.map((schema): [string, LockEntry] => [schema.check.path, entryOf(lock, schema)]);
    return { schemas: new Map([...lock.schemas, ...entries]), findings };
  });
}

/** Whether another process trusted a different schema since the check. */
function hasConflict({ schemas }: Lock, { path, entry, pin }: LockCheck): boolean {
  const current = schemas.get(path);
  if (current === undefined || changedParts(current, pin).length === 0) return false;
  return entry === undefined || changedParts(current, entry).length > 0;
}

function conflict({ path, file }: LockCheck, lockFile: string): Finding {
  return lockFinding('LCK007', `another process changed the entry of ${path}`, {
    file,
    hint: `Review the schema again: ${trustCommand({ files: [file], lockFile })}`,
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
    grants: mergeGrants(current === undefined ? {} : keptGrants(current, pin), grants),
  };
}

export interface RevokedTrust extends CheckResult {
  /** The paths of the entries that were removed or changed. */
  revoked: string[];
}

/**
 * Removes entries from a lock file, also those of missing files.
 *
 * @param options.paths - Files; a folder means all entries below it.
 * @param options.grants - Removes only these grants and leaves the entries. In `send`, an empty list means all origins.
 *
 * @example
 * const { revoked } = await revokeTrust({ lockFile: 'schemakit.lock.json', paths: ['tides.mjs'] });
 * console.log(revoked); // [ 'tides.mjs' ]
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
      if (grants === undefined) schemas.delete(path);
      else {
        // Both with their fields in the same order.
        const [before, left] = [mergeGrants(entry.grants, {}), withoutGrants(entry.grants, grants)];
        if (JSON.stringify(left) === JSON.stringify(before)) continue;
        schemas.set(path, { ...entry, grants: left });
      }
      revoked.push(path);
    }
    return { schemas };
  });
  return { ...result, revoked: result.status ? revoked : [] };
}
