import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { shellWord } from '../schema/shell-word.ts';

/** The name of the lock file that the command searches for. */
export const lockFileName = 'schemakit.lock.json';

/**
 * The nearest `schemakit.lock.json` in a folder or its parents, even if it is a link to nothing.
 *
 * @example
 * console.log(findLockFile()); // undefined
 */
export function findLockFile(folder: string = process.cwd()): string | undefined {
  let current = resolve(folder);
  for (;;) {
    const file = join(current, lockFileName);
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return file;
    const parent = dirname(current);
    if (parent === current) return undefined;
    current = parent;
  }
}

/**
 * The paths under which a lock file may have a schema, the preferred one first: the file as named, then its real path. The name
 * comes first so that a trusted file cannot be replaced by a link to another one. Paths are relative to the folder of the lock
 * file; a file outside that folder has its absolute path, which is valid on one machine only.
 */
export function lockPaths(lockFile: string, file: string): readonly [string, ...string[]] {
  const named = resolve(file);
  const folder = dirname(resolve(lockFile));
  const folders = [folder, realPath(folder)];
  const files = [named, realPath(named)];
  const inside = files.flatMap((path) => folders.flatMap((from) => pathInside(from, path) ?? []));
  const [first = withSlashes(named), ...others] = new Set([...inside, ...files.map(withSlashes)]);
  return [first, ...others];
}

export function lockedFile(lockFile: string, path: string): string {
  return resolve(dirname(resolve(lockFile)), path);
}

/** Whether a path could have been written by `lockPaths`, on this system or another. */
export function isLockPath(path: string): boolean {
  const rest = path.replace(/^([A-Za-z]:)?\/+/, '');
  return !/[\\\0]/.test(path) && rest.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

function pathInside(folder: string, file: string): string | undefined {
  const path = relative(folder, file);
  const leadsOut = path === '' || path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
  return leadsOut ? undefined : withSlashes(path);
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

function withSlashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

/** The `schemakit trust` command for files, in the working directory. It names `lockFile` where it would find another one. */
export function trustCommand({
  files,
  lockFile,
  flags = [],
}: {
  files: readonly string[];
  lockFile?: string | undefined;
  flags?: readonly string[];
}): string {
  const isFound = lockFile === undefined || (findLockFile() ?? resolve(lockFileName)) === resolve(lockFile);
  const lock = isFound ? [] : ['--lock', shown(lockFile)];
  return ['schemakit', 'trust', ...files.map(shown), ...flags, ...lock].map(shellWord).join(' ');
}

function shown(file: string): string {
  const path = relative(process.cwd(), file);
  if (path === '' || path.startsWith('..')) return path === '' ? '.' : resolve(file);
  // A leading hyphen would make it a flag.
  return path.startsWith('-') ? `./${path}` : path;
}
