import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { memoryMark } from '../query-message.ts';

/** What the watching thread is started with. */
export interface Watch {
  /** `1` while a query runs. */
  busy: Int32Array<SharedArrayBuffer>;
  memoryMb: number;
  /** Process that started the host. */
  parent: number;
}

const INTERVAL_MS = 25;

/**
 * Starts the thread that ends the host when a query takes more memory than it may, or when the process that would stop it
 * is gone. SQLite's memory is not part of the heap that Node.js can limit, and a query does not let the host's own thread
 * look up. Resolves when the watch has begun.
 */
export async function startWatch(file: URL, { memoryMb }: { memoryMb: number }): Promise<Watch> {
  const busy = new Int32Array(new SharedArrayBuffer(4));
  const watch: Watch = { busy, memoryMb, parent: process.ppid };
  const worker = new Worker(file, { workerData: watch, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  await new Promise((resolve, reject) => worker.once('online', resolve).once('error', reject));
  worker.unref();
  return watch;
}

/** Tells the watching thread whether a query runs. */
export function setBusy({ busy }: Watch, isBusy: boolean): void {
  Atomics.store(busy, 0, isBusy ? 1 : 0);
  Atomics.notify(busy, 0);
}

/** The watching thread: asleep until a query begins, then looking at the process every few milliseconds. */
export function watchProcess({ busy, memoryMb, parent }: Watch): void {
  for (;;) {
    Atomics.wait(busy, 0, 0);
    while (Atomics.load(busy, 0) === 1) {
      if (process.memoryUsage.rss() > memoryMb * 1024 * 1024) endHost(memoryMark);
      if (process.ppid !== parent) endHost('the process that started it is gone');
      Atomics.wait(busy, 0, 1, INTERVAL_MS);
    }
  }
}

function endHost(reason: string): void {
  try {
    writeSync(2, `${reason}\n`);
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}
