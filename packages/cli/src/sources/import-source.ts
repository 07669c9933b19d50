import { existsSync } from 'node:fs';
import { readdir, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Finding, holdFile, nearestWord } from '@schemakit/core';
import { makeFolder } from '../settings/make-folder.ts';
import { installSource } from './install-source.ts';
import { withSource } from './open-source.ts';
import { nameFrom, nameProblem } from './path-problem.ts';
import { isSameAddress, readAddress, registryAddress, type SourceAddress, withoutLogin } from './source-address.ts';
import { type Outcome, sourceFinding } from './source-codes.ts';
import { type SourceOptions, type SourceSettings, withDefaults } from './source-options.ts';
import { type SourceResult, sourceResult } from './source-result.ts';
import { listSources, readState, type SourceState, stagingFolder } from './source-state.ts';
import type { SourceTree } from './source-tree.ts';

export interface ImportRegistryOptions extends SourceOptions {
  /** Address of the registry file. Files are read from beside it. */
  url: string;
  /** Name of the source, and of its folder. Default: the one that its registry or its address has. */
  name?: string | undefined;
}

export interface ImportOptions extends ImportRegistryOptions {
  /** A branch, a tag or a commit of a repository. Default: the branch that it names. */
  branch?: string | undefined;
}

/**
 * Imports schemas from a source into `<folder>/<name>`. A source that was imported before is updated. Never throws for bad
 * input: what is wrong with the source or one of its files is a finding.
 */
export function importSource({ branch, ...options }: ImportOptions): Promise<SourceResult> {
  return importAddress(readAddress(options.url, { branch }), options);
}

/** The same for the schemas that a registry on the web lists. */
export function importRegistry(options: ImportRegistryOptions): Promise<SourceResult> {
  return importAddress(registryAddress(options.url), options);
}

async function importAddress(
  address: Outcome<SourceAddress>,
  { url, name, ...options }: ImportRegistryOptions,
): Promise<SourceResult> {
  const settings = withDefaults(options);
  const about = { url: address.ok ? address.value.url : withoutLogin(url), dryRun: settings.dryRun };
  const fail = (finding: Finding) => sourceResult({ ...about, findings: [finding] });
  if (!address.ok) return fail(address.finding);
  const problem = name === undefined ? undefined : nameProblem(name);
  if (problem !== undefined) return fail(sourceFinding('SRC008', `the name ${JSON.stringify(name)} ${problem}`));
  return safely(settings, fail, async () => {
    const known = (await listSources(settings)).find(
      (source) =>
        source.status && isSameAddress(source.address, address.value) && (name ?? source.name) === source.name,
    );
    if (known !== undefined) return updateSource({ ...options, name: known.name });
    return withSource(address.value, settings, async (opened) =>
      opened.ok ? importTree(opened.value, { name, settings }) : fail(opened.finding),
    );
  });
}

async function importTree(
  source: SourceTree,
  { name: wanted, settings }: { name: string | undefined; settings: SourceSettings },
): Promise<SourceResult> {
  const { folder, dryRun } = settings;
  const name = wanted ?? nameFrom(source.name) ?? null;
  const fail = (finding: Finding) => sourceResult({ name, url: source.address.url, dryRun, findings: [finding] });
  if (name === null) {
    const message = `the source calls itself ${JSON.stringify(source.name.slice(0, 100))}, which can be no folder`;
    return fail(sourceFinding('SRC008', message, { hint: 'Give it a name: --name <name>.' }));
  }
  return alone({ folder, name, fail }, async () => {
    const read = await readState(join(folder, name));
    // Another process may have imported it since this one looked.
    if (read.status === 'read' && isSameAddress(read.state.address, source.address)) {
      return installSource(source, { ...settings, name, state: read.state });
    }
    const names = await readdir(folder).catch(() => []);
    const taken = names.find((other) => other.toLowerCase() === name.toLowerCase());
    if (taken === undefined) return installSource(source, { ...settings, name, state: undefined });
    const hint = `Give the source another name than ${name}: --name <name>.`;
    return fail(sourceFinding('SRC008', `there is something else called ${taken} already`, { hint }));
  });
}

/**
 * Brings a source up to date: only files whose hashes differ are fetched and written. Files that were edited here, and files
 * that the source no longer has, are kept and reported. Never throws for bad input.
 */
export async function updateSource({ name, ...options }: SourceOptions & { name: string }): Promise<SourceResult> {
  const settings = withDefaults(options);
  const { folder, dryRun } = settings;
  const place = join(folder, name);
  const fail = (finding: Finding) => sourceResult({ name, dryRun, findings: [finding] });
  if (nameProblem(name) !== undefined) return fail(await unknownSource(name, folder));
  return safely(settings, fail, async () => {
    if ((await readState(place)).status === 'absent') return fail(await unknownSource(name, folder));
    return alone({ folder, name, fail }, async () => {
      const read = await readState(place);
      if (read.status !== 'read')
        return fail(read.status === 'invalid' ? read.finding : await unknownSource(name, folder));
      const { state } = read;
      const known = isWhole(state, place) ? state : undefined;
      return withSource(state.address, { ...settings, state: known }, async (opened) =>
        opened.ok
          ? installSource(opened.value, { ...settings, name, state })
          : { ...fail(opened.finding), url: state.address.url },
      );
    });
  });
}

/** Brings all sources up to date, one after the other, in the order of their names. One that fails does not stop the others. */
export async function updateAll(options: SourceOptions): Promise<SourceResult[]> {
  const { folder, dryRun = false } = options;
  const results: SourceResult[] = [];
  for (const source of await listSources({ folder })) {
    const { name } = source;
    const failed = source.status ? undefined : sourceResult({ name, dryRun, findings: [source.finding] });
    results.push(failed ?? (await updateSource({ ...options, name })));
  }
  return results;
}

/** Whether no file of a source is missing here. One that is has to be sent again, whether it changed or not. */
function isWhole({ files }: SourceState, place: string): boolean {
  return [...files].every(([path, { removed }]) => removed === true || existsSync(join(place, path)));
}

async function unknownSource(name: string, folder: string): Promise<Finding> {
  const names = (await listSources({ folder })).map((source) => source.name);
  const meant = nearestWord(name, names);
  return sourceFinding('SRC015', `there is no source called ${JSON.stringify(name.slice(0, 100))}`, {
    hint: meant === undefined ? 'Import it first: schemakit import <url>' : `Did you mean ${meant}?`,
  });
}

/** Works on a source while no other process does. That may take minutes, so nobody waits for it. */
async function alone(
  { folder, name, fail }: { folder: string; name: string; fail: (finding: Finding) => SourceResult },
  work: () => Promise<SourceResult>,
): Promise<SourceResult> {
  const staging = stagingFolder(folder);
  makeFolder(staging);
  // Names that differ in upper and lower case are one.
  const held = await holdFile(join(staging, `hold-${name.toLowerCase()}`), work);
  if (held.ok) return held.value;
  const who = held.pid === undefined ? 'another process' : `the process ${held.pid}`;
  const hint = `Try again once it is done. If there is no such process, remove ${held.path}.`;
  return fail(sourceFinding('SRC010', `${who} is at work on the source ${name}`, { hint }));
}

/**
 * Does work, and turns what it throws into a finding: the reason of a signal, and what the disk refuses. A trial leaves no
 * folder that was not there before.
 */
async function safely(
  { signal, folder, dryRun }: SourceSettings,
  fail: (finding: Finding) => SourceResult,
  work: () => Promise<SourceResult>,
): Promise<SourceResult> {
  const made = dryRun ? missingFolders(folder) : [];
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) {
      return fail(sourceFinding('SRC018', 'the work was stopped before it was done', { hint: 'Run it again.' }));
    }
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    const hint = `Check the rights of ${folder}, and the space on its disk.`;
    return fail(sourceFinding('SRC014', `files of the source cannot be read or written: ${error.message}`, { hint }));
  } finally {
    // A folder into which another process put something stays.
    for (const path of [stagingFolder(folder), ...made]) await rmdir(path).catch(() => {});
  }
}

/** A folder and those above it that are not there, the deepest first. */
function missingFolders(folder: string): string[] {
  return existsSync(folder) ? [] : [folder, ...missingFolders(dirname(folder))];
}
