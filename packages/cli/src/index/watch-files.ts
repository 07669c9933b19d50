import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { relative } from 'node:path';
import type { FSWatcher } from 'chokidar';

/** Editors write a file in several steps; what comes within this time is one change, in milliseconds. */
const pauseMs = 100;

export interface WatchedFiles {
  /** Does the work once more. */
  again(): void;
  /** Ends the watching, and waits for the work that is under way. */
  close(): Promise<void>;
}

/**
 * Does work whenever something below paths has changed, one time after the other. What goes wrong with the watching or the work
 * ends nothing.
 *
 * @param pathsNow - Tells the paths; asked again after each work, which may have found others.
 * @param options.keepsRunning - Whether the process goes on as long as it watches.
 * @param options.complain - Takes what goes wrong. Default: it is said on stderr.
 */
export async function watchFiles(
  pathsNow: () => readonly string[],
  work: () => Promise<void> | void,
  {
    keepsRunning,
    complain = (message) => process.stderr.write(`${message}\n`),
  }: { keepsRunning: boolean; complain?: (message: string) => void },
): Promise<WatchedFiles> {
  // It takes a while to load, and few commands need it.
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

  // One after the other, or an older state could win.
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

/** Folders that are watched may themselves lie in such a place. */
function isIgnored(path: string, roots: readonly string[]): boolean {
  const inside = roots.map((root) => relative(root, path)).find((part) => !part.startsWith('..')) ?? '';
  return /(^|[\\/])(node_modules|\.[^\\/]+)([\\/]|$)/.test(inside);
}

/** How often it is looked, in milliseconds. One look is one question to the file system. */
const intervalMs = 1000;

/**
 * Tells when another folder stands at a path, such as a new release that was moved there. A watcher goes on to follow the one that it
 * was opened on, wherever that is now. Returns what ends it.
 */
function watchReplaced(paths: readonly string[], onReplaced: () => void): () => void {
  const listener = (now: Stats, before: Stats) => {
    if (!now.isDirectory()) return;
    // Numbers are given again when they are free.
    if (now.ino !== before.ino || now.birthtimeMs !== before.birthtimeMs) onReplaced();
  };
  for (const path of paths) watchFile(path, { persistent: false, interval: intervalMs }, listener);
  return () => {
    for (const path of paths) unwatchFile(path, listener);
  };
}
