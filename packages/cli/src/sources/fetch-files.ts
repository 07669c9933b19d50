import { hash } from 'node:crypto';
import { copyFile, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Finding } from '@schemakit/core';
import { makeFolder } from '../settings/make-folder.ts';
import { type CheckedModule, checkSchemas } from './check-schemas.ts';
import { inParallel } from './in-parallel.ts';
import { pathCollisions } from './path-problem.ts';
import { changeOf, type FetchedFile, type GatheredFiles, lookAt } from './plan-changes.ts';
import type { OfferedFile } from './read-registry.ts';
import { type Outcome, refuse, sourceFinding } from './source-codes.ts';
import { progressOf, type SourceSettings } from './source-options.ts';
import type { SourceState } from './source-state.ts';
import type { FileAnswer, SourceTree } from './source-tree.ts';

export interface FetchContext extends Pick<SourceSettings, 'limits' | 'signal' | 'onProgress'> {
  source: SourceTree;
  /** The folder of the source. */
  folder: string;
  /** The folder in which the files are put together as they will be. */
  staging: string;
  state: SourceState | undefined;
}

/** Requests at a time. */
const atOnce = 8;
/** After so many files that could not be fetched, the source is taken to be out of order. */
const maxFailures = 25;

/**
 * Fetches the files of a source and the files that its schemas refer to into the staging folder, and loads the schemas there. A
 * file that was edited here takes part as it is.
 */
export async function gatherFiles(context: FetchContext): Promise<Outcome<GatheredFiles>> {
  const { source, staging, limits } = context;
  makeFolder(staging);
  // Files that an earlier attempt fetched stay where their hashes can be compared.
  await removeFiles(staging, new Set(source.files.flatMap(({ path, sha256 }) => (sha256 === undefined ? [] : path))));
  const first = await fetchFiles(source.files, context);
  if (!first.ok) return first;
  const { files, failed } = first.value;
  const candidates = files.filter(({ kind }) => kind === 'schema' || kind === 'module').map(({ path }) => path);
  const modules = await checkSchemas(candidates.sort(), context);
  const wanted = referencesOf(modules, source.files);
  if (wanted.length + source.files.length > limits.files) {
    return refuse('SRC006', `the source has more than ${limits.files} files with those that its schemas refer to`);
  }
  const second = await fetchFiles(wanted, context);
  if (!second.ok) return second;
  // What the source does not have may come from elsewhere; the schema's own check speaks of it.
  for (const [path, finding] of second.value.failed) if (!second.value.missing.has(path)) failed.set(path, finding);
  const found = new Set(second.value.files.map(({ path }) => path));
  const incomplete = modules.filter(({ references }) => references.some((path) => found.has(path)));
  const paths = incomplete.map(({ path }) => path);
  const again = await checkSchemas(paths, context);
  const checked = [...new Map([...modules, ...again].map((module) => [module.path, module])).values()];
  return {
    ok: true,
    value: { files: withKinds([...files, ...second.value.files], checked), modules: checked, failed },
  };
}

/** Removes files below a folder, and folders in which nothing is left. */
export async function removeFiles(folder: string, kept: ReadonlySet<string>): Promise<void> {
  const keptPaths = new Set([...kept].map((path) => join(folder, path)));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  // The deepest first, so that folders are empty when it is their turn.
  for (const entry of entries.reverse()) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory())
      await rmdir(path).catch(() => {}); // Something is kept in it.
    else if (!keptPaths.has(path)) await rm(path);
  }
}

/** Files that schemas refer to and that the source did not offer by itself. */
function referencesOf(modules: readonly CheckedModule[], offered: readonly OfferedFile[]): OfferedFile[] {
  const known = new Set(offered.map(({ path }) => path));
  const wanted = new Set(modules.flatMap(({ references }) => references).filter((path) => !known.has(path)));
  const collisions = pathCollisions([...known, ...wanted]);
  return [...wanted].filter((path) => !collisions.has(path)).map((path) => ({ path, kind: 'file' }));
}

/** A skill is a module as well: one that a schema refers to comes with it, and is no schema. */
function withKinds(files: readonly FetchedFile[], modules: readonly CheckedModule[]): FetchedFile[] {
  const schemas = modules.filter(({ isSchema }) => isSchema);
  const referenced = new Set(schemas.flatMap(({ references }) => references));
  for (const { path } of schemas) referenced.delete(path);
  return files.map((file) => (file.kind === 'module' && referenced.has(file.path) ? { ...file, kind: 'file' } : file));
}

interface Fetched {
  files: FetchedFile[];
  /** Why a file could not be fetched, by path. */
  failed: Map<string, Finding>;
  /** Those among them that the source does not have. */
  missing: Set<string>;
}

async function fetchFiles(offered: readonly OfferedFile[], context: FetchContext): Promise<Outcome<Fetched>> {
  const { signal, limits, onProgress } = context;
  const result: Fetched = { files: [], failed: new Map(), missing: new Set() };
  const { files, failed, missing } = result;
  const tell = progressOf('fetch', { total: offered.length, onProgress });
  let bytes = 0;
  let fatal: Outcome<never> | undefined;
  await inParallel(offered, { atOnce }, async (file) => {
    signal.throwIfAborted();
    if (fatal !== undefined) return;
    const fetched = await fetchFile(file, context);
    if (fetched.status === 'read') {
      bytes += fetched.bytes;
      files.push(fetched.file);
    } else {
      failed.set(file.path, { ...fetched.finding, path: file.path });
      if (fetched.status === 'missing') missing.add(file.path);
    }
    if (bytes > limits.totalBytes) {
      const message = `the source has more than ${limits.totalBytes} bytes, the most that is taken`;
      fatal = refuse('SRC006', message, { hint: 'Import a part of it.' });
    } else if (failed.size - missing.size > maxFailures) {
      const [reason] = failed.values();
      fatal = refuse('SRC002', `${failed.size} files could not be fetched, so the rest was not asked for`, {
        hint: `The first reason: ${reason?.message ?? 'unknown'}`,
      });
    }
    tell(file.path);
  });
  return fatal ?? { ok: true, value: result };
}

/** Puts a file into the staging folder: as it is here where that is what the source has, or where it was edited. */
async function fetchFile(
  offered: OfferedFile,
  context: FetchContext,
): Promise<{ status: 'read'; file: FetchedFile; bytes: number } | Exclude<FileAnswer, { status: 'read' }>> {
  const { source, folder, staging, state, limits } = context;
  const { path, sha256 } = offered;
  const target = join(staging, path);
  makeFolder(dirname(target));
  const local = await lookAt(folder, path);
  const isWritten = local.is === 'file' && sha256 !== undefined && state?.files.get(path)?.sha256 === sha256;
  if (isWritten) {
    await copyFile(join(folder, path), target);
    return { status: 'read', file: { ...offered, sha256, local }, bytes: 0 };
  }
  const staged = sha256 === undefined ? undefined : await readFile(target).catch(() => undefined);
  const isStaged = staged !== undefined && hash('sha256', staged) === sha256;
  // Another version must not take part in the check.
  if (!isStaged) await rm(target, { force: true });
  const answer = isStaged ? { status: 'read' as const, bytes: staged } : await source.read(path);
  if (answer.status !== 'read') return answer;
  const { bytes } = answer;
  if (bytes.length > limits.fileBytes) {
    const message = `${path} has ${bytes.length} bytes; ${limits.fileBytes} are the most that is taken`;
    return { status: 'failed', finding: sourceFinding('SRC006', message) };
  }
  const found = hash('sha256', bytes);
  if (sha256 !== undefined && sha256 !== found) {
    const message = `${path} is not the file that the source notes: expected sha256 ${sha256}, found ${found}`;
    const hint = 'The registry or the file is out of date, or the file was changed. Tell whoever runs the source.';
    return { status: 'failed', finding: sourceFinding('SRC007', message, { hint }) };
  }
  const file: FetchedFile = { ...offered, sha256: found, local };
  const isEdited = local.is === 'file' && changeOf(file, state) === 'edited';
  if (isEdited) await copyFile(join(folder, path), target);
  else if (!isStaged) await writeFile(target, bytes);
  return { status: 'read', file, bytes: isStaged ? 0 : bytes.length };
}
