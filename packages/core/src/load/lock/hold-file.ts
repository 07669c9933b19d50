import { randomUUID } from 'node:crypto';
import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long an update of a file waits for each of the others, in milliseconds. They need a few. */
const patienceOfUpdates = 10_000;
/** A holder shows this often that it is alive, in milliseconds; after the longer time without a sign it counts as gone. */
const signInterval = 2_000;
const maxSilence = 30_000;

interface Holder {
  id: string;
  pid: number;
  host: string;
}

export type Holding<T> =
  | { ok: true; value: T }
  /** Who holds it, where that is known. */
  | { ok: false; pid: number | undefined; path: string };

/**
 * Does some work while nobody else who uses the same path does, in this process or another. The path is a file that exists for
 * as long; one that a process left behind is taken over. Its folder has to be there.
 *
 * @param work - Is given a function that tells whether the path is still held: a process that was stopped for long loses it.
 * @param options.patience - How long to wait for each of the others, in milliseconds. Default 0.
 */
export async function holdFile<T>(
  path: string,
  work: (isHeld: () => Promise<boolean>) => Promise<T>,
  { patience = 0 }: { patience?: number } = {},
): Promise<Holding<T>> {
  const holder: Holder = { id: randomUUID(), pid: process.pid, host: hostname() };
  // Whoever waits loses patience with one holder, not with a queue that moves.
  let waitedFor: { id: string; until: number } | undefined;
  while (!(await take(path, holder))) {
    await removeAbandoned(path, holder);
    const other = await heldBy(path);
    if (other === undefined) continue;
    if (other.id !== waitedFor?.id) waitedFor = { id: other.id, until: Date.now() + patience };
    if (Date.now() >= waitedFor.until) return { ok: false, pid: other.pid, path };
    // Processes that wait in step would meet again and again.
    await sleep(5 + Math.random() * 20);
  }
  const isHeld = async () => (await readHolder(path))?.id === holder.id;
  const sign = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {}); // `isHeld` will tell that it is gone.
  }, signInterval);
  sign.unref();
  try {
    return { ok: true, value: await work(isHeld) };
  } finally {
    clearInterval(sign);
    if (await isHeld()) await rm(path, { force: true });
  }
}

/**
 * The same for work that takes a few milliseconds: others are waited for.
 *
 * @throws where the path cannot be held: somebody else holds it for longer than ten seconds, or the folder cannot be written.
 */
export async function whileHolding<T>(path: string, work: (isHeld: () => Promise<boolean>) => Promise<T>): Promise<T> {
  const held = await holdFile(path, work, { patience: patienceOfUpdates });
  if (!held.ok) throw new Error(`another process holds ${path}; remove that file if none does`);
  return held.value;
}

async function take(path: string, holder: Holder): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    try {
      await file.writeFile(JSON.stringify(holder));
    } catch (error) {
      // On a full disk, a file that names nobody would keep all others waiting.
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes what a holder left behind. Whoever may do so is settled by a file of its own, whose name tells whose hold it is about:
 * a process that comes late finds another holder behind the path, and touches nothing.
 */
async function removeAbandoned(path: string, holder: Holder): Promise<void> {
  const left = await leftBehind(path);
  if (left === undefined) return;
  const claim = `${path}.${left.id}.remove`;
  if (!(await take(claim, holder))) {
    await removeAbandoned(claim, holder);
    return;
  }
  try {
    if ((await leftBehind(path))?.id === left.id) await rm(path, { force: true });
  } finally {
    await rm(claim, { force: true });
  }
}

/** The hold of a process that ended, or of one that has not been heard of for long. */
async function leftBehind(path: string): Promise<{ id: string } | undefined> {
  const held = await heldBy(path);
  if (held === undefined) return undefined;
  const isGone = held.pid !== undefined && held.host === hostname() && !isRunning(held.pid);
  return isGone || Date.now() - held.seen > maxSilence ? held : undefined;
}

/** The hold behind a path. One without content was made by a process that is about to write to it, or that ended there. */
async function heldBy(path: string): Promise<(Partial<Holder> & { id: string; seen: number }) | undefined> {
  const holder = await readHolder(path);
  // In this order: the time of a hold that came since then is newer, and cannot make the one that was read look older.
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return undefined;
  return { id: `nobody-${info.ino}`, ...holder, seen: info.mtimeMs };
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const holder = JSON.parse(await readFile(path, 'utf8')) as Holder;
    // The id becomes part of a path.
    return /^[\w-]{1,64}$/.test(holder.id) ? holder : undefined;
  } catch {
    return undefined; // Gone, or not yet written.
  }
}

/** Whether a process of this machine runs. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user may not be signalled, but it is there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
