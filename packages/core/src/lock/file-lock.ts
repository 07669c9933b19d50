import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long `updateFile` waits for each of the others, in milliseconds. They need a few. */
const updateTimeoutMs = 10_000;
/** A lock file that cannot be read: its process was killed while it wrote it, or the disk is full. */
const unwrittenAfterMs = 5_000;
/** No work takes this long: the process is on another host, or another process has its number by now. */
const abandonedAfterMs = 3_600_000;

interface Holder {
  id: string;
  pid: number;
  host: string;
}

export type Holding<T> =
  | { ok: true; value: T }
  /** Which process has the lock, where that is known. */
  | { ok: false; pid: number | undefined; path: string };

/** The locks of this process: after a restart in a container, an old lock may have our own process number. */
const held = new Set<string>();

/**
 * Does some work while no other caller does work under the same path, in this process or another. The path is a file that
 * exists meanwhile; one that a process left behind when it was killed is taken over. Its folder has to exist.
 *
 * @param options.timeoutMs - How long to wait for each of the others, in milliseconds: a queue that moves is no reason to give
 * up. Default 0.
 */
export async function holdFile<T>(
  path: string,
  work: () => Promise<T>,
  { timeoutMs = 0 }: { timeoutMs?: number } = {},
): Promise<Holding<T>> {
  const own: Holder = { id: randomUUID(), pid: process.pid, host: hostname() };
  let waitingFor: { id: string; until: number } | undefined;
  held.add(own.id);
  try {
    while (!create(path, own)) {
      const other = lockAt(path);
      if (other === undefined) continue;
      if (other.id !== waitingFor?.id) waitingFor = { id: other.id, until: Date.now() + timeoutMs };
      if (isStale(other)) removeStale(path, { stale: other, own });
      else if (Date.now() >= waitingFor.until) return { ok: false, pid: other.pid, path };
      // Processes that wait in step would collide again and again.
      await sleep(5 + Math.random() * 20);
    }
    try {
      return { ok: true, value: await work() };
    } finally {
      if (lockAt(path)?.id === own.id) rmSync(path, { force: true });
    }
  } finally {
    held.delete(own.id);
  }
}

function create(path: string, holder: Holder): boolean {
  try {
    writeFileSync(path, JSON.stringify(holder), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

type Lock = Partial<Holder> & { id: string; ageMs: number };

function lockAt(path: string): Lock | undefined {
  const holder = readHolder(path);
  // In this order: if another lock has come since, its age is too low for this one, never too high for the other.
  const info = statSync(path, { throwIfNoEntry: false });
  return info && { id: `unwritten-${info.ino}`, ...holder, ageMs: Date.now() - info.mtimeMs };
}

function readHolder(path: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8')) as Holder;
    // The id becomes part of a path.
    return /^[\w-]{1,64}$/.test(holder.id) ? holder : undefined;
  } catch {
    return undefined; // Gone, or not yet written.
  }
}

function isStale({ id, pid, host, ageMs }: Lock): boolean {
  if (pid === undefined) return ageMs > unwrittenAfterMs;
  if (ageMs > abandonedAfterMs) return true;
  return host === hostname() && (pid === process.pid ? !held.has(id) : !isRunning(pid));
}

/**
 * Removes a stale lock. The claim to do so is named after that lock, so that of many processes one removes it, and one that
 * comes late finds another lock and leaves it alone.
 */
function removeStale(path: string, { stale, own }: { stale: Lock; own: Holder }): void {
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
    // A process of another user may not be signalled, but it is there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Reads a file, changes it and writes it, while no other process that does so with this function does. The file is replaced as
 * a whole, so that a reader never sees a part of it.
 *
 * @param change - Is given the text, undefined where there is no file. Gives the new text, or undefined to leave the file alone.
 * @param options.mode - Permissions of a file that is made; one that is there keeps its own. Default 0o666 less the umask.
 * @throws what `change` throws, and where the file cannot be read, locked or written.
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
  const result = await holdFile(lock, update, { timeoutMs: updateTimeoutMs });
  if (result.ok) return;
  const who = result.pid === undefined ? 'another process' : `the process ${result.pid}`;
  throw new Error(`${who} holds ${lock}; remove that file if there is no such process`);
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    // A pipe or a device would be waited for.
    if (!(await stat(path)).isFile()) throw new Error(`${path} is no regular file`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function replaceFile(path: string, text: string, mode: number | undefined): Promise<void> {
  // A link stays one; its file is replaced.
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
