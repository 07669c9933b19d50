import { hash } from 'node:crypto';
import { copyFile, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Finding } from '@schemakit/core';
import { makeFolder } from '../settings/make-folder.ts';
import { type CheckedModule, checkSchemas } from './check-schemas.ts';
import { inParallel } from './in-parallel.ts';
import { pathCollisions } from './path-problem.ts';
import { changeOf, type FetchedFile, type GatheredFiles, inspectFile } from './plan-changes.ts';
import type { ListedFile } from './read-registry.ts';
import { type Outcome, overLimit, refuse, sourceFinding } from './source-codes.ts';
import { progressReporter, type SourceSettings, sourceLimits } from './source-options.ts';
import type { SourceState } from './source-state.ts';
import type { FileAnswer, SourceTree } from './source-tree.ts';

export interface FetchContext extends Pick<SourceSettings, 'onProgress'> {
  source: SourceTree;
  folder: string;
  /** The folder in which the new files are assembled. */
  staging: string;
  state: SourceState | undefined;
}

const atOnce = 8;
const maxFailures = 25;

/** Fetches the files of a source, and those that its schemas refer to, into the staging folder and loads the schemas there. Locally edited files are used as they are. */
export async function gatherFiles(context: FetchContext): Promise<Outcome<GatheredFiles>> {
  const { source, staging } = context;
  makeFolder(staging);
  // Files of an interrupted attempt can be reused if their hash is known.
  await removeFiles(staging, new Set(source.files.flatMap(({ path, sha256 }) => (sha256 === undefined ? [] : path))));
  const first = await fetchFiles(source.files, context, { mayMiss: false });
  if (!first.ok) return first;
  const { files, failed } = first.value;
  const candidates = files.filter(({ kind }) => kind === 'schema' || kind === 'agent' || kind === 'module');
  const modules = await checkSchemas(candidates.sort(byPath), context);
  const wanted = referencesOf(modules, source.files);
  if (wanted.length + source.files.length > sourceLimits.files) {
    return refuse(
      'SRC006',
      `the source has more than ${sourceLimits.files} files, including those that its schemas refer to`,
    );
  }
  const second = await fetchFiles(wanted, context, { mayMiss: true });
  if (!second.ok) return second;
  // Files that the source lacks may come from elsewhere; the schema's own check reports them.
  for (const [path, finding] of second.value.failed) if (!second.value.missing.has(path)) failed.set(path, finding);
  const found = new Set(second.value.files.map(({ path }) => path));
  const incomplete = modules.filter(({ references }) => references.some((path) => found.has(path)));
  const paths = new Set(incomplete.map(({ path }) => path));
  const again = await checkSchemas(
    candidates.filter(({ path }) => paths.has(path)),
    context,
  );
  const checked = [...new Map([...modules, ...again].map((module) => [module.path, module])).values()];
  return {
    ok: true,
    value: { files: withKinds([...files, ...second.value.files], checked), modules: checked, failed },
  };
}

export async function removeFiles(folder: string, except: ReadonlySet<string>): Promise<void> {
  const exceptions = new Set([...except].map((path) => join(folder, path)));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  // Deepest first, so that folders are already empty.
  for (const entry of entries.reverse()) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory())
      await rmdir(path).catch(() => {}); // Not empty.
    else if (!exceptions.has(path)) await rm(path);
  }
}

function byPath(left: ListedFile, right: ListedFile): number {
  return left.path < right.path ? -1 : 1;
}

/** Files that schemas and agents refer to and the source does not list. */
function referencesOf(modules: readonly CheckedModule[], listed: readonly ListedFile[]): ListedFile[] {
  const known = new Set(listed.map(({ path }) => path));
  const wanted = new Set(modules.flatMap(({ references }) => references).filter((path) => !known.has(path)));
  const collisions = pathCollisions([...known, ...wanted]);
  return [...wanted].filter((path) => !collisions.has(path)).map((path) => ({ path, kind: 'file' }));
}

/** Skills are modules too: a module that a schema or an agent refers to is neither itself. */
function withKinds(files: readonly FetchedFile[], modules: readonly CheckedModule[]): FetchedFile[] {
  const owners = modules.filter(({ isSchema, isAgent }) => isSchema || isAgent);
  const referenced = new Set(owners.flatMap(({ references }) => references));
  for (const { path } of owners) referenced.delete(path);
  const agents = new Set(owners.flatMap(({ path, isAgent }) => (isAgent ? path : [])));
  return files.map((file) => {
    if (file.kind !== 'module') return file;
    if (agents.has(file.path)) return { ...file, kind: 'agent' };
    return referenced.has(file.path) ? { ...file, kind: 'file' } : file;
  });
}

interface Fetched {
  files: FetchedFile[];
  failed: Map<string, Finding>;
  /** The failed files that the source does not have. */
  missing: Set<string>;
}

/** Stops after too many failures. With `mayMiss`, files that the source does not have are none. */
async function fetchFiles(
  listed: readonly ListedFile[],
  context: FetchContext,
  { mayMiss }: { mayMiss: boolean },
): Promise<Outcome<Fetched>> {
  const { onProgress } = context;
  const result: Fetched = { files: [], failed: new Map(), missing: new Set() };
  const { files, failed, missing } = result;
  const report = progressReporter('fetch', { total: listed.length, onProgress });
  let bytes = 0;
  let fatal: Outcome<never> | undefined;
  await inParallel(listed, { atOnce }, async (file) => {
    if (fatal !== undefined) return;
    const fetched = await fetchFile(file, context);
    if (fetched.status === 'read') {
      bytes += fetched.bytes;
      files.push(fetched.file);
    } else {
      failed.set(file.path, { ...fetched.finding, path: file.path });
      if (fetched.status === 'missing') missing.add(file.path);
    }
    if (bytes > sourceLimits.totalBytes) {
      const hint = 'Import a part of it.';
      fatal = refuse('SRC006', `the source has more than ${sourceLimits.totalBytes} bytes, the limit`, { hint });
    } else if (failed.size - (mayMiss ? missing.size : 0) > maxFailures) {
      const [reason] = failed.values();
      fatal = refuse('SRC002', `stopped after ${failed.size} files could not be fetched`, {
        hint: `First error: ${reason?.message ?? 'unknown'}`,
      });
    }
    report(file.path);
  });
  return fatal ?? { ok: true, value: result };
}

/** Puts a file into the staging folder: the local one if it is up to date or edited, else that of the source. */
async function fetchFile(
  listed: ListedFile,
  context: FetchContext,
): Promise<{ status: 'read'; file: FetchedFile; bytes: number } | Exclude<FileAnswer, { status: 'read' }>> {
  const { source, folder, staging, state } = context;
  const { path, sha256 } = listed;
  const target = join(staging, path);
  makeFolder(dirname(target));
  const local = await inspectFile(folder, path);
  const isWritten = local.is === 'file' && sha256 !== undefined && state?.files.get(path)?.sha256 === sha256;
  if (isWritten) {
    await copyFile(join(folder, path), target);
    return { status: 'read', file: { ...listed, sha256, local }, bytes: 0 };
  }
  const staged = sha256 === undefined ? undefined : await readFile(target).catch(() => undefined);
  const isStaged = staged !== undefined && hash('sha256', staged) === sha256;
  // The check must not see another version.
  if (!isStaged) await rm(target, { force: true });
  const answer = isStaged ? { status: 'read' as const, bytes: staged } : await source.read(path);
  if (answer.status !== 'read') return answer;
  const { bytes } = answer;
  if (bytes.length > sourceLimits.fileBytes) {
    return { status: 'failed', finding: overLimit(path, { size: bytes.length, limit: sourceLimits.fileBytes }) };
  }
  const found = hash('sha256', bytes);
  if (sha256 !== undefined && sha256 !== found) {
    const message = `${path} does not match the registry: expected sha256 ${sha256}, found ${found}`;
    const hint = 'The registry is out of date or the file was modified. Tell the maintainer of the source.';
    return { status: 'failed', finding: sourceFinding('SRC007', message, { hint }) };
  }
  const file: FetchedFile = { ...listed, sha256: found, local };
  const isEdited = local.is === 'file' && changeOf(file, state) === 'edited';
  if (isEdited) await copyFile(join(folder, path), target);
  else if (!isStaged) await writeFile(target, bytes);
  return { status: 'read', file, bytes: isStaged ? 0 : bytes.length };
}
