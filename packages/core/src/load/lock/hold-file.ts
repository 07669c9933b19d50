import { randomUUID } from 'node:crypto';
import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long an update of a file waits for others, in milliseconds. Each of them needs a few. */
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
 * @param options.patience - How long to wait for others, in milliseconds. Default 0.
 */
export async function holdFile<T>(
  path: string,
  work: (isHeld: () => Promise<boolean>) => Promise<T>,
  { patience = 0 }: { patience?: number } = {},
): Promise<Holding<T>> {
  const holder: Holder = { id: randomUUID(), pid: process.pid, host: hostname() };
  const deadline = Date.now() + patience;
  while (!(await take(path, holder)) && !(await takeOver(path, holder))) {
    if (Date.now() >= deadline) return { ok: false, pid: (await readHolder(path))?.pid, path };
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
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Only one process at a time may remove what was left behind: a second one would remove what the first has taken by then. */
async function takeOver(path: string, holder: Holder): Promise<boolean> {
  if (!(await isAbandoned(path))) return false;
  const remover = `${path}.remove`;
  if (!(await take(remover, holder))) {
    if (!(await isAbandoned(remover))) return false;
    await rm(remover, { force: true });
    if (!(await take(remover, holder))) return false;
  }
  try {
    if (await isAbandoned(path)) await rm(path, { force: true });
    return await take(path, holder);
  } finally {
    await rm(remover, { force: true });
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return true;
  const silence = Date.now() - info.mtimeMs;
  const holder = await readHolder(path);
  // One without content was made by a process that was about to write to it, or that ended there.
  if (holder === undefined) return silence > signInterval;
  return silence > maxSilence || (holder.host === hostname() && !isRunning(holder.pid));
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder;
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
