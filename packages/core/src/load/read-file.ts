import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { type ModuleText, readModuleText } from '../module/module-text.ts';
import { type Finding, messageOf } from '../schema/finding.ts';

/** Largest module file that is read, in bytes. */
const maxFileBytes = 2 * 1024 * 1024;

export type FileResult = { ok: true; source: ModuleText; bytes?: Uint8Array } | { ok: false; finding: Finding };

/** Reused for all files, which are decoded at once. */
const buffer = Buffer.allocUnsafeSlow(maxFileBytes + 1);

/** Reads a module file, synchronously, as `import()` does. Only regular files are read: a pipe or a device could block. */
export function readModuleFile(file: string, { keepsBytes = false }: { keepsBytes?: boolean } = {}): FileResult {
  let descriptor: number | undefined;
  try {
    // Opening a pipe without a writer would block otherwise.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const info = fstatSync(descriptor);
    if (info.isDirectory()) return refused('FIL003', file, `${file} is a folder`, 'Name one .mjs file in it.');
    if (!info.isFile()) return refused('FIL004', file, `${file} is not a regular file`, 'Name a file on disk.');
    // The file may be growing.
    const length = info.size > maxFileBytes ? info.size : fillBuffer(descriptor);
    if (length > maxFileBytes) {
      const size = info.size > maxFileBytes ? info.size : `more than ${maxFileBytes}`;
      const message = `the file has ${size} bytes; the maximum is ${maxFileBytes}`;
      return refused('MOD002', file, message, 'Move data out of the schema, for example into a shared list.');
    }
    const bytes = buffer.subarray(0, length);
    return { ok: true, source: readModuleText(bytes), ...(keepsBytes && { bytes: Buffer.from(bytes) }) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return refused('FIL001', file, `there is no file ${file}`, 'Check the path.');
    return refused(
      'FIL004',
      file,
      `the file cannot be read: ${messageOf(error)}`,
      'Check the path and the permissions of the file.',
    );
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

function refused(code: string, file: string, message: string, hint: string): FileResult {
  return { ok: false, finding: { code, severity: 'error', path: '', message, hint, file } };
}

/** A file that may be read, or why it may not. */
export type LocatedFile = { ok: true; file: string } | { ok: false; reason: 'missing' | 'outside'; file: string };

/** Finds a regular file inside a folder. The targets of links have to be inside the folder too. */
export async function locateInside(path: string, folder: string): Promise<LocatedFile> {
  const file = resolve(folder, path);
  if (!isInside(file, resolve(folder))) return { ok: false, reason: 'outside', file };
  try {
    const [realFolder, realFile] = await Promise.all([realpath(folder), realpath(file)]);
    if (!isInside(realFile, realFolder)) return { ok: false, reason: 'outside', file };
    const stats = await stat(realFile);
    return stats.isFile() ? { ok: true, file: realFile } : { ok: false, reason: 'missing', file };
  } catch {
    return { ok: false, reason: 'missing', file }; // Missing, or no permission.
  }
}

function isInside(file: string, folder: string): boolean {
  const path = relative(folder, file);
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

/** Caches results by the hash of a file's bytes. The oldest are evicted when there are too many, or their files too large together. */
export function contentCache<T>({
  maxEntries,
  maxBytes,
}: {
  maxEntries: number;
  maxBytes: number;
}): (source: ModuleText, variant: string, make: () => T) => T {
  const entries = new Map<string, { value: T; byteLength: number }>();
  let bytes = 0;
  return ({ hash, byteLength }, variant, make) => {
    const key = `${hash} ${variant}`;
    const cached = entries.get(key);
    if (cached !== undefined) return cached.value;
    const value = make();
    entries.set(key, { value, byteLength });
    bytes += byteLength;
    for (const [oldest, entry] of entries) {
      if (entries.size <= maxEntries && bytes <= maxBytes) break;
      entries.delete(oldest);
      bytes -= entry.byteLength;
    }
    return value;
  };
}
