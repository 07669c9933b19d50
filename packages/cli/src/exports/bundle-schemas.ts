import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { LoadedSchema } from '@schemakit/core';
import { findEntry, findListsDir, parsedSchemaOf, readListModule, resourceFiles } from '@schemakit/core/internal';
import { type LockEntry, readLock } from '@schemakit/core/lock';
import type { Omission } from './export-codes.ts';

/** A schema file and the folder that it belongs to, whose structure the bundle keeps. */
export interface BundledSchema {
  loaded: LoadedSchema;
  folder: string;
  lockFile: string | undefined;
}

export interface SchemaFiles {
  /** Files on disk by their places in the bundle, with slashes. */
  files: Map<string, string>;
  /** The places of the schemas, below `schemas/`, by file. */
  places: Map<string, string>;
  /** What the lock files have about the schemas, by their new places. */
  locked: Map<string, LockEntry>;
  /** Libraries of handlers, with the folder that they are searched from. */
  libraries: { name: string; file: string }[];
  omissions: Omission[];
}

/** The files that schemas consist of: lists, texts of prompts and skills, databases and documents. `.env` files are never among them. */
export async function schemaFiles(schemas: readonly BundledSchema[]): Promise<SchemaFiles> {
  const found: SchemaFiles = { files: new Map(), places: new Map(), locked: new Map(), libraries: [], omissions: [] };
  const names = folderNames(schemas.map(({ folder }) => folder));
  for (const schema of schemas) {
    const { loaded, folder } = schema;
    const base = ['schemas', names.get(folder) ?? ''].filter((part) => part !== '').join('/');
    const place = `${base}/${slashed(relative(folder, loaded.file))}`;
    found.files.set(place, loaded.file);
    found.places.set(loaded.file, place);
    const parsed = parsedSchemaOf(loaded)?.schema;
    if (parsed === undefined) continue;
    const here = place.slice(0, place.lastIndexOf('/'));
    for (const { source } of parsed.prompts) {
      if ('file' in source) found.files.set(joined(here, source.file), join(dirname(loaded.file), source.file));
    }
    const lists = await listFiles(
      loaded.file,
      parsed.sharedLists.map(({ ref }) => ref),
    );
    for (const file of lists) {
      const inside = relative(folder, file);
      const isInside = !inside.startsWith('..') && !isAbsolute(inside);
      found.files.set(`${base}/${isInside ? slashed(inside) : `_lists/${basename(file)}`}`, file);
    }
    await addResources(schema, here, found);
    found.libraries.push(...parsed.requiredLibraries.map((name) => ({ name, file: loaded.file })));
    addLocked(schema, place, found);
  }
  return found;
}

/** A folder of its own for the files of each folder, unless there is only one. */
function folderNames(folders: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  const distinct = [...new Set(folders)];
  for (const folder of distinct) {
    const name = basename(folder);
    const taken = [...names.values()].filter((other) => other === name || other.startsWith(`${name}-`)).length;
    names.set(folder, distinct.length === 1 ? '' : taken === 0 ? name : `${name}-${taken + 1}`);
  }
  return names;
}

function slashed(path: string): string {
  return path.replaceAll(sep, '/');
}

function joined(folder: string, path: string): string {
  return slashed(join(folder, path));
}

/** The files of lists, and of those that they depend on. */
async function listFiles(schemaFile: string, names: readonly string[]): Promise<string[]> {
  const folder = names.length === 0 ? undefined : findListsDir(schemaFile);
  if (folder === undefined) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  const read = await Promise.all(files.map((name) => readListModule(join(folder, name))));
  const lists = new Map(read.flatMap(({ list }) => (list === undefined ? [] : [[list.name, list]])));
  const wanted = new Set(names);
  for (const name of wanted) for (const { ref } of lists.get(name)?.dependsOn ?? []) wanted.add(ref);
  return [...wanted].flatMap((name) => lists.get(name)?.file ?? []);
}

async function addResources({ loaded }: BundledSchema, here: string, { files, omissions }: SchemaFiles): Promise<void> {
  const resources = parsedSchemaOf(loaded)?.schema.resources;
  for (const { resource, path, file, state } of await resourceFiles(loaded)) {
    const own = resources?.get(resource);
    const place = own === undefined || own.kind === 'http' ? undefined : resourcePlace(own.file, here);
    if (state === 'read' && file !== null && place !== undefined && !isEnvFile(file)) {
      files.set(place, file);
      continue;
    }
    const message = `the resource ${resource} reads ${path}, which is ${state === 'read' ? 'elsewhere on this machine' : state}`;
    const hint = 'Put the file next to the schema, and name it by a relative path.';
    omissions.push({ code: 'EXP014', tool: loaded.file, message, hint });
  }
}

/** A place where the server finds the file again: next to the schema, in the project, or in the home of the bundle. */
function resourcePlace({ path, origin }: { path: string; origin?: string }, here: string): string | undefined {
  if (isAbsolute(path) || /^~[\\/]/.test(path)) return undefined;
  if (origin === 'project') return joined('.schemakit/resources', path);
  if (origin === 'global') return joined('home/resources', path);
  return joined(origin === 'inline' ? `${here}/resources` : here, path);
}

function isEnvFile(file: string): boolean {
  return /^\.env(?:$|\.)/i.test(basename(file));
}

function addLocked({ loaded, lockFile }: BundledSchema, place: string, { locked, omissions }: SchemaFiles): void {
  if (lockFile === undefined || !existsSync(lockFile)) return;
  const { lock } = readLock({ lockFile });
  const entry = lock && findEntry(lock, resolve(loaded.file)).entry;
  if (entry === undefined) return;
  const { read = [], ...grants } = entry.grants;
  if (read.length > 0) {
    const message = `the grant to read ${read.join(', ')} is for this machine`;
    omissions.push({ code: 'EXP014', tool: loaded.file, message, hint: 'Put the file next to the schema.' });
  }
  locked.set(place, { ...entry, grants });
}

/** The contents of a file on disk. */
export function fileBytes(file: string): Uint8Array {
  return readFileSync(file);
}
