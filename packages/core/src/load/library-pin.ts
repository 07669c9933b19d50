import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { HandlerLibrary } from '../sandbox/handler-program.ts';
import type { Finding } from '../schema/finding.ts';
import { isObject } from '../schema/json.ts';
import { locateLibrary } from './libraries.ts';

/** What an installed library was when the user allowed it. */
export interface LibraryPin {
  version: string;
  /** `sha256-` and the base64 hash of its own files, without its dependencies. */
  integrity: string;
}

/** The pin of a library that is installed for schemas in a folder. Undefined if it is not, or if it is a module of Node. */
export async function pinLibrary(name: string, folder: string): Promise<LibraryPin | undefined> {
  const location = await locateLibrary(name, [folder, import.meta.dirname]);
  return location === undefined ? undefined : pinOf(location);
}

/** The finding for a library that is not the one that was allowed. */
export async function checkPin(location: HandlerLibrary, pin: LibraryPin, path: string): Promise<Finding | undefined> {
  const found = await pinOf(location);
  if (found?.integrity === pin.integrity) return undefined;
  const { name } = location;
  const message = `Library '${name}' is not the one that was allowed: version ${found?.version ?? 'unknown'} has other files than version ${pin.version}`;
  const hint = `If you trust it: schemakit --allow-library ${name} <command>`;
  return { code: 'LIB003', severity: 'error', path, message, hint };
}

async function pinOf({ folders: [folder] }: HandlerLibrary): Promise<LibraryPin | undefined> {
  if (folder === undefined) return undefined;
  const hash = createHash('sha256');
  const files = (await filesIn(folder)).map((file) => [relative(folder, file).replaceAll('\\', '/'), file] as const);
  for (const [name, file] of files.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const bytes = await readFile(file);
    hash.update(`${name}\0${bytes.length}\0`).update(bytes);
  }
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const version = isObject(manifest) && typeof manifest.version === 'string' ? manifest.version : '';
  return { version, integrity: `sha256-${hash.digest('base64')}` };
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const nested = entries.map((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(path);
    return entry.isFile() ? [path] : [];
  });
  return (await Promise.all(nested)).flat();
}
