import { type Stats, unwatchFile, watchFile } from 'node:fs';

/** How often it is looked, in milliseconds. One look is one question to the file system. */
const intervalMs = 1000;

/**
 * Tells when another folder stands at a path, such as a new release that was moved there. A watcher goes on to follow the one that it
 * was opened on, wherever that is now. Returns what ends it.
 */
export function watchReplaced(paths: readonly string[], onReplaced: () => void): () => void {
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
