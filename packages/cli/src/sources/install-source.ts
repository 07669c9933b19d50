import { realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Finding } from '@schemakit/core';
import { lostSends, type SecretRoute, trustCommand } from '@schemakit/core/internal';
import { checkLock, readLock, revokeTrust, trustSchemas } from '@schemakit/core/lock';
import { makeFolder } from '../settings/make-folder.ts';
import { type CheckedModule, requiredModules } from './check-schemas.ts';
import { type FetchContext, gatherFiles, removeFiles } from './fetch-files.ts';
import { type ChangePlan, type FetchedFile, planChanges } from './plan-changes.ts';
import { sourceFinding } from './source-codes.ts';
import { progressReporter, type SourceSettings } from './source-options.ts';
import { type SourceResult, sourceResult } from './source-result.ts';
import { countFiles, formatState, type SourceState, stagingFolder, writeState } from './source-state.ts';
import type { SourceTree } from './source-tree.ts';

export interface InstallOptions extends SourceSettings {
  name: string;
  /** The previous import; undefined for a new source. */
  state: SourceState | undefined;
}

/**
 * Installs the files of a source: fetches and checks them in a staging folder, pins new schemas in the lock file, then moves the
 * files into place. If the process is killed, the next attempt reuses the staging folder.
 */
export async function installSource(source: SourceTree, options: InstallOptions): Promise<SourceResult> {
  const { folder, name } = options;
  const path = join(stagingFolder(folder), `files-${name}`);
  makeFolder(path);
  // Findings contain real paths.
  const staging = await realpath(path);
  const result = await install({ ...options, source, staging, folder: join(folder, name) });
  await rm(path, { recursive: true, force: true });
  return result;
}

type Install = InstallOptions & FetchContext;

async function install(context: Install): Promise<SourceResult> {
  const { source, name, state, dryRun } = context;
  const about = { name, url: source.address.url, revision: source.revision, dryRun };
  const gathered = await gatherFiles(context);
  if (!gathered.ok) return sourceResult({ ...about, findings: [...source.findings, gathered.finding] });
  const { files, modules } = gathered.value;
  const plan = await planChanges(gathered.value, context);
  const { changes, findings, after } = plan;
  const inPlace = new Set([...changes.added, ...changes.changed, ...changes.unchanged]);
  const schemas = modules.filter(({ path, isSchema, status }) => isSchema && status && inPlace.has(path));
  const agents = modules.filter(({ path, isAgent, status }) => isAgent && status && inPlace.has(path));
  if (state === undefined && ![...schemas, ...agents].some(({ path }) => changes.added.includes(path))) {
    const message = `no loadable schema in ${source.address.url}`;
    const hint = 'Schemas are .mjs files with export const main. Import their folder, or a registry that lists them.';
    findings.push(sourceFinding('SRC016', message, { hint }));
    return sourceResult({ ...about, failed: changes.failed, findings });
  }
  const { findings: found, ...trust } = await trustImported(schemas, { ...context, added: changes.added });
  findings.push(...found);
  // Without its pins, nothing is installed.
  if (found.some(({ severity }) => severity === 'error')) return sourceResult({ ...about, findings });
  if (!dryRun) {
    await (state === undefined ? activateSource(after, context) : activateChanges(plan, { ...context, state, files }));
  }
  return sourceResult({
    ...about,
    ...changes,
    ...trust,
    findings,
    schemaCount: countFiles(after, 'schema'),
    agentCount: countFiles(after, 'agent'),
    requiredModules: requiredModules(schemas, source.registry),
  });
}

/**
 * Pins new schemas (trust on first use): hashes without grants. Existing entries never change, and a schema that differs from its
 * entry is reported. A schema whose entry was revoked gets no new one.
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
    const message = `${path} has changed since it was trusted: ${summary.join('; ')}`;
    const hint = `Review the changes. To trust them: ${trustCommand({ files: [file], lockFile })}`;
    return sourceFinding('SRC013', message, { file, hint });
  });
  const moved = changed.flatMap(({ check: { file, entry, pin } }) => {
    const lost = entry === undefined ? [] : lostSends(entry, pin);
    return lost.length === 0 ? [] : { file, lost };
  });
  const unwritten: Finding[] = [];
  for (const one of dryRun ? [] : moved) unwritten.push(...(await takeSends(one, lockFile)));
  return {
    findings: [...written.findings, ...warnings, ...moved.map(lostFinding), ...unwritten],
    trusted: first.map(({ path }) => path),
    needsTrust: changed.map(({ path }) => path),
  };
}

interface LostSends {
  file: string;
  lost: readonly SecretRoute[];
}

async function takeSends({ file, lost }: LostSends, lockFile: string): Promise<readonly Finding[]> {
  const send = Object.fromEntries(lost.map(({ name }) => [name, []]));
  return (await revokeTrust({ lockFile, paths: [file], grants: { send } })).findings;
}

function lostFinding({ file, lost }: LostSends): Finding {
  const secrets = lost.map(({ name }) => name);
  const message = `it would now send ${secrets.join(', ')} to ${lost[0]?.origin}: the grant for the old origin is taken away`;
  const flags = secrets.flatMap((name) => ['--send', name]);
  return sourceFinding('SRC018', message, { file, hint: `If you trust it: ${trustCommand({ files: [file], flags })}` });
}

async function activateSource(state: SourceState, { folder, staging }: Install): Promise<void> {
  await removeFiles(staging, new Set(state.files.keys()));
  await writeState(staging, { state, staging });
  makeFolder(dirname(folder));
  await rename(staging, folder);
}

/** Moves changed files into place. Stores their hashes first, so that after an interruption they do not look like local edits. */
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
  const report = progressReporter('write', { total: written.length, onProgress });
  for (const { path } of written) {
    makeFolder(dirname(join(folder, path)));
    await rename(join(staging, path), join(folder, path));
    report(path);
  }
  await writeState(folder, { state: after, staging });
}
