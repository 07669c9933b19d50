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
import type { SourceState, Validators } from './source-state.ts';

/** The content of a file, or why there is none. `missing`: the source does not have it. */
export type FileAnswer = { status: 'read'; bytes: Uint8Array } | { status: 'missing' | 'failed'; finding: Finding };

/** The files of a source at one moment, whatever its kind, with what to note about it. */
export interface SourceTree extends Pick<SourceState, 'address' | 'revision' | 'registry' | 'validators'> {
  /** A name that the source suggests for itself; it may be any text. */
  name: string;
  files: readonly OfferedFile[];
  /** Paths that are refused, as the source has them. */
  refused: readonly string[];
  /** Why they are. */
  findings: readonly Finding[];
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
  const listed = new Set(registry?.files.map((file) => file.path));
  // The registry may have forgotten lists.
  const lists = present.files.filter((file) => file.kind === 'list' && !listed.has(file.path));
  const { files, refused, findings } =
    registry === undefined ? present : { ...registry, files: [...registry.files, ...lists] };
  const tooLarge = sizeProblem(files, below);
  if (tooLarge !== undefined) return { ok: false, finding: tooLarge };
  const read = (paths: readonly string[]) => {
    const usable = paths.filter((name) => tree.entries.has(`${base}${name}`) && !entryProblem(below, name));
    return tree.read(usable.map((name) => `${base}${name}`));
  };
  const contents = await read(files.map((file) => file.path));
  return {
    ok: true,
    value: {
      ...{ files, refused, findings, address, validators },
      name: registry?.name ?? name,
      revision: tree.revision ?? registry?.version ?? null,
      registry: registry?.document ?? null,
      async read(wanted) {
        const place = `${base}${wanted}`;
        const bytes = contents.get(place) ?? (await read([wanted])).get(place);
        if (bytes !== undefined) return { status: 'read', bytes };
        const problem = entryProblem(below, wanted);
        return problem === undefined ? absent(wanted) : { status: 'failed', finding: problem };
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

/** The modules and lists below a folder of the tree, and what is wrong with those that cannot be taken. */
function presentFiles(below: Below): Pick<SourceTree, 'files' | 'refused' | 'findings'> {
  const { tree, base } = below;
  const files = new Map<string, OfferedFile>();
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
    } else if (kind !== undefined) files.set(path, { path, kind });
    else if (entry.kind !== 'file' && !isPassedOver(path)) {
      const message = `${JSON.stringify(path.slice(0, 300))} is no regular file, and is left out`;
      findings.push(sourceFinding('SRC005', message, { severity: 'warning' }));
    }
  }
  for (const [path, other] of pathCollisions(files.keys())) {
    files.delete(path);
    refused.push(path);
    findings.push(collisionFinding(path, other));
  }
  return { files: [...files.values()], refused, findings };
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
