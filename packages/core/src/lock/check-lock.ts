import { existsSync } from 'node:fs';
import { checkArguments } from '../schema/arguments.ts';
import type { Finding } from '../schema/finding.ts';
import { changedParts, describeChanges, type PinnedPart } from './describe-changes.ts';
import type { Grants } from './grants.ts';
import { mergeGrants } from './grants.ts';
import { lockFinding } from './lock-codes.ts';
import { entriesAt, readLock } from './lock-file.ts';
import { lockedFile, lockPaths, trustCommand } from './lock-paths.ts';
import type { Lock, LockEntry } from './parse-lock.ts';
import { type PinnedParts, pinHashes, pinnedParts, type SchemaPin, schemaPin } from './schema-pin.ts';

/** How a schema stands to a lock file. */
export interface LockCheck {
  /** `new`: the lock has no entry for its file. */
  state: 'new' | 'same' | 'changed';
  /** The schema's file. */
  file: string;
  /** The path of the entry, or of the one to be. */
  path: string;
  /** As it stands in the lock. */
  entry?: LockEntry;
  /** The schema as it is now. */
  pin: SchemaPin;
  /** Which hashes differ from those of the entry. */
  changed: readonly PinnedPart[];
  /** What changed, in words: `root changed from … to …`, `2 tools added (a, b)`. */
  summary: readonly string[];
}

/**
 * Compares a loaded schema with its entry in a lock. Undefined for a schema whose `main` could not be read.
 *
 * @param options.schema - What `loadSchema` gave.
 */
export function checkLock({
  lock,
  schema,
}: {
  lock: Lock;
  schema: { file: string; main: Record<string, unknown> | null };
}): LockCheck | undefined {
  const { file, main } = schema;
  const parts = main === null ? undefined : pinnedParts(main);
  if (parts === undefined) return undefined;
  const { path, entry } = findEntry(lock, file);
  const pin = schemaPin(parts);
  if (entry === undefined) return { state: 'new', file, path, pin, changed: [], summary: [] };
  const changed = changedParts(entry, pin);
  const state = changed.length === 0 ? 'same' : 'changed';
  return { state, file, path, entry, pin, changed, summary: describeChanges(entry, pin) };
}

/** The entry of a file, and its path in the lock; without one, the path that it would have. */
function findEntry(lock: Lock, file: string): { path: string; entry?: LockEntry } {
  const paths = lockPaths(lock.file, file);
  for (const path of paths) {
    const entry = lock.schemas.get(path);
    if (entry !== undefined) return { path, entry };
  }
  return { path: paths[0] };
}

/** The part of the options of `loadSchema` that is about the lock file. */
export interface LockOptions {
  /** A lock file. Where it has an entry for the schema, the schema must be the one that was trusted, and has the grants of the entry. */
  lockFile?: string;
  /** What becomes of a schema without an entry: `trust` loads it with the rights that it would have without a lock file. Default `trust`. */
  onUnlocked?: 'trust' | 'refuse';
}

export interface HeldSchema {
  findings: readonly Finding[];
  /** Those of the caller, and those of the entry where the schema is the one that was trusted. */
  grants: Grants;
}

/** Holds a schema to its entry in the lock file. Another schema than the one that was trusted is an error. */
export function holdToLock(
  parts: PinnedParts,
  { file, lockFile, onUnlocked = 'trust', grants = {} }: LockOptions & { file: string; grants?: Grants },
): HeldSchema {
  if (lockFile === undefined && onUnlocked === 'trust') return { findings: [], grants };
  const problems = checkArguments('loadSchema', { lockFile }, { lockFile: 'text' });
  if (lockFile === undefined || problems.length > 0) return { findings: problems, grants };
  const { lock, findings } = readLock({ lockFile });
  if (lock === undefined) return { findings, grants };
  const { entry } = findEntry(lock, file);
  if (entry === undefined) return { findings: onUnlocked === 'trust' ? [] : [noEntry(file, lockFile)], grants };
  if (changedParts(entry, pinHashes(parts)).length > 0) {
    return { findings: [notTrusted(describeChanges(entry, schemaPin(parts)), { file, lockFile })], grants };
  }
  return { findings: [], grants: mergeGrants(grants, entry.grants) };
}

function notTrusted(summary: readonly string[], { file, lockFile }: { file: string; lockFile: string }): Finding {
  return lockFinding('LCK004', `this is not the schema that was trusted: ${summary.join('; ')}`, {
    hint: `Look at what changed. If you trust it: ${trustCommand({ files: [file], lockFile })}`,
  });
}

function noEntry(file: string, lockFile: string): Finding {
  return lockFinding('LCK005', 'this schema has no entry in the lock file', {
    hint: `Look at it. If you trust it: ${trustCommand({ files: [file], lockFile })}`,
  });
}

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
