import { hash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '@schemakit/core';
import type { CheckedModule } from './check-schemas.ts';
import { readRegular } from './folder-tree.ts';
import type { ListedFile } from './read-registry.ts';
import { sourceFinding } from './source-codes.ts';
import type { SourceFile, SourceState } from './source-state.ts';
import type { SourceTree } from './source-tree.ts';

/** A local file. `other`: a link, a folder, or below a link; nothing is written there. */
export type LocalFile = { is: 'absent' } | { is: 'other' } | { is: 'file'; sha256: string };

export async function inspectFile(folder: string, path: string): Promise<LocalFile> {
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

export interface FetchedFile extends ListedFile {
  sha256: string;
  local: LocalFile;
}

export interface GatheredFiles {
  files: FetchedFile[];
  modules: CheckedModule[];
  failed: Map<string, Finding>;
}

/** What happens to each file. Sorted paths below the folder of the source, each in one list. */
export interface SourceChanges {
  added: string[];
  changed: string[];
  /** Removed from the source; kept locally. */
  removed: string[];
  edited: string[];
  unchanged: string[];
  /** Refused, not fetched, or not loadable; the local version stays. */
  failed: string[];
}

export interface ChangePlan {
  changes: SourceChanges;
  findings: Finding[];
  after: SourceState;
}

export async function planChanges(
  { files, modules, failed }: GatheredFiles,
  { source, state, folder }: { source: SourceTree; state: SourceState | undefined; folder: string },
): Promise<ChangePlan> {
  const { address, revision, registry, validators } = source;
  const byPath = new Map(files.map((file) => [file.path, file]));
  const edited = new Set(files.filter((file) => changeOf(file, state) === 'edited').map(({ path }) => path));
  // Without a registry, a module need not be a schema; locally edited files are the user's business.
  const notEdited = modules.filter(({ path }) => !edited.has(path));
  const bad = notEdited.filter(({ path, isSchema, isAgent, status }) =>
    isSchema || isAgent ? !status : byPath.get(path)?.kind === 'schema',
  );
  for (const { path, isSchema } of notEdited) {
    if (!isSchema && byPath.get(path)?.kind === 'module') byPath.delete(path);
  }
  const brokenFiles = bad.flatMap((module) => [module.path, ...module.brokenFiles]).filter((path) => !edited.has(path));
  const refused = new Set([...source.refused, ...failed.keys(), ...brokenFiles]);

  const changes: SourceChanges = {
    ...{ added: [], changed: [], removed: [], edited: [], unchanged: [] },
    failed: [...refused],
  };
  for (const file of byPath.values()) if (!refused.has(file.path)) changes[changeOf(file, state)].push(file.path);
  for (const [path, { kind }] of state?.files ?? []) {
    if (byPath.has(path) || refused.has(path) || (await inspectFile(folder, path)).is === 'absent') continue;
    // A schema that does not load cannot say which files it refers to.
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
        const message = `${path} was edited locally and was kept; the source has another version`;
        const hint = 'To get the version of the source, remove the file and update again.';
        return sourceFinding('SRC011', message, { file: join(folder, path), hint });
      }),
      ...gone.map((path) => {
        const hint = 'Remove the file if you do not need it.';
        const message = `${path} is no longer in the source; it was kept`;
        return sourceFinding('SRC012', message, { file: join(folder, path), hint });
      }),
    ],
    after: {
      ...stateAfter(changes, byPath, state),
      ...{ address, revision, registry, validators, isComplete: refused.size === 0 && outdated.length === 0 },
    },
  };
}

/** A file is edited if it is neither the last installed version nor the current one of the source. */
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

function stateAfter(
  { added, changed, unchanged, edited, failed, removed }: SourceChanges,
  byPath: ReadonlyMap<string, FetchedFile>,
  state: SourceState | undefined,
): Pick<SourceState, 'files' | 'importedAt' | 'updatedAt' | 'pending'> {
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
    files,
    importedAt: state?.importedAt ?? now,
    updatedAt: added.length + changed.length > 0 ? now : (state?.updatedAt ?? now),
    pending: new Map(),
  };
}
