import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CheckResult, checkResult, type Finding } from '../schema/finding.ts';
import { isObject } from '../schema/json.ts';
import { updateFile } from './file-lock.ts';
import { lockFinding } from './lock-codes.ts';
import { lockedFile, lockPaths } from './lock-paths.ts';
import { type Lock, type LockEntry, lockVersion, parseLock } from './parse-lock.ts';

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
    const { lock, findings } = parseFile(file);
    return { ...checkResult(findings), ...(lock && { lock }) };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing && missing === 'empty') return { ...checkResult([]), lock: { file, schemas: new Map() } };
    const message = isMissing ? `there is no lock file ${file}` : `the lock file cannot be read: ${reasonOf(error)}`;
    const hint = isMissing ? 'Check the path, or write it with schemakit trust.' : 'Check the path and its rights.';
    return checkResult([lockFinding('LCK001', message, { hint, file })]);
  }
}

type ParsedLock = ReturnType<typeof parseLock>;

let latest: (ParsedLock & { file: string; state: string }) | undefined;

/** A file that was changed this short a time ago may be changed again without a sign of it. In milliseconds. */
const settledAfterMs = 1000;

/** Loading a folder of schemas reads the same lock file once for each of them, so the latest one is cached until it changes. */
function parseFile(file: string): ParsedLock {
  const now = Date.now();
  const stats = statSync(file);
  // A pipe or a device has no end.
  if (!stats.isFile()) throw new Error('it is no regular file');
  const { dev, ino, size, mtimeMs, ctimeMs } = stats;
  const state = [dev, ino, size, mtimeMs, ctimeMs].join();
  if (latest?.file === file && latest.state === state) return latest;
  const parsed = parseLock(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''), file);
  latest = ctimeMs < now - settledAfterMs ? { ...parsed, file, state } : undefined;
  return parsed;
}

/** The text of a lock file. The same entries give the same text: keys and names are sorted. */
export function formatLock({ schemas }: Lock): string {
  return `${JSON.stringify(sortKeys({ lockVersion, schemas: Object.fromEntries(schemas) }), null, 2)}\n`;
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key])]));
}

/** The entries of files, and those below folders. */
export function entriesAt({ file, schemas }: Lock, paths: readonly string[]): [string, LockEntry][] {
  const places = paths.flatMap((path) => lockPaths(file, path));
  // The folder of the lock file itself has no path in it, so both are compared in every spelling.
  return [...schemas].filter(([path]) => {
    const names = lockPaths(file, lockedFile(file, path));
    return places.some((place) => names.some((name) => name === place || name.startsWith(`${place}/`)));
  });
}

/** What an update makes of a lock: its new entries, or why there are none. */
export type LockChange = (lock: Lock) => { schemas?: ReadonlyMap<string, LockEntry>; findings?: readonly Finding[] };

/**
 * Reads a lock file, changes it and writes it, while no other process does. One that is not there is made, one that cannot be
 * read is left alone, and so is one for which `change` gives an error.
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
      if (unwritable.length > 0) result = checkResult(unwritable);
      return result.status && text !== formatLock(lock) ? text : undefined;
    });
    return result;
  } catch (error) {
    const hint = 'Check the rights of its folder, and try again.';
    return checkResult([lockFinding('LCK007', `the lock file cannot be written: ${reasonOf(error)}`, { hint, file })]);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
