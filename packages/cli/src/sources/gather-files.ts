import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Finding } from '@schemakit/core';
import { makeFolder } from '../make-folder.ts';
import { type CheckedModule, checkSchemas } from './check-schemas.ts';
import { type FetchContext, type FetchedFile, fetchFiles } from './fetch-files.ts';
import type { OfferedFile } from './offer.ts';
import { pathCollisions } from './path-problem.ts';
import { changeOf } from './plan-changes.ts';
import { sourceFinding } from './source-codes.ts';

/** All files of a source, and its modules as they load with each other. */
export interface GatheredFiles {
  files: FetchedFile[];
  modules: CheckedModule[];
  /** Why a file could not be fetched, by path. */
  failed: Map<string, Finding>;
}

export type Gathering = { ok: true; gathered: GatheredFiles } | { ok: false; finding: Finding };

/**
 * Fetches the files of a source and the files that its schemas refer to, puts them together in the staging folder as they will
 * be, and loads the schemas there. A file that was edited here takes part as it is.
 */
export async function gatherFiles(context: FetchContext): Promise<Gathering> {
  const { offer } = context;
  const first = await fetchFiles(offer.files, context);
  if (first.fatal !== undefined) return { ok: false, finding: first.fatal };
  await assemble(first.files, context);
  const paths = first.files.filter(({ kind }) => kind === 'schema' || kind === 'module').map(({ path }) => path);
  const modules = await check(paths.sort(), context);
  const { files, failed } = first;
  const wanted = referencesOf(modules, offer.files);
  if (wanted.length === 0) return { ok: true, gathered: { files: withKinds(files, modules), modules, failed } };
  if (wanted.length + offer.files.length > context.limits.files) {
    const message = `the source has more than ${context.limits.files} files with those that its schemas refer to`;
    return { ok: false, finding: sourceFinding('SRC006', message) };
  }
  const second = await fetchFiles(wanted, context);
  if (second.fatal !== undefined) return { ok: false, finding: second.fatal };
  await assemble(second.files, context);
  // What the source does not have may come from elsewhere; the schema's own check speaks of it.
  for (const [path, finding] of second.failed) if (!second.missing.has(path)) failed.set(path, finding);
  const found = new Set(second.files.map(({ path }) => path));
  const again = modules.filter(({ references }) => references.some((path) => found.has(path)));
  const checked = new Map(
    (
      await check(
        again.map(({ path }) => path),
        context,
      )
    ).map((module) => [module.path, module]),
  );
  const allModules = modules.map((module) => checked.get(module.path) ?? module);
  const all = withKinds([...files, ...second.files], allModules);
  return { ok: true, gathered: { files: all, modules: allModules, failed } };
}

/** A skill is a module as well: one that a schema refers to comes with it, and is no schema. */
function withKinds(files: readonly FetchedFile[], modules: readonly CheckedModule[]): FetchedFile[] {
  const schemas = modules.filter(({ isSchema }) => isSchema);
  const referenced = new Set(schemas.flatMap(({ references }) => references));
  for (const { path } of schemas) referenced.delete(path);
  return files.map((file) => (file.kind === 'module' && referenced.has(file.path) ? { ...file, kind: 'file' } : file));
}

function check(
  paths: readonly string[],
  { staging, folder, signal, onProgress }: FetchContext,
): Promise<CheckedModule[]> {
  return checkSchemas(paths, { tree: staging.tree, folder, signal, onProgress });
}

/** Files that schemas refer to and that the source did not offer by itself. */
function referencesOf(modules: readonly CheckedModule[], offered: readonly OfferedFile[]): OfferedFile[] {
  const known = new Set(offered.map(({ path }) => path));
  const wanted = new Set(modules.flatMap(({ references }) => references).filter((path) => !known.has(path)));
  const collisions = pathCollisions([...known, ...wanted]);
  return [...wanted].filter((path) => !collisions.has(path)).map((path) => ({ path, kind: 'file' }));
}

async function assemble(files: readonly FetchedFile[], { folder, state, staging }: FetchContext): Promise<void> {
  for (const file of files) {
    const { path, sha256, isStaged, local } = file;
    const isEdited = local.is === 'file' && changeOf(file, state) === 'edited';
    if (!isStaged && local.is !== 'file') continue;
    const target = join(staging.tree, path);
    makeFolder(dirname(target));
    await copyFile(isStaged && !isEdited ? staging.fileOf(sha256) : join(folder, path), target);
  }
}
