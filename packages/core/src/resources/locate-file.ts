import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { childPath, type Finding } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import type { DatabaseResource, MarkdownResource, Resource, ResourceFile } from '../schema/schema.ts';
import { shellWord } from '../schema/shell-word.ts';
import { resourceCallFinding } from './resource-finding.ts';

export interface LocateOptions {
  schemaFile?: string | undefined;
  /** Default: the working directory. */
  cwd?: string | undefined;
  /** Default: the user's home. */
  home?: string | undefined;
  /** `SCHEMAKIT_HOME` names the global folder. Default: the environment of the process. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whether the user or the program named the schema directly. Otherwise it reads no files of the working directory. Default true. */
  approved?: boolean | undefined;
  /** Files and folders that the schema was granted: absolute, in the home (`~/`) or in the working directory. Default none. */
  read?: readonly string[] | undefined;
}

/** `file` has its links resolved. It is absent if there is no file, or if its path is wrong. */
export type LocatedFile = { ok: true; file: string } | { ok: false; finding: Finding; file?: string };

interface SearchFolders {
  schemaDir: string | undefined;
  /** The folder of the schema file after links are resolved. */
  realDir: string | undefined;
  cwd: string;
  home: string;
  global: readonly string[];
  /** What contains `global`: the home, or the folder that `SCHEMAKIT_HOME` names. */
  globalBase: string;
  approved: boolean;
  read: readonly string[];
}

/** The folder of SchemaKit, and that of the original runtime, which users may already have. */
const baseFolders = ['.schemakit', '.flowmcp'];
const resourceFolders = ['resources', 'data'];

/**
 * Finds the file of a database or a Markdown document, in the order of docs/resources.md, "Where the file is". After links are
 * resolved, it must be in one of the folders named there, or granted. Refuses a path with `..`. Never throws.
 *
 * @returns the file with links resolved, or a finding that names every path that was tried.
 */
export async function locateFile(
  resource: DatabaseResource | MarkdownResource,
  {
    schemaFile,
    cwd = process.cwd(),
    home = homedir(),
    env = process.env,
    approved = true,
    read = [],
  }: LocateOptions = {},
): Promise<LocatedFile> {
  const schemaDir = schemaFile === undefined ? undefined : dirname(resolve(schemaFile));
  // `SCHEMAKIT_HOME` replaces `.schemakit` and `.flowmcp` in the home.
  const named = env.SCHEMAKIT_HOME || undefined;
  const globalBase = named === undefined ? resolve(home) : expanded(named, { cwd, home: resolve(home) });
  const global =
    named === undefined ? resourceFoldersIn(globalBase) : resourceFolders.map((name) => join(globalBase, name));
  const realSchema = approved && schemaFile !== undefined ? await realFile(schemaFile) : undefined;
  const realDir = realSchema === undefined ? schemaDir : dirname(realSchema);
  const places = { schemaDir, realDir, cwd: resolve(cwd), home: resolve(home), global, globalBase };
  const folders: SearchFolders = { ...places, approved, read };
  const { path } = resource.file;
  if (path.split(/[\\/]/).includes('..') || path.includes('\0')) {
    const message = `The path ${JSON.stringify(path)} of resource ${resource.name} leads out of its folder`;
    return refused(resource, message, 'Write a path without "..".');
  }
  const candidates = candidatesOf(resource.file, folders);
  for (const candidate of candidates) {
    const file = await realFile(candidate);
    if (file === undefined) continue;
    const place = file === candidate ? file : `${candidate}, a link to ${file}`;
    const hint = hintOf(resource.file, folders);
    if (systemFiles.test(file)) {
      const message = `Resource ${resource.name} is a file of the system, not one on disk: ${place}`;
      return { ...refused(resource, message, hint), file };
    }
    if (isWithin(file, await allowedFolders(resource.file, folders))) return { ok: true, file };
    const message = `Resource ${resource.name} is outside of the folders that its schema may read: ${place}`;
    const advice = `If you trust the schema with it: schemakit trust <file> --read ${shellWord(file)}; in a program, loadSchema({ filePath, grants: { read: [${JSON.stringify(file)}] } }).`;
    return { ...refused(resource, message, hint === undefined ? advice : `${hint} ${advice}`), file };
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

/** They tell about processes and the kernel: `/proc/self/environ` has the secrets of this process. */
const systemFiles = /^\/(?:proc|sys|dev(?!\/shm\/))\//;

function refused(resource: { name: string }, message: string, hint: string | undefined) {
  return { ok: false as const, finding: resourceCallFinding('FILE_REFUSED', resource.name, message, hint) };
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

function expanded(path: string, { cwd, home }: { cwd: string; home: string }): string {
  return resolve(cwd, /^~(?=$|[/\\])/.test(path) ? join(home, path.slice(1)) : path);
}

/** Real paths of the folders, and of granted files. */
async function allowedFolders({ path, origin }: ResourceFile, folders: SearchFolders): Promise<string[]> {
  const { schemaDir, realDir, cwd, home, global, globalBase, approved, read } = folders;
  const own = [
    ...[schemaDir, realDir].filter((folder) => folder !== undefined),
    ...(approved && origin === undefined && isRelative(path) ? [cwd] : []),
  ];
  const [here, there] = await Promise.all([realFolder(cwd), realFolder(home)]);
  const places = [
    ...resourceFoldersIn(cwd).map((folder) => ({ folder, base: cwd })),
    ...(approved ? resourceFoldersIn(home) : []).map((folder) => ({ folder, base: home })),
    ...global.map((folder) => ({ folder, base: globalBase })),
  ];
  const found = await Promise.all(
    places.map(async ({ folder, base }) => {
      const [real, realBase] = await Promise.all([realFolder(folder), realFolder(base)]);
      // A link in a cloned project could lead anywhere.
      return isWithin(real, [realBase]) ? [real] : [];
    }),
  );
  // Grants are real paths: a link that was made later is not what was granted.
  const granted = read.map((path) => expanded(path, { cwd: here, home: there }));
  return [...(await Promise.all(own.map(realFolder))), ...found.flat(), ...granted];
}

function realFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder);
}

function hintOf(file: ResourceFile, folders: SearchFolders): string | undefined {
  const place: ResourceFile = isRelative(file.path) ? file : { path: basename(file.path), origin: 'global' };
  const [first] = candidatesOf(place, folders);
  return first === undefined ? undefined : `Put the file at ${first}.`;
}

function isRelative(path: string): boolean {
  return !isAbsolute(path) && !/^~[\\/]/.test(path);
}

async function realFile(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isFile() ? await realpath(path) : undefined;
  } catch {
    return undefined; // Missing or not readable: try the next path.
  }
}

/** Whether a path is in one of the folders, or is named itself. */
function isWithin(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const path = relative(folder, file);
    return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
  });
}

/** A warning for each resource whose file is missing or not allowed. The file may still be added: each call looks for it again. */
export async function findMissingFiles(resources: Iterable<Resource>, options: LocateOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const resource of resources) {
    if (resource.kind === 'http') continue;
    const located = await locateFile(resource, options);
    if (located.ok) continue;
    const { message, hint } = located.finding;
    const path = childPath('main.resources', resource.name);
    findings.push(ruleFinding('RES020', path, message, hint));
  }
  return findings;
}
