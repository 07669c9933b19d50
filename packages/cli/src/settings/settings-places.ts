import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where settings are (specification 2.11). All paths are absolute; none of them need exist. */
export interface SettingsPlaces {
  home: {
    folder: string;
    config: string;
    env: string;
    schemas: string;
    /** The folder of an older program of the format. It is read where there is nothing newer, and never written. */
    older?: string;
  };
  project: {
    /** The folder in which the user works. */
    root: string;
    folder: string;
    config: string;
    groups: string;
    older?: string;
  };
  /** Whether both levels are one folder: the user works in the folder that holds the home of the settings. */
  isShared: boolean;
}

/**
 * Finds the two levels of settings.
 *
 * @param options.env - `SCHEMAKIT_HOME` names the global folder. Default `.schemakit` in the user's home.
 * @param options.cwd - The project. Default the working directory.
 */
export function settingsPlaces({
  env = process.env,
  cwd = process.cwd(),
}: {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
} = {}): SettingsPlaces {
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
      ...(named === undefined && older(join(homedir(), '.flowmcp'))),
    },
    project: {
      root,
      folder,
      config: join(folder, 'config.json'),
      groups: join(folder, 'groups'),
      ...older(join(root, '.flowmcp')),
    },
    isShared: realPath(folder) === realPath(home),
  };
}

/** Settings of programs are not read by a shell, which would replace `~`. */
export function withHome(path: string): string {
  return /^~(?=$|[/\\])/.test(path) ? join(homedir(), path.slice(1)) : path;
}

function older(folder: string): { older?: string } {
  return existsSync(folder) ? { older: folder } : {};
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // It is not there yet.
  }
}
