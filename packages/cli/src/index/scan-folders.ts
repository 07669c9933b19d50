import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Finding, Severity } from '@schemakit/core';
import { reasonOf } from '../output/terminal-text.ts';
import { isFolder } from '../settings/make-folder.ts';
import { isOwn } from '../sources/lock-files.ts';

/** A folder of schemas, and its name in references. */
export interface SourceFolder {
  source: string;
  folder: string;
  /** Whether the user put the files there: only then may they use private addresses. Default false. */
  approved?: boolean;
}

/** A file that the index depends on. */
export interface FoundFile {
  /** Empty for shared lists above the folders. */
  source: string;
  path: string;
  /** `<source>/<file>.mjs`, with forward slashes. */
  place: string;
  /** False in folders that begin with `_`, which have lists and the like. */
  mayBeSchema: boolean;
  approved: boolean;
  /** Whether the user named the file itself, so that it must be a schema. */
  named?: boolean;
  /** Bytes. */
  size: number;
  /** Last modification, in milliseconds since 1970. */
  mtime: number;
  /** Last change of contents or metadata, in milliseconds since 1970. */
  ctime: number;
}

export interface Scan {
  files: readonly FoundFile[];
  findings: readonly Finding[];
  /** When the scan began, in milliseconds since 1970. */
  time: number;
}

const maxLevels = 10;

/** Lists the `.mjs` files of folders. Synchronous, which is several times as fast for many small files. */
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

/** The state of scanned files, to compare. */
export function scanText({ files }: Scan): string {
  return JSON.stringify(files.map(({ path, size, mtime, ctime }) => [path, size, mtime, ctime]));
}

interface MutableScan {
  files: FoundFile[];
  findings: Finding[];
  /** Folders with their source: sources may share the lists above them. */
  visited: Set<string>;
  time: number;
}

type Position = Pick<FoundFile, 'source' | 'place' | 'mayBeSchema' | 'approved'>;

function visit(folder: string, position: Position, scan: MutableScan): void {
  const { source } = position;
  const key = `${source}\0${folder}`;
  if (scan.visited.has(key)) return;
  scan.visited.add(key);
  // Files in a folder are no links, so those of one folder are alike.
  const approved = position.approved && isOwn(folder);
  let isHidden = false;
  for (const name of namesIn(folder, scan)) {
    if (name.startsWith('.') || name === 'node_modules') continue;
    // Already normalized; `join` would take as long as the rest.
    const path = `${folder}${sep}${name}`;
    const place = `${position.place}/${name}`;
    const mayBeSchema = position.mayBeSchema && !name.startsWith('_');
    const info = statOf(path);
    if (info instanceof Error) {
      // Report a folder without execute permission once.
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
  return indexFinding('IDX002', `the folder ${folder} cannot be read and was skipped: ${reasonOf(error)}`);
}

/** Does not follow links. Undefined if the file was removed since its folder was read. */
function statOf(path: string): Stats | Error | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return error as Error;
  }
}

/** The nearest folder of shared lists above a folder (docs/format.md, "Shared lists"). */
function listsAbove(root: string): string | undefined {
  let folder = root;
  for (let level = 0; level < maxLevels && dirname(folder) !== folder; level += 1) {
    folder = dirname(folder);
    const lists = join(folder, '_lists');
    if (isFolder(lists)) return lists;
  }
  return undefined;
}

export type IndexCode = `IDX00${1 | 2}`;

/** Findings of the tool index, by code. None of them stops a command. */
export const indexCodes: Readonly<Record<IndexCode, readonly [Severity, string]>> = {
  IDX001: ['warning', 'The index of tools can be written. Until then, every command reads all schemas.'],
  IDX002: ['warning', 'A folder of schemas can be read.'],
};

const hints: Readonly<Record<IndexCode, string>> = {
  IDX001: 'Make the file and its folder writable: until then, every command reads all schemas again.',
  IDX002: 'Check the path and the rights of the folder.',
};

export function indexFinding(code: IndexCode, message: string): Finding {
  return { code, severity: indexCodes[code][0], path: '', message, hint: hints[code] };
}
