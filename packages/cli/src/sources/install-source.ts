import { realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkLock, readLock, trustCommand, trustSchemas } from '@schemakit/core';
import { makeFolder } from '../settings/make-folder.ts';
import { type CheckedModule, requiredModules } from './check-schemas.ts';
import { type FetchContext, gatherFiles, removeFiles } from './fetch-files.ts';
import { type ChangePlan, type FetchedFile, planChanges } from './plan-changes.ts';
import { sourceFinding } from './source-codes.ts';
import { progressOf, type SourceSettings } from './source-options.ts';
import { type SourceResult, sourceResult } from './source-result.ts';
import { countSchemas, formatState, type SourceState, stagingFolder, writeState } from './source-state.ts';
import type { SourceTree } from './source-tree.ts';

export interface InstallOptions extends SourceSettings {
  name: string;
  /** What was imported before; undefined for a new source. */
  state: SourceState | undefined;
}

/**
 * Brings what a source has into its folder: fetches it into a staging folder, checks it as it will be, notes new schemas in the
 * lock file, and only then puts files in place. The staging folder stays where this is stopped or killed: the next attempt need
 * not fetch its files again.
 */
export async function installSource(source: SourceTree, options: InstallOptions): Promise<SourceResult> {
  const { folder, name } = options;
  const path = join(stagingFolder(folder), `files-${name}`);
  makeFolder(path);
  // Findings name real paths, which have to be known again.
  const staging = await realpath(path);
  const result = await install({ ...options, source, staging, folder: join(folder, name) });
  await rm(path, { recursive: true, force: true });
  return result;
}

/** `folder` is that of the source. */
type Install = InstallOptions & FetchContext;

async function install(context: Install): Promise<SourceResult> {
  const { source, name, state, dryRun, signal } = context;
  const about = { name, url: source.address.url, revision: source.revision, dryRun };
  const gathered = await gatherFiles(context);
  if (!gathered.ok) return sourceResult({ ...about, findings: [...source.findings, gathered.finding] });
  const { files, modules } = gathered.value;
  const plan = await planChanges(gathered.value, context);
  const { changes, findings, after } = plan;
  const inPlace = new Set([...changes.added, ...changes.changed, ...changes.unchanged]);
  const schemas = modules.filter(({ path, isSchema, status }) => isSchema && status && inPlace.has(path));
  if (state === undefined && !schemas.some(({ path }) => changes.added.includes(path))) {
    const message = `there is no schema in ${source.address.url} that loads`;
    const hint = 'Schemas are .mjs files with export const main. Name their folder, or a registry that lists them.';
    findings.push(sourceFinding('SRC016', message, { hint }));
    return sourceResult({ ...about, failed: changes.failed, findings });
  }
  const { findings: found, ...trust } = await trustImported(schemas, { ...context, added: changes.added });
  findings.push(...found);
  // What cannot be noted is not used.
  if (found.some(({ severity }) => severity === 'error')) return sourceResult({ ...about, findings });
  signal.throwIfAborted();
  if (!dryRun)
    await (state === undefined ? activateSource(after, context) : activateChanges(plan, { ...context, state, files }));
  return sourceResult({
    ...about,
    ...changes,
    ...trust,
    findings,
    schemaCount: countSchemas(after),
    requiredModules: requiredModules(schemas, source.registry),
  });
}

/**
 * Holds schemas to what they are when they come first (trust on first use): no grants, only hashes. An entry that is there is
 * never changed; a schema that differs from it is reported. One whose entry was revoked gets no new one.
 */
async function trustImported(
  schemas: readonly CheckedModule[],
  { source: { address, revision }, folder, lockFile, dryRun, added }: Install & { added: readonly string[] },
): Promise<Pick<SourceResult, 'findings' | 'trusted' | 'needsTrust'>> {
  const { lock, findings } = readLock({ lockFile, missing: 'empty' });
  if (lock === undefined) return { findings, trusted: [], needsTrust: [] };
  const checks = schemas.flatMap(({ path, main }) => {
    const check = checkLock({ lock, schema: { file: join(folder, path), main } });
    return check === undefined ? [] : [{ path, check }];
  });
  const first = checks.filter(({ path, check }) => check.state === 'new' && added.includes(path));
  const changed = checks.filter(({ check }) => check.state === 'changed');
  const entries = first.map(({ check }) => ({ check, source: address.url, ...(revision !== null && { revision }) }));
  const isWritten = !dryRun && entries.length > 0;
  const written = isWritten ? await trustSchemas({ lockFile, schemas: entries }) : { findings: [] };
  const warnings = changed.map(({ path, check: { file, summary } }) => {
    const message = `${path} is not the schema that was trusted: ${summary.join('; ')}`;
    const hint = `Look at what changed. If you trust it: ${trustCommand({ files: [file], lockFile })}`;
    return sourceFinding('SRC013', message, { file, hint });
  });
  return {
    findings: [...written.findings, ...warnings],
    trusted: first.map(({ path }) => path),
    needsTrust: changed.map(({ path }) => path),
  };
}

/** Puts a new source in place, all at once. */
async function activateSource(state: SourceState, { folder, staging }: Install): Promise<void> {
  await removeFiles(staging, new Set(state.files.keys()));
  await writeState(staging, { state, staging });
  makeFolder(dirname(folder));
  await rename(staging, folder);
}

/**
 * Puts changed files in place, one after the other, each as a whole. Their hashes are noted before: after an interruption, the
 * next update knows that they are not edits.
 */
async function activateChanges(
  { changes: { added, changed }, after }: ChangePlan,
  { folder, staging, state, files, onProgress }: Install & { state: SourceState; files: readonly FetchedFile[] },
): Promise<void> {
  const paths = new Set([...added, ...changed]);
  const written = files.filter(({ path }) => paths.has(path));
  if (written.length === 0 && formatState(state) === formatState(after)) return;
  if (written.length > 0) {
    const pending = new Map(state.pending);
    for (const { path, sha256 } of written) pending.set(path, [...(pending.get(path) ?? []), sha256]);
    await writeState(folder, { state: { ...state, pending }, staging });
  }
  const tell = progressOf('write', { total: written.length, onProgress });
  for (const { path } of written) {
    makeFolder(dirname(join(folder, path)));
    await rename(join(staging, path), join(folder, path));
    tell(path);
  }
  await writeState(folder, { state: after, staging });
}
