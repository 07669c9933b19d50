import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { settingsPlaces } from './settings-places.ts';

/** Where caches live: in `SCHEMAKIT_HOME` where that is set, else in the user's cache folder. They may be deleted at any time. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.SCHEMAKIT_HOME) return join(settingsPlaces({ env }).home.folder, 'cache');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'schemakit');
  if (process.platform === 'win32') {
    return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'schemakit', 'cache');
  }
  const named = env.XDG_CACHE_HOME;
  // A relative one has to be ignored (XDG Base Directory Specification).
  return join(named !== undefined && isAbsolute(named) ? named : join(homedir(), '.cache'), 'schemakit');
}

/**
 * Makes a folder for a cache. What is kept there is believed, and some of it is code: a folder that others can write to is refused.
 *
 * @throws where it cannot be used.
 */
export function makeCacheFolder(name: string): string {
  const folder = cacheFolder();
  const cache = join(folder, name);
  for (const path of [folder, cache]) {
    makeFolder(path, { mode: 0o700 });
    const { uid, mode } = statSync(path);
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0)) {
      throw new Error(`other users can write to ${path}`);
    }
  }
  return cache;
}
