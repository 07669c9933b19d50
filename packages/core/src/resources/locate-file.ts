import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { childPath, type Finding } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import type { DatabaseResource, MarkdownResource, Resource, ResourceFile } from '../schema/schema.ts';
import { resourceCallFinding } from './resource-finding.ts';

export interface LocateOptions {
  schemaFile?: string | undefined;
  /** Default: the working directory. */
  cwd?: string | undefined;
  /** Default: the user's home. */
  home?: string | undefined;
  /** `SCHEMAKIT_HOME` names the global folder. Default: the environment of the process. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Whether the user or the program named the schema directly. Otherwise its resources must be in its folder or in the resource
   * folders of the project and of the user, after links are resolved. Default true.
   */
  approved?: boolean | undefined;
}

export type LocatedFile = { ok: true; file: string } | { ok: false; finding: Finding };

interface SearchFolders {
  schemaDir: string | undefined;
  cwd: string;
  home: string;
  global: readonly string[];
  approved: boolean;
}

/** The folder of SchemaKit, and that of the original runtime, which users may already have. */
const baseFolders = ['.schemakit', '.flowmcp'];
const resourceFolders = ['resources', 'data'];

/**
 * Finds the file of a database or a Markdown document, in the order of docs/resources.md, "Where the file is". Refuses a path
 * with `..`. Never throws.
 *
 * @returns the file with links resolved, or a finding that names every path that was tried.
 */
export async function locateFile(
  resource: DatabaseResource | MarkdownResource,
  { schemaFile, cwd = process.cwd(), home = homedir(), env = process.env, approved = true }: LocateOptions = {},
): Promise<LocatedFile> {
  const schemaDir = schemaFile === undefined ? undefined : dirname(resolve(schemaFile));
  const global = globalFolders({ cwd, home: resolve(home), named: env.SCHEMAKIT_HOME });
  const folders: SearchFolders = { schemaDir, cwd: resolve(cwd), home: resolve(home), global, approved };
  const { path } = resource.file;
  if (path.split(/[\\/]/).includes('..') || path.includes('\0')) {
    const message = `The path ${JSON.stringify(path)} of resource ${resource.name} leads out of its folder`;
    return refused(resource, message, 'Write a path without "..".');
  }
  const candidates = candidatesOf(resource.file, folders);
  for (const candidate of candidates) {
    const file = await realFile(candidate);
    if (file === undefined) continue;
    if (approved || (await isWithin(file, allowedFolders(folders)))) return { ok: true, file };
    const message = `Resource ${resource.name} is outside of the folders that its schema may read: ${candidate}`;
    return refused(resource, message, hintOf(resource.file, folders));
  }
  const tried =
    candidates.length === 0
      ? 'It must be next to the schema file, but this schema has no file.'
      : `Looked for it at ${candidates.join(', ')}.`;
  const kind = resource.kind === 'sqlite' ? 'database' : 'document';
  const message = `Failed to open ${kind} "${path}": there is no such file. ${tried}`;
  const finding = resourceCallFinding('FILE_MISSING', resource.name, message, hintOf(resource.file, folders));
  return { ok: false, finding };
}

function refused(resource: { name: string }, message: string, hint: string | undefined): LocatedFile {
  return { ok: false, finding: resourceCallFinding('FILE_REFUSED', resource.name, message, hint) };
}

function candidatesOf({ path, origin }: ResourceFile, folders: SearchFolders): string[] {
  const { schemaDir, cwd, home, global, approved } = folders;
  if (/^~[\\/]/.test(path)) return [join(home, path.slice(2))];
  if (isAbsolute(path)) return [path];
  const nextToSchema = schemaDir === undefined ? [] : [schemaDir];
  const byOrigin = {
    inline: nextToSchema.flatMap((folder) => [...resourceFolders.map((name) => join(folder, name)), folder]),
    project: resourceFoldersIn(cwd),
    global,
    none: approved ? [...nextToSchema, cwd] : nextToSchema,
  };
  return [...new Set(byOrigin[origin ?? 'none'].map((folder) => join(folder, path)))];
}

function resourceFoldersIn(folder: string): string[] {
  return baseFolders.flatMap((base) => resourceFolders.map((name) => join(folder, base, name)));
}

/** `SCHEMAKIT_HOME` replaces `.schemakit` and `.flowmcp` in the home. */
function globalFolders({ cwd, home, named }: { cwd: string; home: string; named: string | undefined }): string[] {
  if (named === undefined || named === '') return resourceFoldersIn(home);
  const folder = resolve(cwd, /^~(?=$|[/\\])/.test(named) ? join(home, named.slice(1)) : named);
  return resourceFolders.map((name) => join(folder, name));
}

function allowedFolders({ schemaDir, cwd, global }: SearchFolders): string[] {
  return [...(schemaDir === undefined ? [] : [schemaDir]), ...resourceFoldersIn(cwd), ...global];
}

function hintOf(file: ResourceFile, folders: SearchFolders): string | undefined {
  const isOutside = !folders.approved && (isAbsolute(file.path) || file.path.startsWith('~'));
  const [first] = candidatesOf(isOutside ? { path: basename(file.path), origin: 'global' } : file, folders);
  return first === undefined ? undefined : `Put the file at ${first}.`;
}

async function realFile(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isFile() ? await realpath(path) : undefined;
  } catch {
    return undefined; // Missing or not readable: try the next path.
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

/** A warning for each resource whose file is missing or not allowed. The file may still be added: each call looks for it again. */
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
    findings.push(ruleFinding('RES020', path, message, hint));
  }
  return findings;
}
