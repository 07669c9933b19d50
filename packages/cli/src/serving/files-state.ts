import { createHash } from 'node:crypto';
import { type Stats, statSync } from 'node:fs';
import { type FoundFile, scanFolders } from '../tool-index/scan-folders.ts';

/** Files and folders, as the file system describes them. */
export interface FilesState {
  /** The same for the same files. */
  hash: string;
  /** When one of them changed last, in milliseconds since 1970; 0 where there are none. */
  changedAt: number;
}

/** Looks at files and folders without opening any. */
export function filesState(places: readonly string[]): FilesState {
  const hash = createHash('sha256');
  let changedAt = 0;
  for (const place of places) {
    const info = statSync(place, { throwIfNoEntry: false });
    const files = info?.isDirectory() === true ? folderFiles(place) : [{ path: place, ...timesOf(info) }];
    for (const { path, size, mtime, ctime } of files) {
      changedAt = Math.max(changedAt, mtime, ctime);
      hash.update(`\0${path}\0${size}\0${mtime}\0${ctime}`);
    }
  }
  return { hash: hash.digest('hex'), changedAt };
}

function folderFiles(folder: string): readonly StatedFile[] {
  return scanFolders([{ source: '', folder }]).files;
}

type StatedFile = Pick<FoundFile, 'path' | 'size' | 'mtime' | 'ctime'>;

function timesOf(info: Stats | undefined): Omit<StatedFile, 'path'> {
  return { size: info?.size ?? -1, mtime: info?.mtimeMs ?? 0, ctime: info?.ctimeMs ?? 0 };
}
