import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { type ModuleText, readModuleText } from '../module/module-text.ts';
import type { Finding } from '../schema/finding.ts';

/** Largest module file that is read, in bytes. */
const maxFileBytes = 2 * 1024 * 1024;

/** `bytes`: where they are to be kept. */
export type FileReading = { ok: true; source: ModuleText; bytes?: Uint8Array } | { ok: false; finding: Finding };

/**
 * Files are read here and decoded at once: memory that is used again is there already, while new memory for each file was
 * measured to take longer than the reading.
 */
const buffer = Buffer.allocUnsafeSlow(maxFileBytes + 1);

/**
 * Reads a module file; what hinders it is a finding. Without waiting, as `import()` reads: a small file is there in less time
 * than a promise of it takes. Only regular files are read, since a pipe or a device has no end.
 */
export function readModuleFile(file: string, { keepsBytes = false }: { keepsBytes?: boolean } = {}): FileReading {
  let descriptor: number | undefined;
  try {
    // Not blocking: opening a pipe that nobody writes to would wait for a writer.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const info = fstatSync(descriptor);
    if (info.isDirectory()) return refused('FIL003', file, `${file} is a folder`, 'Name one .mjs file in it.');
    if (!info.isFile()) return refused('FIL004', file, `${file} is no regular file`, 'Name a file on disk.');
    // It may be growing just now.
    const length = info.size > maxFileBytes ? info.size : fillBuffer(descriptor);
    if (length > maxFileBytes) {
      const size = info.size > maxFileBytes ? info.size : `more than ${maxFileBytes}`;
      const message = `the file has ${size} bytes; ${maxFileBytes} are the most that is read`;
      return refused('MOD002', file, message, 'Move data out of the schema, for example into a shared list.');
    }
    const bytes = buffer.subarray(0, length);
    return { ok: true, source: readModuleText(bytes), ...(keepsBytes && { bytes: Buffer.from(bytes) }) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return refused('FIL001', file, `there is no file ${file}`, 'Check the path.');
    const reason = error instanceof Error ? error.message : String(error);
    return refused('FIL004', file, `the file cannot be read: ${reason}`, 'Check the path and the rights of the file.');
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Reads to the end of a file, or until the buffer is full. */
function fillBuffer(descriptor: number): number {
  let length = 0;
  for (let read = 1; read > 0 && length < buffer.length; length += read) {
    read = readSync(descriptor, buffer, length, buffer.length - length, null);
  }
  return length;
}

function refused(code: string, file: string, message: string, hint: string): FileReading {
  return { ok: false, finding: { code, severity: 'error', path: '', message, hint, file } };
}

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

/**
 * Keeps what was made from the bytes of files, by their hash: the same bytes are read once, a changed file is read anew.
 * The oldest of more than `max` entries is forgotten.
 */
export function contentCache<T>(max: number): (hash: string, variant: string, make: () => T) => T {
  const kept = new Map<string, T>();
  return (hash, variant, make) => {
    const key = `${hash} ${variant}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = make();
    kept.set(key, made);
    const [oldest] = kept.keys();
    if (kept.size > max && oldest !== undefined) kept.delete(oldest);
    return made;
  };
}
