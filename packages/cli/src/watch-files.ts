import { relative } from 'node:path';

/** Editors write a file in several steps; what comes within this time is one change, in milliseconds. */
const pauseMs = 100;

export interface WatchedFiles {
  /** Does the work once more. */
  again(): void;
  /** Ends the watching, and waits for the work that is under way. */
  close(): Promise<void>;
}

/**
 * Does work whenever something below paths has changed, one time after the other. What goes wrong with the watching or the work is
 * said on stderr, and ends nothing.
 *
 * @param options.keepsRunning - Whether the process goes on as long as it watches.
 */
export async function watchFiles(
  paths: readonly string[],
  work: () => Promise<void> | void,
  { keepsRunning }: { keepsRunning: boolean },
): Promise<WatchedFiles> {
  // It takes a while to load, and few commands need it.
  const { watch } = await import('chokidar');
  const watcher = watch([...paths], {
    ignoreInitial: true,
    persistent: keepsRunning,
    ignored: (path) => isIgnored(path, paths),
  });
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const again = () => {
    // One after the other, or an older state could win.
    running = running.then(work).catch(complain);
  };
  watcher.on('all', () => {
    clearTimeout(timer);
    timer = setTimeout(again, pauseMs);
  });
  watcher.on('error', complain);
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  return {
    again,
    async close() {
      clearTimeout(timer);
      await Promise.all([watcher.close(), running]);
    },
  };
}

function complain(error: unknown): void {
  process.stderr.write(`watching: ${String(error)}\n`);
}

/** Folders that are watched may themselves lie in such a place. */
function isIgnored(path: string, roots: readonly string[]): boolean {
  const inside = roots.map((root) => relative(root, path)).find((part) => !part.startsWith('..')) ?? '';
  return /(^|[\\/])(node_modules|\.[^\\/]+)([\\/]|$)/.test(inside);
}
