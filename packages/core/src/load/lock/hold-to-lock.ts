import { checkArguments } from '../../format/arguments.ts';
import type { Finding } from '../../format/finding.ts';
import { lockFinding } from '../../format/lock-codes.ts';
import type { Grants } from '../schema-record.ts';
import { findEntry } from './check-lock.ts';
import { changedParts, describeChanges } from './describe-changes.ts';
import { mergeGrants } from './merge-grants.ts';
import { readLock } from './read-lock.ts';
import { type PinnedParts, pinHashes, schemaPin } from './schema-pin.ts';
import { trustCommand } from './trust-command.ts';

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
