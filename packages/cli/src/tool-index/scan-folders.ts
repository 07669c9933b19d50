import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Finding } from '@schemakit/core';
import { indexFinding } from './index-codes.ts';

/** A folder of schemas, and the name under which references know it. */
export interface SourceFolder {
  source: string;
  folder: string;
  /** Whether the user put the files there: only then may they name places of this machine. Default false. */
  approved?: boolean;
}

/** A file that the index depends on, as the file system describes it. */
export interface FoundFile {
  /** Empty for shared lists above the folders. */
  source: string;
  path: string;
  /** `<source>/<file>.mjs`, with forward slashes. */
  place: string;
  /** False for what stands in folders that begin with `_`: schemas read it, but it is none. */
  mayBeSchema: boolean;
  /** Of its source. */
  approved: boolean;
  /** Bytes. */
  size: number;
  /** When it was written to, in milliseconds since 1970. */
  mtime: number;
  /** When anything about it changed, its name and rights among it, in milliseconds since 1970. */
  ctime: number;
}

export interface Scan {
  files: readonly FoundFile[];
  findings: readonly Finding[];
  /** When the scan began, in milliseconds since 1970. */
  time: number;
}

const maxLevels = 10;

/**
 * Lists the files of folders without opening any: all `.mjs` files but those in folders that begin with `.` and in
 * `node_modules`. Without waiting, since that is several times as fast for many small files.
 */
export function scanFolders(folders: readonly SourceFolder[]): Scan {
  const scan: MutableScan = { files: new Map(), findings: [], time: Date.now() };
  for (const { source, folder, approved = false } of folders) {
    const root = resolve(folder);
    visit(root, { source, place: source, mayBeSchema: true, approved }, scan);
    const lists = listsAbove(root);
    if (lists !== undefined) visit(lists, { source: '', place: lists, mayBeSchema: false, approved }, scan);
  }
  return { ...scan, files: [...scan.files.values()] };
}

interface MutableScan {
  files: Map<string, FoundFile>;
  findings: Finding[];
  time: number;
}

type Position = Pick<FoundFile, 'source' | 'place' | 'mayBeSchema' | 'approved'>;

function visit(folder: string, { source, place, mayBeSchema, approved }: Position, scan: MutableScan): void {
  for (const entry of entriesOf(folder, scan)) {
    const { name } = entry;
    if (name.startsWith('.') || name === 'node_modules') continue;
    // Both are normal already, and `join` would take as long as the rest.
    const path = `${folder}${sep}${name}`;
    const position = { source, place: `${place}/${name}`, mayBeSchema: mayBeSchema && !name.startsWith('_'), approved };
    if (entry.isDirectory()) visit(path, position, scan);
    else if (entry.isFile() && (name.endsWith('.mjs') || name === '_registry.json')) {
      const info = statOf(path);
      if (info === undefined) continue;
      const { size, mtimeMs: mtime, ctimeMs: ctime } = info;
      scan.files.set(`${source}\0${path}`, { path, ...position, size, mtime, ctime });
    }
  }
}

function entriesOf(folder: string, { findings }: MutableScan): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    findings.push(indexFinding('IDX002', `the folder ${folder} cannot be read, and nothing in it is found: ${reason}`));
    return [];
  }
}

/** Gone since its folder was read: as if it had never been there. */
function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** The nearest folder of shared lists above a folder: schemas in it find their lists there (specification 2.6). */
function listsAbove(root: string): string | undefined {
  let folder = root;
  for (let level = 0; level < maxLevels && dirname(folder) !== folder; level += 1) {
    folder = dirname(folder);
    const lists = join(folder, '_lists');
    if (isFolder(lists)) return lists;
  }
  return undefined;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // A folder that may not be looked into is as good as none.
  }
}
