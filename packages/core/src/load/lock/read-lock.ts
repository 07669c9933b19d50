import { readFileSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CheckResult, checkResult } from '../../format/check-result.ts';
import type { Finding } from '../../format/finding.ts';
import { lockFinding } from '../../format/lock-codes.ts';
import type { Lock } from './lock.ts';
import { parseLock } from './parse-lock.ts';

export interface LockReading extends CheckResult {
  /** Absent where `status` is false. */
  lock?: Lock;
}

/**
 * Reads a lock file. One that is there must be whole: a part that cannot be understood is an error, never passed over.
 *
 * @param options.missing - What a file that is not there means: `error`, or `empty`, a lock without entries. Default `error`.
 */
export function readLock({
  lockFile,
  missing = 'error',
}: {
  lockFile: string;
  missing?: 'error' | 'empty';
}): LockReading {
  const file = resolve(lockFile);
  try {
    const { lock, findings } = parsedLock(file);
    return { ...checkResult(findings), ...(lock && { lock }) };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing && missing === 'empty') return { ...checkResult([]), lock: { file, schemas: new Map() } };
    return checkResult([unreadable(file, { error, isMissing })]);
  }
}

interface Parsed extends ReturnType<typeof parseLock> {
  file: string;
  state: string;
}

let latest: Parsed | undefined;

/** A file that was changed this short a time ago may be changed again without a sign of it. In milliseconds. */
const settledAfter = 1000;

/** A folder of schemas asks for the same lock file once for each of them, so it is kept until the file has another state. */
function parsedLock(file: string): ReturnType<typeof parseLock> {
  const now = Date.now();
  const { dev, ino, size, mtimeMs, ctimeMs } = regularFile(file);
  const state = [dev, ino, size, mtimeMs, ctimeMs].join();
  if (latest?.file === file && latest.state === state) return latest;
  const parsed = parseLock(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''), file);
  latest = ctimeMs < now - settledAfter ? { ...parsed, file, state } : undefined;
  return parsed;
}

function regularFile(file: string): Stats {
  const stats = statSync(file);
  // A pipe or a device has no end.
  if (!stats.isFile()) throw new Error('it is no regular file');
  return stats;
}

function unreadable(file: string, { error, isMissing }: { error: unknown; isMissing: boolean }): Finding {
  const reason = error instanceof Error ? error.message : String(error);
  const message = isMissing ? `there is no lock file ${file}` : `the lock file cannot be read: ${reason}`;
  const hint = isMissing ? 'Check the path, or write it with schemakit trust.' : 'Check the path and its rights.';
  return lockFinding('LCK001', message, { hint, file });
}
