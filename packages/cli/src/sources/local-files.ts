import { hash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegular } from './folder-tree.ts';

/** A file as it is here. `other`: a link, a folder, or in a folder that is a link. Nothing is written there. */
export type LocalFile = { is: 'absent' } | { is: 'other' } | { is: 'file'; sha256: string };

/** Looks at a file below the folder of a source, without following links. */
export async function lookAt(folder: string, path: string): Promise<LocalFile> {
  const parents = await parentsOf(folder, path);
  if (parents !== 'folders') return { is: parents };
  const file = join(folder, path);
  const info = await lstat(file).catch(() => undefined);
  if (info === undefined) return { is: 'absent' };
  const bytes = info.isFile() ? await readRegular(file) : undefined;
  return bytes === undefined ? { is: 'other' } : { is: 'file', sha256: hash('sha256', bytes) };
}

async function parentsOf(folder: string, path: string): Promise<'folders' | 'absent' | 'other'> {
  const names = path.split('/').slice(0, -1);
  for (let index = 0; index <= names.length; index += 1) {
    const info = await lstat(join(folder, ...names.slice(0, index))).catch(() => undefined);
    if (info === undefined) return 'absent';
    if (!info.isDirectory()) return 'other';
  }
  return 'folders';
}
