import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** Where settings are; see docs/command.md, "Files". Paths are absolute and need not exist. */
export interface SettingsPaths {
  home: {
    folder: string;
    config: string;
    env: string;
    schemas: string;
    /** What the user accepted from files that came with projects. */
    accepted: string;
    /** An existing `.flowmcp` folder: read when ours lacks the file, never written. */
    legacy?: string;
  };
  project: {
    /** The working directory. */
    root: string;
    folder: string;
    config: string;
    groups: string;
    legacy?: string;
  };
  /** Whether the global folder is also the project's: the user works in their home folder. */
  isShared: boolean;
}

/** `SCHEMAKIT_HOME` is the global folder. Default: `.schemakit` in the user's home. */
export function settingsPaths({
  env = process.env,
  cwd = process.cwd(),
}: {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
} = {}): SettingsPaths {
  const named = env.SCHEMAKIT_HOME ? withHome(env.SCHEMAKIT_HOME) : undefined;
  const home = resolve(cwd, named ?? join(homedir(), '.schemakit'));
  const root = resolve(cwd);
  const folder = join(root, '.schemakit');
  return {
    home: {
      folder: home,
      config: join(home, 'config.json'),
      env: join(home, '.env'),
      schemas: join(home, 'schemas'),
      accepted: join(home, 'accepted.json'),
      ...(named === undefined && legacy(join(homedir(), '.flowmcp'))),
    },
    project: {
      root,
      folder,
      config: join(folder, 'config.json'),
      groups: join(folder, 'groups'),
      ...legacy(join(root, '.flowmcp')),
    },
    isShared: realPath(folder) === realPath(home),
  };
}

/** Expands `~`: no shell does it for settings of MCP clients. */
export function withHome(path: string): string {
  return /^~(?=$|[/\\])/.test(path) ? join(homedir(), path.slice(1)) : path;
}

function legacy(folder: string): { legacy?: string } {
  return existsSync(folder) ? { legacy: folder } : {};
}

/** For a missing file, the real path of its folder and the name. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

/** The folder of all caches: below `SCHEMAKIT_HOME` if set, else in the user's cache folder. It may be deleted at any time. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.SCHEMAKIT_HOME) return join(settingsPaths({ env }).home.folder, 'cache');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'schemakit');
  if (process.platform === 'win32') {
    return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'schemakit', 'cache');
  }
  const named = env.XDG_CACHE_HOME;
  // The XDG Base Directory Specification says to ignore a relative path.
  return join(named !== undefined && isAbsolute(named) ? named : join(homedir(), '.cache'), 'schemakit');
}

/** Cached data is trusted, and some of it is code. @throws if others can write to the folder, or it cannot be used. */
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
