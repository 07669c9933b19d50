import type { Finding } from '@schemakit/core';
import { pathCollisions, pathProblem } from './path-problem.ts';
import {
  collisionFinding,
  isRegistry,
  type ListedFile,
  quoted,
  type Registry,
  readRegistry,
  registryNames,
} from './read-registry.ts';
import type { SourceAddress } from './source-address.ts';
import { type Outcome, overLimit, sourceFinding } from './source-codes.ts';
import { sourceLimits } from './source-options.ts';
import type { SourceState, Validators } from './source-state.ts';

/** The content of a file, or the error. `missing`: the source does not have it. */
export type FileAnswer = { status: 'read'; bytes: Uint8Array } | { status: 'missing' | 'failed'; finding: Finding };

/** The files of a source of any type, with the state to store. */
export interface SourceTree extends Pick<SourceState, 'address' | 'revision' | 'registry' | 'validators'> {
  name: string;
  files: readonly ListedFile[];
  refused: readonly string[];
  findings: readonly Finding[];
  /** Reads a file at a checked path, listed in `files` or not. Never throws. */
  read(path: string): Promise<FileAnswer>;
}

export interface TreeEntry {
  kind: 'file' | 'link' | 'other';
  bytes: number;
}

export interface ListedTree {
  /** A commit; null if there is none. */
  revision: string | null;
  entries: ReadonlyMap<string, TreeEntry>;
  /** The contents of files; omits unreadable ones. */
  read(paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
}

/** Selects the files to import: those in the registry, or every module if there is none; and all shared lists. */
export async function chooseFiles(
  tree: ListedTree,
  {
    address,
    path = '',
    name,
    validators = {},
  }: { address: SourceAddress; path?: string | undefined; name: string; validators?: Validators },
): Promise<Outcome<SourceTree>> {
  const top = path === '' ? '' : `${path}/`;
  const found = await findRegistry(tree, top);
  if (found !== undefined && !found.ok) return found;
  const registry = found?.value;
  const base = registry === undefined || registry.baseDir === '' ? top : `${top}${registry.baseDir}/`;
  const below: Subtree = { tree, base };
  const present = presentFiles(below);
  const listed = new Set(registry?.files.map((file) => file.path));
  // The registry may omit lists.
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
interface Subtree {
  tree: ListedTree;
  /** Empty, or with a slash at its end. */
  base: string;
}

async function findRegistry(tree: ListedTree, top: string): Promise<Outcome<Registry> | undefined> {
  for (const registryName of registryNames) {
    const place = `${top}${registryName}`;
    const entry = tree.entries.get(place);
    if (entry?.kind !== 'file' || entry.bytes > sourceLimits.registryBytes) continue;
    const text = new TextDecoder().decode((await tree.read([place])).get(place));
    if (isRegistry(text)) return readRegistry(text, place);
  }
  return undefined;
}

/** The modules and lists below a folder of the tree, and errors for the refused ones. */
function presentFiles(below: Subtree): Pick<SourceTree, 'files' | 'refused' | 'findings'> {
  const { tree, base } = below;
  const files = new Map<string, ListedFile>();
  const refused: string[] = [];
  const findings: Finding[] = [];
  const entries = [...tree.entries].filter(([place]) => place.startsWith(base)).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [place, entry] of entries) {
    const path = place.slice(base.length);
    const kind = kindOf(path);
    const problem = kind === undefined ? undefined : entryProblem(below, path);
    if (problem !== undefined) {
      refused.push(path);
      findings.push(problem);
    } else if (kind !== undefined) files.set(path, { path, kind });
    else if (entry.kind !== 'file' && !isIgnored(path)) {
      const message = `${quoted(path)} is not a regular file and was skipped`;
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

/** Classifies a file by its path; undefined if it is irrelevant. Includes misspelt extensions, which are refused later. */
function kindOf(path: string): 'module' | 'list' | undefined {
  if (!/\.mjs/i.test(path) && !path.endsWith('/_registry.json') && path !== '_registry.json') return undefined;
  if (/(^|\/)_lists\/[^/]+$/.test(path) && !isIgnored(path.replace(/(^|\/)_lists\/([^/]+)$/, '$1$2'))) return 'list';
  return isIgnored(path) || !/\.mjs/i.test(path) ? undefined : 'module';
}

/** Hidden files, installed packages, and files in folders that begin with `_`. */
function isIgnored(path: string): boolean {
  return path.split('/').some((part) => /^(_|\.[^.]|node_modules$)/i.test(part));
}

function entryProblem({ tree, base }: Subtree, path: string): Finding | undefined {
  const problem =
    pathProblem(path) ?? (/\.(mjs|json)$/.test(path) || !/\.mjs/i.test(path) ? undefined : 'does not end in .mjs');
  if (problem !== undefined) return sourceFinding('SRC004', `the path ${quoted(path)} ${problem}`);
  const entry = tree.entries.get(`${base}${path}`);
  if (entry === undefined) return undefined;
  if (entry.kind !== 'file') {
    const message = `${path} is ${entry.kind === 'link' ? 'a link' : 'not a regular file'}`;
    return sourceFinding('SRC005', message, { hint: 'Replace it with the file itself.' });
  }
  if (entry.bytes <= sourceLimits.fileBytes) return undefined;
  return overLimit(path, { size: entry.bytes, limit: sourceLimits.fileBytes });
}

function absent(path: string): FileAnswer {
  const hint = 'The registry lists it, or a schema refers to it.';
  return { status: 'missing', finding: sourceFinding('SRC002', `the source has no file ${path}`, { hint }) };
}

/** Checks the limits before anything is read. */
function sizeProblem(files: readonly ListedFile[], { tree, base }: Subtree): Finding | undefined {
  const bytes = files.reduce((sum, { path }) => sum + (tree.entries.get(`${base}${path}`)?.bytes ?? 0), 0);
  const hint = 'Import one of its folders.';
  if (files.length > sourceLimits.files) {
    return overLimit('the source', { size: files.length, limit: sourceLimits.files, unit: 'files', hint });
  }
  return bytes > sourceLimits.totalBytes
    ? overLimit('the source', { size: bytes, limit: sourceLimits.totalBytes, hint })
    : undefined;
}
