import { readFile, stat } from 'node:fs/promises';
import type { Finding } from '../format/finding.ts';

/** Largest module file that is read, in bytes. */
export const maxFileBytes: number = 2 * 1024 * 1024;

export type FileReading = { ok: true; bytes: Uint8Array } | { ok: false; finding: Finding };

/** Reads a module file; what hinders it is a finding. */
export async function readModuleFile(file: string): Promise<FileReading> {
  try {
    const { size } = await stat(file);
    if (size > maxFileBytes) {
      const message = `the file has ${size} bytes; ${maxFileBytes} are the most that is read`;
      return refused('MOD002', file, message, 'Move data out of the schema, for example into a shared list.');
    }
    return { ok: true, bytes: await readFile(file) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return refused('FIL001', file, `there is no file ${file}`, 'Check the path.');
    if (code === 'EISDIR') return refused('FIL003', file, `${file} is a folder`, 'Name one .mjs file in it.');
    const reason = error instanceof Error ? error.message : String(error);
    return refused('FIL004', file, `the file cannot be read: ${reason}`, 'Check the path and the rights of the file.');
  }
}

function refused(code: string, file: string, message: string, hint: string): FileReading {
  return { ok: false, finding: { code, severity: 'error', path: '', message, hint, file } };
}
