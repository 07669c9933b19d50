import { resolve } from 'node:path';
import { type CheckResult, checkResult } from '../../format/check-result.ts';
import { type Finding, hasNoErrors } from '../../format/finding.ts';
import { lockFinding } from '../../format/lock-codes.ts';
import { formatLock } from './format-lock.ts';
import type { Lock, LockEntry } from './lock.ts';
import { parseLock } from './parse-lock.ts';
import { readLock } from './read-lock.ts';
import { updateFile } from './update-file.ts';

/** What an update makes of a lock: its new entries, or why there are none. */
export type LockChange = (lock: Lock) => { schemas?: ReadonlyMap<string, LockEntry>; findings?: readonly Finding[] };

/**
 * Reads a lock file, changes it and writes it, while no other process does. The file is replaced as a whole, so that a reader
 * never sees a part of it. One that is not there is made, one that cannot be read is left alone, and so is one for which
 * `change` gives an error.
 */
export async function updateLock(lockFile: string, change: LockChange): Promise<CheckResult> {
  const file = resolve(lockFile);
  let result = checkResult([]);
  try {
    await updateFile(file, () => {
      const { lock, findings: unreadable } = readLock({ lockFile: file, missing: 'empty' });
      result = checkResult(unreadable);
      if (lock === undefined) return undefined;
      const { schemas, findings = [] } = change(lock);
      result = checkResult(findings);
      if (schemas === undefined || !result.status) return undefined;
      const text = formatLock({ file, schemas });
      const { findings: unwritable } = parseLock(text, file);
      if (!hasNoErrors(unwritable)) result = checkResult(unwritable);
      return result.status && text !== formatLock(lock) ? text : undefined;
    });
    return result;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint = 'Check the rights of its folder, and try again.';
    return checkResult([lockFinding('LCK007', `the lock file cannot be written: ${reason}`, { hint, file })]);
  }
}
