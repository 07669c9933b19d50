import type { GatheredFiles } from './gather-files.ts';
import type { Offer } from './offer.ts';
import type { ChangePlan } from './plan-changes.ts';
import type { SourceFile, SourceState } from './source-state.ts';

/** What to note about a source once its changes are in place. */
export function stateAfter(
  plan: ChangePlan,
  { offer, state, files }: { offer: Offer; state: SourceState | undefined; files: GatheredFiles['files'] },
): SourceState {
  const { address, revision, registry, validators } = offer;
  const now = new Date().toISOString();
  const isWritten = plan.added.length > 0 || plan.changed.length > 0;
  const isComplete = plan.failed.length === 0 && plan.outdated.length === 0;
  return {
    address,
    revision,
    importedAt: state?.importedAt ?? now,
    updatedAt: isWritten ? now : (state?.updatedAt ?? now),
    validators,
    isComplete,
    files: filesAfter(plan, { state, files }),
    pending: new Map(),
    registry,
  };
}

function filesAfter(
  plan: ChangePlan,
  { state, files }: { state: SourceState | undefined; files: GatheredFiles['files'] },
): Map<string, SourceFile> {
  const noted = new Map<string, SourceFile>();
  const fetched = new Map(files.map((file) => [file.path, file]));
  const asBefore = (path: string) => state?.files.get(path);
  for (const path of [...plan.added, ...plan.changed, ...plan.unchanged]) {
    const file = fetched.get(path);
    const earlier = asBefore(path);
    if (file === undefined) {
      if (earlier !== undefined) noted.set(path, earlier);
      continue;
    }
    const { kind, sha256, etag, lastModified } = file;
    noted.set(path, {
      kind: kind === 'module' ? 'schema' : kind,
      sha256,
      ...(etag !== undefined && { etag }),
      ...(lastModified !== undefined && { lastModified }),
    });
  }
  // What was not written is still the version of before.
  for (const path of [...plan.edited, ...plan.failed]) {
    const earlier = asBefore(path);
    if (earlier !== undefined) noted.set(path, earlier);
  }
  for (const path of plan.removed) {
    const earlier = asBefore(path);
    if (earlier !== undefined) noted.set(path, { ...earlier, removed: true });
  }
  return noted;
}
