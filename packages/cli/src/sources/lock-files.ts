import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { readSettings } from '../settings/read-settings.ts';
import { realPath, settingsPaths } from '../settings/settings-paths.ts';
import { stateName } from './source-state.ts';

/** `lockFileName` of the library, which servers with a cached catalog do not load. */
const lockFileName = 'schemakit.lock.json';

/** Finds the nearest lock file, like `findLockFile` of the library but without loading it. */
export function nearestLockFile(folder: string = process.cwd()): string | undefined {
  const file = lockFileIn(folder);
  if (file !== undefined) return file;
  const parent = dirname(folder);
  return parent === folder ? undefined : nearestLockFile(parent);
}

/** A link to nothing counts: reading it is an error. */
function lockFileIn(folder: string): string | undefined {
  const file = join(folder, lockFileName);
  return lstatSync(file, { throwIfNoEntry: false }) === undefined ? undefined : file;
}

/** What was imported: the name of its source, and the lock file that pins it, if there is one. */
export interface Imported {
  source: string;
  lockFile: string | undefined;
}

/** For an imported file or folder, or a folder of imported sources. Undefined for the user's own. */
export function importedFrom(path: string): Imported | undefined {
  const { named, real } = placesOf(path);
  return sourceWith(path) ?? sourcesIn(named) ?? sourcesIn(real);
}

/** Whether a file or folder is the user's own: neither its path nor what it is a link to is in an imported source. */
export function isOwn(path: string): boolean {
  return sourceWith(path) === undefined;
}

/** A link into a source leads to imported files, which the lock file of that source pins. */
function sourceWith(path: string): Imported | undefined {
  const { named, real } = placesOf(path);
  return knownSource(named) ?? knownSource(real) ?? outermostSource(real.path) ?? outermostSource(named.path);
}

interface Place {
  path: string;
  /** The global folders whose folders are sources. */
  folders: readonly string[];
}

function placesOf(path: string): { named: Place; real: Place } {
  const { schemas, legacy } = settingsPaths().home;
  const folders = [schemas, ...(legacy === undefined ? [] : [join(legacy, 'schemas')])];
  const named = { path: resolve(path), folders };
  return { named, real: { path: realPath(named.path), folders: folders.map(realPath) } };
}

function knownSource({ path, folders }: Place): Imported | undefined {
  for (const schemas of folders) {
    const [name = ''] = relative(schemas, path).split(sep);
    const folder = join(schemas, name);
    if (name === '' || name === '..' || isAbsolute(name)) continue;
    if (isSource(folder) || isLegacyImport(folder)) return { source: name, lockFile: lockFileIn(schemas) };
  }
  return undefined;
}

/** Not the nearest one: files of a source could pass for another one, with a lock file of its own. */
function outermostSource(path: string): Imported | undefined {
  let outermost: string | undefined;
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if (isSource(folder)) outermost = folder;
  }
  if (outermost === undefined) return undefined;
  return { source: basename(outermost), lockFile: lockFileIn(dirname(outermost)) };
}

/** For a folder of sources, or the global folder, which has one. */
function sourcesIn({ path, folders }: Place): Imported | undefined {
  const below = join(path, 'schemas');
  const schemas = folders.includes(below) ? below : path;
  return hasSources(schemas) ? { source: basename(schemas), lockFile: lockFileIn(schemas) } : undefined;
}

function hasSources(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => isSource(join(folder, name)));
  } catch {
    return false; // A file, or nothing.
  }
}

function isSource(folder: string): boolean {
  return existsSync(join(folder, stateName));
}

/** The original runtime imported with a registry only, which `init` also gave the built-in catalog. */
function isLegacyImport(folder: string): boolean {
  if (!existsSync(join(folder, '_registry.json'))) return false;
  return readSettings().home.sources.get(basename(folder))?.type !== 'builtin';
}
