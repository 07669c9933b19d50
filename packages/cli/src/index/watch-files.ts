import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { relative } from 'node:path';
import type { FSWatcher } from 'chokidar';
import { printable } from '../output/terminal-text.ts';

/** Changes within this time count as one: editors save in several steps. Milliseconds. */
const pauseMs = 100;

export interface WatchedFiles {
  again(): void;
  /** Stops watching, and waits for running work. */
  close(): Promise<void>;
}

/** Runs work whenever something below the paths has changed, one run at a time. Asks for the paths again after each run. */
export async function watchFiles(
  pathsNow: () => readonly string[],
  work: () => Promise<void> | void,
  {
    keepsRunning,
    complain = (message) => process.stderr.write(`${printable(message)}\n`),
  }: { keepsRunning: boolean; complain?: (message: string) => void },
): Promise<WatchedFiles> {
  // Imported here because few commands need it.
  const { watch } = await import('chokidar');
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isClosed = false;
  let watched = await open();

  async function open(): Promise<Opened> {
    const paths = [...pathsNow()];
    const watcher = watch(paths, {
      ignoreInitial: true,
      persistent: keepsRunning,
      ignored: (path) => isIgnored(path, paths),
    });
    watcher.on('all', () => {
      clearTimeout(timer);
      timer = setTimeout(again, pauseMs);
    });
    watcher.on('error', fail);
    await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
    const stopLooking = watchReplaced(paths, () => after(renew));
    return { paths, watcher, stopLooking };
  }

  // Sequential, or an older state could win.
  function after(step: () => Promise<void> | void): void {
    running = running.then(step).catch(fail);
  }

  function again(): void {
    after(work);
    after(() => (isSame(watched.paths, pathsNow()) ? undefined : reopen()));
  }

  async function reopen(): Promise<void> {
    if (isClosed) return;
    watched.stopLooking();
    await watched.watcher.close();
    watched = await open();
  }

  async function renew(): Promise<void> {
    await reopen();
    await work();
  }

  function fail(error: unknown): void {
    complain(`watching: ${String(error)}`);
  }

  return {
    again,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await running;
      watched.stopLooking();
      await watched.watcher.close();
    },
  };
}

interface Opened {
  paths: readonly string[];
  watcher: FSWatcher;
  stopLooking: () => void;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((path, index) => path === other[index]);
}

/** Watched folders may themselves be inside such a folder. */
function isIgnored(path: string, roots: readonly string[]): boolean {
  const inside = roots.map((root) => relative(root, path)).find((part) => !part.startsWith('..')) ?? '';
  return /(^|[\\/])(node_modules|\.[^\\/]+)([\\/]|$)/.test(inside);
}

/** Polling interval, in milliseconds. Each poll is one `stat` per path. */
const intervalMs = 1000;

/** Detects that a folder was replaced, for example by a new release: a watcher would keep following the old one. */
function watchReplaced(paths: readonly string[], onReplaced: () => void): () => void {
  const listener = (now: Stats, before: Stats) => {
    if (!now.isDirectory()) return;
    // Inode numbers are reused.
    if (now.ino !== before.ino || now.birthtimeMs !== before.birthtimeMs) onReplaced();
  };
  for (const path of paths) watchFile(path, { persistent: false, interval: intervalMs }, listener);
  return () => {
    for (const path of paths) unwatchFile(path, listener);
  };
}
