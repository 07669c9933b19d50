import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** A file to load, and whether its user named it or it was found in a folder. */
export interface SchemaFile {
  file: string;
  named: boolean;
  /** The named folder that it was found in. */
  folder?: string;
}

/**
 * The schema files at paths: a file as it is, a folder with every `.mjs` file below it in the order of their names.
 * Entries that start with `_` or `.` hold lists and settings, not schemas. A path that is not there is given as it is, so
 * that loading it says so.
 */
export async function findSchemaFiles(paths: readonly string[]): Promise<SchemaFile[]> {
  const found = await Promise.all(
    paths.map(async (path): Promise<SchemaFile[]> => {
      const absolute = resolve(path);
      const info = await stat(absolute).catch(() => undefined);
      if (!info?.isDirectory()) return [{ file: absolute, named: true }];
      return (await filesBelow(absolute)).map((file) => ({ file, named: false, folder: absolute }));
    }),
  );
  const files = new Map(found.flat().map((entry) => [entry.file, entry]));
  return [...files.values()];
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  const nested = await Promise.all(
    entries.map(async (entry) => {
      if (/^[._]/.test(entry.name) || entry.name === 'node_modules') return [];
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return entry.isFile() && entry.name.endsWith('.mjs') ? [path] : [];
    }),
  );
  return nested.flat();
}
