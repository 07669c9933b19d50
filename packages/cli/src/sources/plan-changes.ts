import type { FetchedFile } from './fetch-files.ts';
import type { SourceState } from './source-state.ts';

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

export interface ChangePlan extends SourceChanges {
  /** Edited files of which the source has another version than the one that was edited. */
  outdated: string[];
}

/**
 * Decides what becomes of each file. A file is edited where it is neither the one that was written last nor the one that the
 * source has now.
 *
 * @param options.failed - Files that may not be written, and those that could not be fetched.
 * @param options.keepsReferences - Whether files that schemas refer to may be missing from `files`: a schema that failed does
 * not say what it refers to.
 * @param options.goneHere - Files that neither the source nor the folder has any more.
 */
export function planChanges({
  files,
  failed,
  state,
  keepsReferences,
  goneHere,
}: {
  files: readonly FetchedFile[];
  failed: ReadonlySet<string>;
  state: SourceState | undefined;
  keepsReferences: boolean;
  goneHere: ReadonlySet<string>;
}): ChangePlan {
  const plan: ChangePlan = { added: [], changed: [], removed: [], edited: [], unchanged: [], failed: [], outdated: [] };
  for (const file of files) {
    const kind = failed.has(file.path) ? 'failed' : changeOf(file, state);
    plan[kind].push(file.path);
    if (kind === 'edited' && state?.files.get(file.path)?.sha256 !== file.sha256) plan.outdated.push(file.path);
  }
  const seen = new Set(files.map(({ path }) => path));
  plan.failed.push(...[...failed].filter((path) => !seen.has(path)));
  for (const [path, { kind }] of state?.files ?? []) {
    if (seen.has(path) || failed.has(path) || goneHere.has(path)) continue;
    plan[keepsReferences && kind === 'file' ? 'unchanged' : 'removed'].push(path);
  }
  for (const paths of Object.values(plan)) paths.sort();
  return plan;
}

/** What becomes of a file that may be written. */
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
