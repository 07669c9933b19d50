import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Finding, Severity } from '@schemakit/core';

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
  /** Whether the user named the file itself: then it has to be a schema. */
  named?: boolean;
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
  const scan: MutableScan = { files: [], findings: [], visited: new Set(), time: Date.now() };
  for (const { source, folder, approved = false } of folders) {
    const root = resolve(folder);
    visit(root, { source, place: source, mayBeSchema: true, approved }, scan);
    const lists = listsAbove(root);
    if (lists !== undefined) visit(lists, { source: '', place: lists, mayBeSchema: false, approved }, scan);
  }
  const { files, findings, time } = scan;
  return { files, findings, time };
}

/** All that a scan saw, as a text to compare. */
export function scanText({ files }: Scan): string {
  return JSON.stringify(files.map(({ path, size, mtime, ctime }) => [path, size, mtime, ctime]));
}

interface MutableScan {
  files: FoundFile[];
  findings: Finding[];
  /** Folders with their source: several sources may have the same lists above them. */
  visited: Set<string>;
  time: number;
}

type Position = Pick<FoundFile, 'source' | 'place' | 'mayBeSchema' | 'approved'>;

function visit(folder: string, position: Position, scan: MutableScan): void {
  const { source, approved } = position;
  const key = `${source}\0${folder}`;
  if (scan.visited.has(key)) return;
  scan.visited.add(key);
  let isHidden = false;
  for (const name of namesIn(folder, scan)) {
    if (name.startsWith('.') || name === 'node_modules') continue;
    // Both are normal already, and `join` would take as long as the rest.
    const path = `${folder}${sep}${name}`;
    const place = `${position.place}/${name}`;
    const mayBeSchema = position.mayBeSchema && !name.startsWith('_');
    const info = statOf(path);
    if (info instanceof Error) {
      // Once for a folder that may be listed and not entered.
      if (!isHidden) scan.findings.push(unreadable(folder, info));
      isHidden = true;
      continue;
    }
    if (info?.isDirectory()) visit(path, { source, place, mayBeSchema, approved }, scan);
    else if (info?.isFile() && (name.endsWith('.mjs') || name === '_registry.json')) {
      const { size, mtimeMs: mtime, ctimeMs: ctime } = info;
      scan.files.push({ source, path, place, mayBeSchema, approved, size, mtime, ctime });
    }
  }
}

function namesIn(folder: string, { findings }: MutableScan): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    findings.push(unreadable(folder, error));
    return [];
  }
}

function unreadable(folder: string, error: unknown): Finding {
  const reason = error instanceof Error ? error.message : String(error);
  return indexFinding('IDX002', `the folder ${folder} cannot be read, and nothing in it is found: ${reason}`);
}

/** What stands at a path itself, since links are not followed; undefined where it is gone since its folder was read. */
function statOf(path: string): Stats | Error | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return error as Error;
  }
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

export type IndexCode = `IDX00${1 | 2}`;

/** What can hinder the index of tools, by code. None of it stops a command. */
export const indexCodes: Readonly<Record<IndexCode, readonly [Severity, string]>> = {
  IDX001: ['warning', 'The index of tools can be written. Until then, every command reads all schemas.'],
  IDX002: ['warning', 'A folder of schemas can be read.'],
};

const hints: Readonly<Record<IndexCode, string>> = {
  IDX001: 'Make the file and its folder writable: until then, every command reads all schemas again.',
  IDX002: 'Check the path and the rights of the folder.',
};

/** Makes a finding about an index. */
export function indexFinding(code: IndexCode, message: string): Finding {
  return { code, severity: indexCodes[code][0], path: '', message, hint: hints[code] };
}
