import type { Finding } from '@schemakit/core';
import { pathCollisions, pathProblem } from './path-problem.ts';
import {
  collisionFinding,
  isRegistry,
  type OfferedFile,
  type Registry,
  readRegistry,
  registryNames,
} from './read-registry.ts';
import type { SourceAddress } from './source-address.ts';
import { type Outcome, sourceFinding } from './source-codes.ts';
import type { SourceLimits } from './source-options.ts';
import type { Validators } from './source-state.ts';

/** The content of a file, or why there is none. `missing`: the source does not have it. */
export type FileAnswer =
  | { status: 'read'; bytes: Uint8Array }
  | { status: 'missing'; finding: Finding }
  | { status: 'failed'; finding: Finding };

/** The files of a source at one moment, whatever its kind. */
export interface SourceTree {
  /** What to note about where it is. */
  address: SourceAddress;
  /** A name that the source suggests for itself; it may be any text. */
  name: string;
  /** A commit, or the version of a registry; null where there is none. */
  revision: string | null;
  files: readonly OfferedFile[];
  /** Paths that are refused, as the source has them. */
  refused: readonly string[];
  /** Why they are. */
  findings: readonly Finding[];
  /** The document of its registry; null where there is none. */
  registry: unknown;
  /** Of the registry or the archive. */
  validators: Validators;
  /** Reads a file; also one that is not in `files`, at a path that was checked. Never throws but for the signal. */
  read(path: string): Promise<FileAnswer>;
}

/** What stands at a path of a repository, an archive or a folder. */
export interface TreeEntry {
  kind: 'file' | 'link' | 'other';
  bytes: number;
}

/** A tree that can be listed: a repository, an archive or a folder. */
export interface ListedTree {
  /** A commit; null where there is none. */
  revision: string | null;
  /** By path as the source has it: it may lead anywhere. */
  entries: ReadonlyMap<string, TreeEntry>;
  /** The contents of files; those that cannot be read are left out. */
  read(paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
}

/**
 * The files to take from a repository, an archive or a folder: those that its registry lists, or every module where it has
 * none, and in both cases its shared lists.
 *
 * @param options.path - Folder in the tree. Default: all of it.
 * @param options.name - Name for a source without a registry.
 */
export async function chooseFiles(
  tree: ListedTree,
  {
    address,
    path = '',
    name,
    validators = {},
    limits,
  }: { address: SourceAddress; path?: string | undefined; name: string; validators?: Validators; limits: SourceLimits },
): Promise<Outcome<SourceTree>> {
  const top = path === '' ? '' : `${path}/`;
  const found = await findRegistry(tree, { top, limits });
  if (found !== undefined && !found.ok) return found;
  const registry = found?.value;
  const base = registry === undefined || registry.baseDir === '' ? top : `${top}${registry.baseDir}/`;
  const below: Below = { tree, base, limits };
  const present = presentFiles(below);
  const chosen = registry === undefined ? present : withRegistry(registry, present);
  const tooLarge = sizeProblem(chosen.files, below);
  if (tooLarge !== undefined) return { ok: false, finding: tooLarge };
  const isReadable = (path: string) => pathExists(below, path) && entryProblem(below, path) === undefined;
  const placesOf = (paths: readonly string[]) => paths.filter(isReadable).map((path) => `${base}${path}`);
  const contents = await tree.read(placesOf(chosen.files.map((file) => file.path)));
  return {
    ok: true,
    value: {
      ...chosen,
      address,
      name: registry?.name ?? name,
      revision: tree.revision ?? registry?.version ?? null,
      registry: registry?.document ?? null,
      validators,
      async read(path) {
        const place = `${base}${path}`;
        const bytes = contents.get(place) ?? (await tree.read(placesOf([path]))).get(place);
        if (bytes !== undefined) return { status: 'read', bytes };
        const problem = entryProblem(below, path);
        return problem === undefined ? absent(path) : { status: 'failed', finding: problem };
      },
    },
  };
}

/** A folder in a tree; paths are below it. */
interface Below {
  tree: ListedTree;
  /** Empty, or with a slash at its end. */
  base: string;
  limits: SourceLimits;
}

async function findRegistry(
  tree: ListedTree,
  { top, limits }: { top: string; limits: SourceLimits },
): Promise<Outcome<Registry> | undefined> {
  for (const registryName of registryNames) {
    const place = `${top}${registryName}`;
    const entry = tree.entries.get(place);
    if (entry?.kind !== 'file' || entry.bytes > limits.registryBytes) continue;
    const text = new TextDecoder().decode((await tree.read([place])).get(place));
    if (isRegistry(text)) return readRegistry(text, { place, limits });
  }
  return undefined;
}

type Chosen = Pick<SourceTree, 'files' | 'refused' | 'findings'>;

/** The files that the registry lists, with the lists that it forgot. */
function withRegistry({ files, refused, findings }: Registry, present: Chosen): Chosen {
  const listed = new Set(files.map(({ path }) => path));
  const lists = present.files.filter(({ path, kind }) => kind === 'list' && !listed.has(path));
  return { files: [...files, ...lists], refused, findings };
}

/** The modules and lists below a folder of the tree, and what is wrong with those that cannot be taken. */
function presentFiles(below: Below): Chosen {
  const { tree, base } = below;
  const files: OfferedFile[] = [];
  const refused: string[] = [];
  const findings: Finding[] = [];
  const places = [...tree.entries].filter(([place]) => place.startsWith(base)).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [place, entry] of places) {
    const path = place.slice(base.length);
    const kind = kindOf(path);
    const problem = kind === undefined ? undefined : entryProblem(below, path);
    if (problem !== undefined) {
      refused.push(path);
      findings.push(problem);
    } else if (kind !== undefined) files.push({ path, kind });
    else if (entry.kind !== 'file' && !isPassedOver(path)) findings.push(linkLeftOut(path));
  }
  const collisions = pathCollisions(files.map(({ path }) => path));
  return {
    files: files.filter(({ path }) => !collisions.has(path)),
    refused: [...refused, ...collisions.keys()],
    findings: [...findings, ...[...collisions].map(([path, other]) => collisionFinding(path, other))],
  };
}

/** What a file may be, by its path; undefined for one that is of no interest. A name that only looks like a module is looked at too. */
function kindOf(path: string): 'module' | 'list' | undefined {
  if (!/\.mjs/i.test(path) && !path.endsWith('/_registry.json') && path !== '_registry.json') return undefined;
  if (/(^|\/)_lists\/[^/]+$/.test(path) && !isPassedOver(path.replace(/(^|\/)_lists\/([^/]+)$/, '$1$2'))) return 'list';
  return isPassedOver(path) || !/\.mjs/i.test(path) ? undefined : 'module';
}

/** Hidden files, installed packages, and what stands in folders for other things than schemas. */
function isPassedOver(path: string): boolean {
  return path.split('/').some((part) => /^(_|\.[^.]|node_modules$)/i.test(part));
}

function pathExists({ tree, base }: Below, path: string): boolean {
  return tree.entries.has(`${base}${path}`);
}

function entryProblem({ tree, base, limits }: Below, path: string): Finding | undefined {
  const problem =
    pathProblem(path) ?? (/\.(mjs|json)$/.test(path) || !/\.mjs/i.test(path) ? undefined : 'does not end in .mjs');
  if (problem !== undefined)
    return sourceFinding('SRC004', `the path ${JSON.stringify(path.slice(0, 300))} ${problem}`);
  const entry = tree.entries.get(`${base}${path}`);
  if (entry === undefined) return undefined;
  if (entry.kind !== 'file') {
    const message = `${path} is ${entry.kind === 'link' ? 'a link' : 'no regular file'}`;
    return sourceFinding('SRC005', message, { hint: 'Put the file itself in its place.' });
  }
  if (entry.bytes <= limits.fileBytes) return undefined;
  return sourceFinding('SRC006', `${path} has ${entry.bytes} bytes; ${limits.fileBytes} are the most that is taken`);
}

function linkLeftOut(path: string): Finding {
  const message = `${JSON.stringify(path.slice(0, 300))} is no regular file, and is left out`;
  return sourceFinding('SRC005', message, { severity: 'warning' });
}

function absent(path: string): FileAnswer {
  const hint = 'The registry of the source lists it, or a schema refers to it.';
  return { status: 'missing', finding: sourceFinding('SRC002', `there is no file ${path} in the source`, { hint }) };
}

/** Before anything is read. */
function sizeProblem(files: readonly OfferedFile[], { tree, base, limits }: Below): Finding | undefined {
  const bytes = files.reduce((sum, { path }) => sum + (tree.entries.get(`${base}${path}`)?.bytes ?? 0), 0);
  const hint = 'Name one of its folders.';
  if (files.length > limits.files) {
    const message = `the source has ${files.length} files; ${limits.files} are the most that are taken`;
    return sourceFinding('SRC006', message, { hint });
  }
  if (bytes <= limits.totalBytes) return undefined;
  const message = `the source has ${bytes} bytes; ${limits.totalBytes} are the most that are taken`;
  return sourceFinding('SRC006', message, { hint });
}
