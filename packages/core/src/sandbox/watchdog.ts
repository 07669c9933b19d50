import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';

const MEMORY_INTERVAL_MS = 25;
/** Page size that Linux counts memory in. On systems with larger pages the limit is higher by the same factor. */
const PAGE_BYTES = 4096;

/** Processes that must not outlive this one. */
const hosts = new Set<ChildProcess>();
let watchdog: ChildProcess | undefined;

/**
 * Reads lists of process ids, one per line, and kills those of the last line at the end of its input: the system closes our end
 * of the pipe however this process ends. It ignores signals from the terminal, which reach both processes.
 */
const SCRIPT = `trap '' INT TERM HUP; while read -r line; do hosts=$line; done; [ -n "$hosts" ] && kill -9 $hosts`;

/**
 * Kills a child process when this one ends, even by SIGKILL. A host in an endless loop does not notice that its channel closed,
 * and a watching thread inside the host would be reachable by its code.
 *
 * On POSIX systems one shell watches for all hosts. On Windows, children end with their parent (libuv puts them into a job).
 * Without a shell, only a regular exit of this process is covered.
 */
export function killOnExit(host: ChildProcess): void {
  if (host.pid === undefined) return; // Failed to start.
  if (hosts.size === 0) process.on('exit', killAll);
  hosts.add(host);
  host.once('exit', () => {
    hosts.delete(host);
    if (hosts.size === 0) process.off('exit', killAll);
    updateWatchdog();
  });
  watchdog ??= startWatchdog();
  updateWatchdog();
}

function killAll(): void {
  for (const host of hosts) host.kill('SIGKILL');
}

function updateWatchdog(): void {
  const ids = [...hosts].flatMap(({ pid }) => pid ?? []);
  watchdog?.stdin?.write(`${ids.join(' ')}\n`);
}

function startWatchdog(): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined;
  const child = spawn('/bin/sh', ['-c', SCRIPT], { env: {}, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
  child.on('error', () => undefined); // Some container images have no shell.
  child.stdin.on('error', () => undefined); // The watchdog was killed; the next host starts a new one.
  child.on('exit', () => {
    if (watchdog === child) watchdog = undefined;
  });
  // It must not keep this process alive.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}

/** Limits all memory of a process, also outside the heap, for which Node.js has no flag. Linux only: elsewhere it takes another process. */
export function watchMemory(
  pid: number | undefined,
  { limitMb, onExceed }: { limitMb: number | undefined; onExceed: () => void },
): () => void {
  if (process.platform !== 'linux' || pid === undefined || limitMb === undefined) return () => undefined;
  const timer = setInterval(() => {
    if (residentBytes(pid) > limitMb * 1024 * 1024) onExceed();
  }, MEMORY_INTERVAL_MS).unref();
  return () => clearInterval(timer);
}

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0; // The process has just ended.
  }
}
