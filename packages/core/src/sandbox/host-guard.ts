import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';

const MEMORY_INTERVAL_MS = 25;
/** A page of memory, in which Linux counts; larger on a few systems, where the limit is then higher by as much. */
const PAGE_BYTES = 4096;

/** Processes that must not outlive ours. */
const guarded = new Set<ChildProcess>();
let guard: ChildProcess | undefined;

/**
 * Reads one line for each change, a list of process ids, and ends those of the last line when there is no more to read: our
 * end of the pipe is closed by the system, however our process ended. Signals of a terminal meet us both; the guard stays.
 */
const SCRIPT = `trap '' INT TERM HUP; while read -r line; do hosts=$line; done; [ -n "$hosts" ] && kill -9 $hosts`;

/**
 * Ends a child process with ours, also when ours is killed. A host in an endless loop does not see that its channel closed,
 * and nothing inside of it may watch over it: a thread would be one more thing that its code could reach.
 *
 * On POSIX systems one shell watches for all hosts. On Windows the children of a process end with it (libuv puts them into a
 * job). Where there is no shell, only an orderly end of our process is covered.
 */
export function guardHost(host: ChildProcess): void {
  if (host.pid === undefined) return; // It could not be started.
  if (guarded.size === 0) process.on('exit', endAll);
  guarded.add(host);
  host.once('exit', () => {
    guarded.delete(host);
    if (guarded.size === 0) process.off('exit', endAll);
    tellGuard();
  });
  guard ??= startGuard();
  tellGuard();
}

function endAll(): void {
  for (const host of guarded) host.kill('SIGKILL');
}

function tellGuard(): void {
  const ids = [...guarded].flatMap(({ pid }) => pid ?? []);
  guard?.stdin?.write(`${ids.join(' ')}\n`);
}

function startGuard(): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined;
  const child = spawn('/bin/sh', ['-c', SCRIPT], { env: {}, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
  child.on('error', () => undefined); // No shell here, as in some container images.
  child.stdin.on('error', () => undefined); // It was killed; the next host starts another.
  child.on('exit', () => {
    if (guard === child) guard = undefined;
  });
  // It waits for us, not we for it.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}

/**
 * Watches what a process holds in memory outside of its heap too (the bytes of buffers), which no flag of Node.js limits.
 * Only Linux lets us look without starting another process; elsewhere only the heap is limited.
 */
export function watchMemory(
  pid: number | undefined,
  { limitMb, onExceed }: { limitMb: number | undefined; onExceed: () => void },
): { stop: () => void } {
  if (process.platform !== 'linux' || pid === undefined || limitMb === undefined) return { stop: () => undefined };
  const timer = setInterval(() => {
    if (residentBytes(pid) > limitMb * 1024 * 1024) onExceed();
  }, MEMORY_INTERVAL_MS).unref();
  return { stop: () => clearInterval(timer) };
}

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0; // It has just ended.
  }
}
