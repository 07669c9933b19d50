import { readFileSync } from 'node:fs';

const INTERVAL_MS = 100;
/** A page of memory, in which Linux counts; larger on a few systems, where the limit is then higher by as much. */
const PAGE_BYTES = 4096;

/**
 * Watches what a process holds in memory outside of its heap too (the bytes of buffers), which no flag of Node.js limits.
 * Only Linux lets us look without starting another process; elsewhere only the heap is limited.
 */
export function watchMemory(
  pid: number | undefined,
  { limitBytes, onExceed }: { limitBytes: number; onExceed: () => void },
): { stop: () => void } {
  if (process.platform !== 'linux' || pid === undefined) return { stop: () => undefined };
  const timer = setInterval(() => {
    if (residentBytes(pid) > limitBytes) onExceed();
  }, INTERVAL_MS).unref();
  return { stop: () => clearInterval(timer) };
}

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0; // It has just ended.
  }
}
