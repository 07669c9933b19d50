import { hash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '@schemakit/core';
import type { CheckedModule } from './check-schemas.ts';
import { readRegular } from './folder-tree.ts';
import type { OfferedFile } from './read-registry.ts';
import { sourceFinding } from './source-codes.ts';
import type { SourceFile, SourceState } from './source-state.ts';
import type { SourceTree } from './source-tree.ts';

/** A file as it is here. `other`: a link, a folder, or in a folder that is a link. Nothing is written there. */
export type LocalFile = { is: 'absent' } | { is: 'other' } | { is: 'file'; sha256: string };

/** Looks at a file below the folder of a source, without following links. */
export async function lookAt(folder: string, path: string): Promise<LocalFile> {
  const names = path.split('/');
  for (const [index] of names.entries()) {
    const info = await lstat(join(folder, ...names.slice(0, index))).catch(() => undefined);
    if (info === undefined) return { is: 'absent' };
    if (!info.isDirectory()) return { is: 'other' };
  }
  const info = await lstat(join(folder, path)).catch(() => undefined);
  if (info === undefined) return { is: 'absent' };
  const bytes = info.isFile() ? await readRegular(join(folder, path)) : undefined;
  return bytes === undefined ? { is: 'other' } : { is: 'file', sha256: hash('sha256', bytes) };
}

/** A file as the source has it now, and as it is here. */
export interface FetchedFile extends OfferedFile {
  sha256: string;
  local: LocalFile;
}

/** All files of a source, and its modules as they load with each other. */
export interface GatheredFiles {
  files: FetchedFile[];
  modules: CheckedModule[];
  /** Why a file could not be fetched, by path. */
  failed: Map<string, Finding>;
}

/** What becomes of each file; paths below the folder of the source, sorted. Each stands in one of them. */
export interface SourceChanges {
  /** New here, or missing here. */
  added: string[];
  /** Replaced by a newer version. */
  changed: string[];
  /** No longer in the source; kept here. */
  removed: string[];
  /** Edited here; kept as it is. */
  edited: string[];
  unchanged: string[];
  /** Refused, not to be had, or not a schema that loads; what was here before stays. */
  failed: string[];
}

export interface ChangePlan {
  changes: SourceChanges;
  /** Why files may not be written, and which were left alone. */
  findings: Finding[];
  /** What to note once the changes are in place. */
  after: SourceState;
}

/** Decides what becomes of each file, and says why some may not be written. */
export async function planChanges(
  { files, modules, failed }: GatheredFiles,
  { source, state, folder }: { source: SourceTree; state: SourceState | undefined; folder: string },
): Promise<ChangePlan> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const edited = new Set(files.filter((file) => changeOf(file, state) === 'edited').map(({ path }) => path));
  // In a folder without a registry, modules may be anything; a file that was edited here is its editor's own.
  const notEdited = modules.filter(({ path }) => !edited.has(path));
  const bad = notEdited.filter(({ path, isSchema, status }) =>
    isSchema ? !status : byPath.get(path)?.kind === 'schema',
  );
  for (const { path, isSchema } of notEdited) {
    if (!isSchema && byPath.get(path)?.kind === 'module') byPath.delete(path);
  }
  const blamed = bad.flatMap((module) => [module.path, ...module.blamed]).filter((path) => !edited.has(path));
  const refused = new Set([...source.refused, ...failed.keys(), ...blamed]);

  const changes: SourceChanges = {
    ...{ added: [], changed: [], removed: [], edited: [], unchanged: [] },
    failed: [...refused],
  };
  for (const file of byPath.values()) if (!refused.has(file.path)) changes[changeOf(file, state)].push(file.path);
  for (const [path, { kind }] of state?.files ?? []) {
    if (byPath.has(path) || refused.has(path) || (await lookAt(folder, path)).is === 'absent') continue;
    // A schema that failed does not say which files it refers to.
    changes[bad.length > 0 && kind === 'file' ? 'unchanged' : 'removed'].push(path);
  }
  for (const paths of Object.values(changes)) paths.sort();

  const outdated = changes.edited.filter((path) => state?.files.get(path)?.sha256 !== byPath.get(path)?.sha256);
  const gone = changes.removed.filter((path) => state?.files.get(path)?.removed !== true);
  const reasons = bad.flatMap(({ findings }) => findings.filter(({ severity }) => severity === 'error'));
  return {
    changes,
    findings: [
      ...source.findings,
      ...failed.values(),
      ...new Map(reasons.map((finding) => [JSON.stringify(finding), finding])).values(),
      ...outdated.map((path) => {
        const message = `${path} was edited here, and the source has another version; yours was kept`;
        const hint = 'To take the version of the source, remove the file and update again.';
        return sourceFinding('SRC011', message, { file: join(folder, path), hint });
      }),
      ...gone.map((path) => {
        const message = `${path} is no longer in the source; it was kept`;
        return sourceFinding('SRC012', message, {
          file: join(folder, path),
          hint: 'Remove the file if you do not need it.',
        });
      }),
    ],
    after: stateAfter(changes, {
      ...{ source, state, byPath },
      isComplete: refused.size === 0 && outdated.length === 0,
    }),
  };
}

/** A file is edited where it is neither the one that was written last nor the one that the source has now. */
export function changeOf(
  { path, sha256, local }: FetchedFile,
  state: SourceState | undefined,
): 'added' | 'changed' | 'edited' | 'unchanged' {
  if (local.is === 'absent') return 'added';
  if (local.is === 'other') return 'edited';
  if (local.sha256 === sha256) return 'unchanged';
  const written = [state?.files.get(path)?.sha256, ...(state?.pending.get(path) ?? [])];
  return written.includes(local.sha256) ? 'changed' : 'edited';
}

interface StateContext {
  source: SourceTree;
  state: SourceState | undefined;
  byPath: ReadonlyMap<string, FetchedFile>;
  isComplete: boolean;
}

function stateAfter(
  { added, changed, unchanged, edited, failed, removed }: SourceChanges,
  { source: { address, revision, registry, validators }, state, byPath, isComplete }: StateContext,
): SourceState {
  const now = new Date().toISOString();
  const files = new Map<string, SourceFile>();
  for (const path of [...added, ...changed, ...unchanged]) {
    const file = byPath.get(path);
    if (file) files.set(path, { kind: file.kind === 'module' ? 'schema' : file.kind, sha256: file.sha256 });
  }
  const untouched = new Set([...unchanged, ...edited, ...failed]);
  for (const [path, earlier] of state?.files ?? []) {
    if (files.has(path)) continue;
    if (untouched.has(path)) files.set(path, earlier);
    else if (removed.includes(path)) files.set(path, { ...earlier, removed: true });
  }
  return {
    ...{ address, revision, validators, isComplete, files, registry },
    importedAt: state?.importedAt ?? now,
    updatedAt: added.length + changed.length > 0 ? now : (state?.updatedAt ?? now),
    pending: new Map(),
  };
}
