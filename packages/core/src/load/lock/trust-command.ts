import { relative, resolve } from 'node:path';
import { lockFileName } from './lock.ts';
import { findLockFile } from './lock-paths.ts';

/**
 * The command that trusts files as they are now, for a shell in the working directory.
 *
 * @param options.lockFile - Named in the command where it is not the one that the command would find itself.
 * @param options.flags - Further words, such as `--secret` and a name.
 */
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
  return ['schemakit', 'trust', ...files.map(shown), ...flags, ...lock].map(quoted).join(' ');
}

function shown(file: string): string {
  const path = relative(process.cwd(), file);
  if (path === '' || path.startsWith('..')) return path === '' ? '.' : resolve(file);
  // A name that begins with a hyphen would be read as a flag.
  return path.startsWith('-') ? `./${path}` : path;
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./\\-]+$/.test(word)) return word;
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
