import { join } from 'node:path';
import type { Finding } from '@schemakit/core';
import type { GatheredFiles } from './gather-files.ts';
import type { Offer } from './offer.ts';
import { type ChangePlan, changeOf, planChanges } from './plan-changes.ts';
import { sourceFinding } from './source-codes.ts';
import type { SourceState } from './source-state.ts';

export interface Judgement {
  plan: ChangePlan;
  findings: Finding[];
}

/** Decides which files may be written, and says why the others may not. */
export function judgeFiles(
  { files, modules, failed }: GatheredFiles,
  {
    offer,
    state,
    folder,
    goneHere,
  }: { offer: Offer; state: SourceState | undefined; folder: string; goneHere: ReadonlySet<string> },
): Judgement {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const isEdited = (path: string) => {
    const file = byPath.get(path);
    return file !== undefined && changeOf(file, state) === 'edited';
  };
  // In a folder without a registry, modules may be anything; what was edited here is its editor's own.
  const bad = modules.filter(({ path, isSchema, status }) => {
    if (isEdited(path)) return false;
    return isSchema ? !status : byPath.get(path)?.kind === 'schema';
  });
  const others = modules.filter(({ path, isSchema }) => !isSchema && byPath.get(path)?.kind === 'module');
  const leftOut = new Set(others.map(({ path }) => path).filter((path) => !isEdited(path)));
  const blamed = bad.flatMap((module) => [module.path, ...module.blamed]).filter((path) => !isEdited(path));
  const plan = planChanges({
    files: files.filter(({ path }) => !leftOut.has(path)),
    failed: new Set([...offer.refused, ...failed.keys(), ...blamed]),
    state,
    keepsReferences: bad.length > 0,
    goneHere,
  });
  const reasons = bad.flatMap(({ findings }) => findings.filter(({ severity }) => severity === 'error'));
  return {
    plan,
    findings: [
      ...offer.findings,
      ...failed.values(),
      ...new Map(reasons.map((finding) => [JSON.stringify(finding), finding])).values(),
      ...plan.outdated.map((path) => editedFinding(path, folder)),
      ...plan.removed
        .filter((path) => state?.files.get(path)?.removed !== true)
        .map((path) => removedFinding(path, folder)),
    ],
  };
}

/** Says that a file was left as its user has it. */
export function editedFinding(path: string, folder: string): Finding {
  return sourceFinding('SRC011', `${path} was edited here, and the source has another version; yours was kept`, {
    file: join(folder, path),
    hint: 'To take the version of the source, remove the file and update again.',
  });
}

function removedFinding(path: string, folder: string): Finding {
  return sourceFinding('SRC012', `${path} is no longer in the source; it was kept`, {
    file: join(folder, path),
    hint: 'Remove the file if you do not need it.',
  });
}
