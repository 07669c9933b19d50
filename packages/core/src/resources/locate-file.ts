import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { childPath, type Finding } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import type { DatabaseResource, MarkdownResource, Resource, ResourceFile } from '../schema/schema.ts';
import { resourceCallFinding } from './resource-finding.ts';

/** Where the paths of a schema's resources begin. */
export interface LocateOptions {
  /** The schema's file, where it has one. */
  schemaFile?: string | undefined;
  /** Default: the working directory. */
  cwd?: string | undefined;
  /** Default: the user's home. */
  home?: string | undefined;
  /** `SCHEMAKIT_HOME` names the user's own folder, as it does for settings. Default: the environment of the process. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Whether the user or the program named the schema itself. Otherwise its resources lie beside it or in the resource folders of
   * the project and of the user, and nowhere else, links included. Default true.
   */
  approved?: boolean | undefined;
}

/** A resource's file, or why it has none. */
export type LocatedFile = { ok: true; file: string } | { ok: false; finding: Finding };

interface Places {
  /** Undefined for a schema without a file. */
  schemaDir: string | undefined;
  cwd: string;
  home: string;
  /** Where resources of the origin `global` lie. */
  global: readonly string[];
  approved: boolean;
}

/** Our folder, and the one of the public library's first runtime, which users may have already. */
const baseFolders = ['.schemakit', '.flowmcp'];
const resourceFolders = ['resources', 'data'];

/**
 * Finds the file of a database or a Markdown document. The places are looked at when a resource is used, in this order:
 *
 * - with an origin: `resources/`, `data/` and the folder itself beside the schema (`inline`); `.schemakit/resources/` and
 *   `.schemakit/data/`, then the same in `.flowmcp/`, in the working directory (`project`) or in the home (`global`);
 *   where `SCHEMAKIT_HOME` names a folder, `resources/` and `data/` in it (`global`)
 * - `~/…` and absolute paths: there
 * - other paths: beside the schema, then in the working directory
 *
 * A path with `..` is refused. Never throws.
 *
 * @returns the file with its links resolved; a finding that names every place where it was looked for.
 */
export async function locateFile(
  resource: DatabaseResource | MarkdownResource,
  { schemaFile, cwd = process.cwd(), home = homedir(), env = process.env, approved = true }: LocateOptions = {},
): Promise<LocatedFile> {
  const schemaDir = schemaFile === undefined ? undefined : dirname(resolve(schemaFile));
  const global = globalFolders({ cwd, home: resolve(home), named: env.SCHEMAKIT_HOME });
  const places: Places = { schemaDir, cwd: resolve(cwd), home: resolve(home), global, approved };
  const { path } = resource.file;
  if (path.split(/[\\/]/).includes('..') || path.includes('\0')) {
    const message = `The path ${JSON.stringify(path)} of resource ${resource.name} leads out of its folder`;
    return refused(resource, message, 'Write a path without "..".');
  }
  const candidates = candidatesOf(resource.file, places);
  for (const candidate of candidates) {
    const file = await realFile(candidate);
    if (file === undefined) continue;
    if (approved || (await isWithin(file, allowedFolders(places)))) return { ok: true, file };
    const message = `Resource ${resource.name} is outside of the folders that its schema may read: ${candidate}`;
    return refused(resource, message, hintOf(resource.file, places));
  }
  const where =
    candidates.length === 0
      ? 'The schema has no file that it could be beside.'
      : `Looked for it at ${candidates.join(', ')}.`;
  const message = `Failed to open ${words[resource.kind]} "${path}": there is no such file. ${where}`;
  return {
    ok: false,
    finding: resourceCallFinding('FILE_MISSING', resource.name, message, hintOf(resource.file, places)),
  };
}

const words = { sqlite: 'database', markdown: 'document' } as const;

function refused(resource: { name: string }, message: string, hint: string | undefined): LocatedFile {
  return { ok: false, finding: resourceCallFinding('FILE_REFUSED', resource.name, message, hint) };
}

function candidatesOf({ path, origin }: ResourceFile, places: Places): string[] {
  const { schemaDir, cwd, home, global, approved } = places;
  if (/^~[\\/]/.test(path)) return [join(home, path.slice(2))];
  if (isAbsolute(path)) return [path];
  const besides = schemaDir === undefined ? [] : [schemaDir];
  const folders = {
    inline: besides.flatMap((folder) => [...resourceFolders.map((name) => join(folder, name)), folder]),
    project: resourceFoldersIn(cwd),
    global,
    none: approved ? [...besides, cwd] : besides,
  };
  return [...new Set(folders[origin ?? 'none'].map((folder) => join(folder, path)))];
}

function resourceFoldersIn(folder: string): string[] {
  return baseFolders.flatMap((base) => resourceFolders.map((name) => join(folder, base, name)));
}

/** A folder that the user named stands for `.schemakit` in the home. Who names one has no older folder beside it. */
function globalFolders({ cwd, home, named }: { cwd: string; home: string; named: string | undefined }): string[] {
  if (named === undefined || named === '') return resourceFoldersIn(home);
  const folder = resolve(cwd, /^~(?=$|[/\\])/.test(named) ? join(home, named.slice(1)) : named);
  return resourceFolders.map((name) => join(folder, name));
}

function allowedFolders({ schemaDir, cwd, global }: Places): string[] {
  return [...(schemaDir === undefined ? [] : [schemaDir]), ...resourceFoldersIn(cwd), ...global];
}

/** Where the file could be put. */
function hintOf(file: ResourceFile, places: Places): string | undefined {
  const isElsewhere = !places.approved && (isAbsolute(file.path) || file.path.startsWith('~'));
  const [first] = candidatesOf(isElsewhere ? { path: basename(file.path), origin: 'global' } : file, places);
  return first === undefined ? undefined : `Put the file at ${first}.`;
}

async function realFile(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isFile() ? await realpath(path) : undefined;
  } catch {
    return undefined; // Not there, or not for us to see: the next place may have it.
  }
}

async function isWithin(file: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    const real = await realpath(folder).catch(() => folder);
    const path = relative(real, file);
    if (path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)) return true;
  }
  return false;
}

/**
 * A warning for each resource whose file is in none of its places, or where its schema may not read. It says where the file
 * was looked for: a file may still come, since it is looked for again at each call. Documents on the web are not asked for.
 */
export async function findMissingFiles(
  resources: Iterable<Resource>,
  { schemaFile, cwd, home, env, approved }: LocateOptions,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const resource of resources) {
    if (resource.kind === 'http') continue;
    const located = await locateFile(resource, { schemaFile, cwd, home, env, approved });
    if (located.ok) continue;
    const { message, hint } = located.finding;
    const path = childPath('main.resources', resource.name);
    findings.push(ruleFinding('RES020', path, message, hint === undefined ? {} : { hint }));
  }
  return findings;
}
