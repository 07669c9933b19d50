import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long `updateFile` waits for each other process, in milliseconds. */
const updateTimeoutMs = 10_000;
/** Age at which an unreadable lock is stale: its process was killed while writing it, or the disk was full. */
const unwrittenAfterMs = 5_000;
/** Age at which any lock is stale: its process is on another host, or its process id was reused. */
const abandonedAfterMs = 3_600_000;

interface FileLock {
  id: string;
  pid: number;
  host: string;
}

export type FileLockResult<T> =
  | { ok: true; value: T }
  /** The process that has the lock, if known. */
  | { ok: false; pid: number | undefined; path: string };

/** The locks of this process: after a restart in a container, an old lock may have the same process id. */
const ownLocks = new Set<string>();

/**
 * Runs work under an exclusive lock, across callers and processes. The lock is the file `path`, whose folder has to exist; a
 * stale lock of a killed process is replaced.
 *
 * @param options.timeoutMs - How long to wait for each other holder, in milliseconds. The time starts again when the lock
 * changes hands. Default 0.
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  { timeoutMs = 0 }: { timeoutMs?: number } = {},
): Promise<FileLockResult<T>> {
  const own: FileLock = { id: randomUUID(), pid: process.pid, host: hostname() };
  let waitingFor: { id: string; until: number } | undefined;
  ownLocks.add(own.id);
  try {
    while (!create(path, own)) {
      const other = lockAt(path);
      if (other === undefined) continue;
      if (other.id !== waitingFor?.id) waitingFor = { id: other.id, until: Date.now() + timeoutMs };
      if (isStale(other)) removeStale(path, { stale: other, own });
      else if (Date.now() >= waitingFor.until) return { ok: false, pid: other.pid, path };
      // Random, so that waiting processes do not collide again and again.
      await sleep(5 + Math.random() * 20);
    }
    try {
      return { ok: true, value: await work() };
    } finally {
      if (lockAt(path)?.id === own.id) rmSync(path, { force: true });
    }
  } finally {
    ownLocks.delete(own.id);
  }
}

function create(path: string, holder: FileLock): boolean {
  try {
    writeFileSync(path, JSON.stringify(holder), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

type FoundLock = Partial<FileLock> & { id: string; ageMs: number };

function lockAt(path: string): FoundLock | undefined {
  const holder = readFileLock(path);
  // In this order: if the lock changes hands in between, the age is too low for the first, never too high for the second.
  const info = statSync(path, { throwIfNoEntry: false });
  return info && { id: `unwritten-${info.ino}`, ...holder, ageMs: Date.now() - info.mtimeMs };
}

function readFileLock(path: string): FileLock | undefined {
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8')) as FileLock;
    // The id becomes part of a file name.
    return /^[\w-]{1,64}$/.test(holder.id) ? holder : undefined;
  } catch {
    return undefined; // Removed, or not yet written.
  }
}

function isStale({ id, pid, host, ageMs }: FoundLock): boolean {
  if (pid === undefined) return ageMs > unwrittenAfterMs;
  if (ageMs > abandonedAfterMs) return true;
  return host === hostname() && (pid === process.pid ? !ownLocks.has(id) : !isRunning(pid));
}

/**
 * Removes a stale lock. A claim file named after that lock lets only one process remove it, and a late process finds a newer
 * lock and leaves it alone.
 */
function removeStale(path: string, { stale, own }: { stale: FoundLock; own: FileLock }): void {
  const claim = `${path}.${stale.id}.remove`;
  if (!create(claim, own)) {
    const other = lockAt(claim);
    if (other !== undefined && other.ageMs > unwrittenAfterMs) rmSync(claim, { force: true });
    return;
  }
  if (lockAt(path)?.id === stale.id) rmSync(path, { force: true });
  rmSync(claim, { force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Reads, changes and writes a file under a lock. The file is replaced atomically.
 *
 * @param change - Gets the text, undefined for a missing file. Returns the new text, or undefined to leave the file alone.
 * @param options.mode - Permissions of a new file; an existing one keeps its own. Default 0o666 less the umask.
 * @throws errors of `change`, and if the file cannot be read, locked or written.
 */
export async function updateFile(
  path: string,
  change: (text: string | undefined) => string | undefined | Promise<string | undefined>,
  { mode }: { mode?: number } = {},
): Promise<void> {
  const lock = `${path}.held`;
  const update = async () => {
    const before = await textOf(path);
    const text = await change(before);
    if (text !== undefined && text !== before) await replaceFile(path, text, mode);
  };
  const result = await withFileLock(lock, update, { timeoutMs: updateTimeoutMs });
  if (result.ok) return;
  const who = result.pid === undefined ? 'another process' : `the process ${result.pid}`;
  throw new Error(`${who} holds ${lock}; remove that file if there is no such process`);
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    // Reading a pipe or a device could block.
    if (!(await stat(path)).isFile()) throw new Error(`${path} is not a regular file`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function replaceFile(path: string, text: string, mode: number | undefined): Promise<void> {
  // Replaces the target of a link, not the link.
  const file = await realpath(path).catch(() => path);
  const current = (await stat(file).catch(() => undefined))?.mode;
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, 'wx', current ?? mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
