import { join } from 'node:path';
import type { Finding } from '@schemakit/core';
import { activateChanges, activateSource } from './activate-files.ts';
import type { CheckedModule } from './check-schemas.ts';
import { type GatheredFiles, gatherFiles } from './gather-files.ts';
import { editedFinding, judgeFiles } from './judge-files.ts';
import { lookAt } from './local-files.ts';
import type { Offer } from './offer.ts';
import type { ChangePlan } from './plan-changes.ts';
import { requiredModules } from './required-modules.ts';
import { sourceFinding } from './source-codes.ts';
import type { SourceSettings } from './source-options.ts';
import { type SourceResult, sourceResult } from './source-result.ts';
import { formatState, type SourceState } from './source-state.ts';
import { openStaging, type Staging } from './staging.ts';
import { stateAfter } from './state-after.ts';
import { type ImportedTrust, trustImported } from './trust-imported.ts';

export interface InstallOptions extends SourceSettings {
  name: string;
  /** What was imported before; undefined for a new source. */
  state: SourceState | undefined;
}

/** `folder` is that of the source. */
interface Install extends InstallOptions {
  offer: Offer;
  staging: Staging;
}

/**
 * Brings what a source offers into its folder: fetches it, checks it as it will be, notes new schemas in the lock file, and
 * only then puts files in place.
 */
export async function installOffer(offer: Offer, options: InstallOptions): Promise<SourceResult> {
  const { folder, name, dryRun } = options;
  const staging = await openStaging({ folder, name, address: offer.address });
  const result = await install({ ...options, offer, staging, folder: join(folder, name) });
  // What was fetched is of use to the next attempt where this one put nothing in place.
  const { added, changed, unchanged, findings } = result;
  const isInUse = added.length + changed.length + unchanged.length > 0;
  const isPartial = !isInUse && findings.some(({ code }) => code === 'SRC002');
  if (dryRun || !isPartial) await staging.remove();
  return result;
}

async function install(context: Install): Promise<SourceResult> {
  const { offer, name, folder, state, dryRun } = context;
  const about = { name, url: offer.address.url, revision: offer.revision, dryRun };
  const gathering = await gatherFiles(context);
  if (!gathering.ok) return sourceResult({ ...about, findings: [...offer.findings, gathering.finding] });
  const { gathered } = gathering;
  const goneHere = await findGone(context);
  const { plan, findings } = judgeFiles(gathered, { offer, state, folder, goneHere });
  if (state === undefined && !hasNewSchema(plan, gathered)) {
    return sourceResult({ ...about, failed: plan.failed, findings: [...findings, noSchema(offer)] });
  }
  const trust = await hold(plan, gathered, context);
  findings.push(...trust.findings);
  if (trust.findings.some(({ severity }) => severity === 'error')) return sourceResult({ ...about, findings });
  const after = stateAfter(plan, { offer, state, files: gathered.files });
  const late = dryRun ? [] : await activate(plan, gathered, { ...context, after });
  const { outdated: _, ...changes } = withEdited(plan, late);
  return sourceResult({
    ...about,
    ...changes,
    findings: [...findings, ...late.map((path) => editedFinding(path, folder))],
    schemaCount: schemasIn(after),
    trusted: trust.trusted,
    needsTrust: trust.needsTrust,
    requiredModules: requiredModules(schemasInPlace(plan, gathered), offer.registry),
  });
}

/** Files that the source had once, and that were removed here. */
async function findGone({ state, folder }: Install): Promise<Set<string>> {
  const gone = new Set<string>();
  for (const path of state?.files.keys() ?? []) {
    if ((await lookAt(folder, path)).is === 'absent') gone.add(path);
  }
  return gone;
}

function hasNewSchema({ added }: ChangePlan, { modules }: GatheredFiles): boolean {
  return modules.some(({ path, isSchema, status }) => isSchema && status && added.includes(path));
}

/** Notes in the lock file what schemas are. */
function hold(plan: ChangePlan, gathered: GatheredFiles, context: Install): Promise<ImportedTrust> {
  const { offer, folder, lockFile, dryRun } = context;
  const added = new Set(plan.added);
  const inPlace = schemasInPlace(plan, gathered);
  const schemas = inPlace.map(({ path, main }) => ({ path, main, isNew: added.has(path) }));
  return trustImported(schemas, {
    folder,
    lockFile,
    source: offer.address.url,
    revision: offer.revision,
    dryRun,
  });
}

/** The schemas that are here afterwards, as the source has them. */
function schemasInPlace({ added, changed, unchanged }: ChangePlan, { modules }: GatheredFiles): CheckedModule[] {
  const inPlace = new Set([...added, ...changed, ...unchanged]);
  return modules.filter(({ path, isSchema, status }) => isSchema && status && inPlace.has(path));
}

/** Puts files in place. Gives those that were edited in the last moment. */
async function activate(
  { added, changed }: ChangePlan,
  { files }: GatheredFiles,
  { folder, staging: { tree }, state, after, signal, onProgress }: Install & { after: SourceState },
): Promise<string[]> {
  signal.throwIfAborted();
  if (state === undefined) {
    await activateSource({ folder, tree, state: after });
    return [];
  }
  const written = new Set([...added, ...changed]);
  const toWrite = files
    .filter(({ path }) => written.has(path))
    .map(({ path, sha256, local }) => ({ path, sha256, replaces: local.is === 'file' ? local.sha256 : undefined }));
  if (toWrite.length === 0 && formatState(state) === formatState(after)) return [];
  return activateChanges(toWrite, { folder, tree, before: state, after, onProgress });
}

function withEdited(plan: ChangePlan, late: readonly string[]): ChangePlan {
  const isOnTime = (path: string) => !late.includes(path);
  const { added, changed, edited } = plan;
  return {
    ...plan,
    added: added.filter(isOnTime),
    changed: changed.filter(isOnTime),
    edited: [...edited, ...late].sort(),
  };
}

function schemasIn({ files }: SourceState): number {
  return [...files.values()].filter(({ kind, removed }) => kind === 'schema' && removed !== true).length;
}

function noSchema({ address }: Offer): Finding {
  return sourceFinding('SRC016', `there is no schema in ${address.url} that loads`, {
    hint: 'Schemas are .mjs files with export const main. Name their folder, or a registry that lists them.',
  });
}
