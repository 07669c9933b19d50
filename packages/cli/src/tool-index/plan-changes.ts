import { readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { FoundFile, Scan } from './scan-folders.ts';
import { rows, state } from './tables.ts';

/** A file that was found, and the hash of what is in it. */
export interface HashedFile {
  file: FoundFile;
  /** SHA-256 as hex; empty where the file could not be read. */
  hash: string;
}

/** What has to be done so that an index says what its folders hold. */
export interface Plan {
  /** Ids of files whose rows go, because they are gone themselves or are read again. */
  removed: readonly number[];
  /** Files to read: new ones, changed ones, and those that depend on other files. */
  changed: readonly HashedFile[];
  /** Files that were written to, or moved, and hold what they held. */
  touched: readonly { id: number; file: FoundFile }[];
}

type FileTimes = Pick<FoundFile, 'size' | 'mtime' | 'ctime'>;

/** How a file was when it was indexed. */
export interface KnownTimes extends FileTimes {
  /** When it was known to hold what its hash says, in milliseconds since 1970. */
  checked: number;
}

interface KnownFile extends KnownTimes, Pick<FoundFile, 'source' | 'path'> {
  id: number;
  hash: string;
  /** Whether what was read from it depends on other files. */
  dependent: number;
}

/** Some file systems keep times in steps of two seconds: a change within such a step cannot be seen. */
const timeStep = 2_000;
const maxBytes = 4 * 1024 * 1024;

/**
 * Compares the files of folders with those of an index, an empty one if there is none. Opens only files whose size or times
 * differ, and those that were written so shortly before they were indexed that another change would not show.
 */
export function planChanges(scan: Scan, database?: DatabaseSync): Plan {
  const { files, time } = scan;
  const seen = seenText(scan);
  if (database !== undefined && seen !== '' && seen === state(database, 'seen')) return nothingToDo;
  const known = new Map(database && knownFiles(database).map((file) => [keyOf(file), file]));
  const changed: HashedFile[] = [];
  const touched: { id: number; file: FoundFile }[] = [];
  const kept: { file: FoundFile; known: KnownFile }[] = [];
  for (const file of files) {
    const before = known.get(keyOf(file));
    if (before !== undefined && isUnchanged(file, before)) {
      kept.push({ file, known: before });
      continue;
    }
    const hash = hashFile(file);
    // What could not be read before and cannot be now is the same, or every command would read it again.
    if (before === undefined || before.hash !== hash || (hash === '' && !isAlike(file, before))) {
      changed.push({ file, hash });
      continue;
    }
    kept.push({ file, known: before });
    if (file.mtime < time - timeStep) touched.push({ id: before.id, file });
  }
  const keptIds = new Set(kept.map(({ known: { id } }) => id));
  const removed = [...known.values()].filter(({ id }) => !keptIds.has(id)).map(({ id }) => id);
  if (changed.length + removed.length === 0) return { removed, changed, touched };
  // A list, or the text of a skill, may be among what changed.
  const dependent = kept.filter(({ known: { dependent } }) => dependent === 1);
  const dependentIds = dependent.map(({ known: { id } }) => id);
  return {
    removed: [...removed, ...dependentIds],
    changed: [...changed, ...dependent.map(({ file, known: { hash } }) => ({ file, hash }))],
    touched: touched.filter(({ id }) => !dependentIds.includes(id)),
  };
}

const nothingToDo: Plan = { removed: [], changed: [], touched: [] };

/**
 * All that a scan saw, as a text: to compare two of them is many times as fast as to compare file by file. Empty where a file was
 * written so shortly before that another change would not show.
 */
export function seenText({ files, time }: Scan): string {
  const times = new Float64Array(files.length * 3);
  const names: string[] = [];
  for (const [index, { source, path, place, approved, size, mtime, ctime }] of files.entries()) {
    if (mtime >= time - timeStep) return '';
    times.set([size, mtime, ctime], index * 3);
    names.push(source, path, place, String(approved));
  }
  // To write numbers as decimals takes longer than all else does.
  return `${JSON.stringify(names)}${Buffer.from(times.buffer).toString('base64')}`;
}

/** Whether an index says what its folders hold. */
export function isCurrent({ removed, changed }: Plan): boolean {
  return removed.length + changed.length === 0;
}

function knownFiles(database: DatabaseSync): KnownFile[] {
  return rows<KnownFile>(database, 'SELECT id, source, path, size, mtime, ctime, checked, hash, dependent FROM files');
}

/** Whether a file surely holds what it held when it was indexed. */
export function isUnchanged(file: FileTimes, known: KnownTimes): boolean {
  return isAlike(file, known) && file.mtime < known.checked - timeStep;
}

function isAlike(file: FileTimes, known: FileTimes): boolean {
  return file.size === known.size && file.mtime === known.mtime && file.ctime === known.ctime;
}

function keyOf({ source, path }: { source: string; path: string }): string {
  return `${source}\0${path}`;
}

/** A file that cannot be read, or is larger than any schema, counts as changed when its times change. */
function hashFile({ path, size }: FoundFile): string {
  if (size > maxBytes) return '';
  try {
    // Loaded only now: most commands find nothing changed, and loading it takes as long as half of the scan.
    return process.getBuiltinModule('node:crypto').hash('sha256', readFileSync(path));
  } catch {
    return ''; // Reading the schema says what hinders it.
  }
}
