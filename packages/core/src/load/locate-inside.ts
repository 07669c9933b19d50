import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** A file that may be read, or what is in the way. */
export type LocatedFile = { ok: true; file: string } | { ok: false; reason: 'missing' | 'outside'; file: string };

/**
 * Finds a file that a document names, inside of a folder. Links are followed, and what they lead to has to be in the folder as
 * well; only a regular file counts.
 */
export async function locateInside(path: string, folder: string): Promise<LocatedFile> {
  const file = resolve(folder, path);
  if (!isInside(file, resolve(folder))) return { ok: false, reason: 'outside', file };
  try {
    const [realFolder, realFile] = await Promise.all([realpath(folder), realpath(file)]);
    if (!isInside(realFile, realFolder)) return { ok: false, reason: 'outside', file };
    // A pipe would keep its reader waiting.
    const stats = await stat(realFile);
    return stats.isFile() ? { ok: true, file: realFile } : { ok: false, reason: 'missing', file };
  } catch {
    return { ok: false, reason: 'missing', file }; // Not there, or not for us to see.
  }
}

function isInside(file: string, folder: string): boolean {
  const path = relative(folder, file);
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
