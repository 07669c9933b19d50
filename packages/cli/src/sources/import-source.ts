import { existsSync } from 'node:fs';
import { readdir, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Finding } from '@schemakit/core';
import { withFileLock } from '@schemakit/core/internal';
import { didYouMean } from '../output/nearest-word.ts';
import { makeFolder } from '../settings/make-folder.ts';
import { installSource } from './install-source.ts';
import { withSource } from './open-source.ts';
import { nameFrom, nameProblem, ownSource } from './path-problem.ts';
import { isSameAddress, readAddress, registryAddress, type SourceAddress, withoutLogin } from './source-address.ts';
import { type Outcome, sourceFinding } from './source-codes.ts';
import { type SourceOptions, type SourceSettings, withDefaults } from './source-options.ts';
import { type SourceResult, sourceResult } from './source-result.ts';
import { listSources, readState, type SourceState, stagingFolder } from './source-state.ts';
import type { SourceTree } from './source-tree.ts';

interface ImportOptions extends SourceOptions {
  /** URL of the registry. Its files are relative to it. */
  url: string;
  /** Name of the source and its folder. Default: from the registry or the address. */
  name?: string | undefined;
}

/** Imports schemas into `<folder>/<name>`, or updates an earlier import. Never throws for bad input; problems are findings. */
export function importSource({ branch, ...options }: ImportOptions & { branch?: string }): Promise<SourceResult> {
  return importAddress(readAddress(options.url, { branch }), options);
}

export function importRegistry(options: ImportOptions): Promise<SourceResult> {
  return importAddress(registryAddress(options.url), options);
}

async function importAddress(
  address: Outcome<SourceAddress>,
  { url, name, ...options }: ImportOptions,
): Promise<SourceResult> {
  const settings = withDefaults(options);
  const about = { url: address.ok ? address.value.url : withoutLogin(url), dryRun: settings.dryRun };
  const fail = (finding: Finding) => sourceResult({ ...about, findings: [finding] });
  if (!address.ok) return fail(address.finding);
  const problem = name === undefined ? undefined : nameProblem(name);
  if (problem !== undefined) return fail(sourceFinding('SRC008', `the name ${JSON.stringify(name)} ${problem}`));
  return catchFileErrors(settings, fail, async () => {
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
    const message = `the source's name ${JSON.stringify(source.name.slice(0, 100))} is not a valid folder name`;
    return fail(sourceFinding('SRC008', message, { hint: 'Choose a name: --name <name>.' }));
  }
  return withSourceLock({ folder, name, fail }, async () => {
    const read = await readState(join(folder, name));
    // Another process may have just imported it.
    if (read.status === 'read' && isSameAddress(read.state.address, source.address)) {
      return installSource(source, { ...settings, name, state: read.state });
    }
    const names = await readdir(folder).catch(() => []);
    const taken = names.find((other) => other.toLowerCase() === name.toLowerCase());
    const hint = 'Choose another name: --name <name>.';
    if (taken !== undefined) return fail(sourceFinding('SRC008', `the name ${taken} is taken`, { hint }));
    if (name === ownSource) {
      return fail(sourceFinding('SRC008', `the name ${name} means the folder ${name} of a project`, { hint }));
    }
    return installSource(source, { ...settings, name, state: undefined });
  });
}

/** Fetches and writes only files whose hashes differ. Keeps and reports files that were edited locally or removed from the source. */
export async function updateSource({ name, ...options }: SourceOptions & { name: string }): Promise<SourceResult> {
  const settings = withDefaults(options);
  const { folder, dryRun } = settings;
  const place = join(folder, name);
  const fail = (finding: Finding) => sourceResult({ name, dryRun, findings: [finding] });
  if (nameProblem(name) !== undefined) return fail(await unknownSource(name, folder));
  return catchFileErrors(settings, fail, async () => {
    if ((await readState(place)).status === 'absent') return fail(await unknownSource(name, folder));
    return withSourceLock({ folder, name, fail }, async () => {
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

/** Whether all files of a source are here. A missing one must be fetched again even if the source is unchanged. */
function isWhole({ files }: SourceState, place: string): boolean {
  return [...files].every(([path, { removed }]) => removed === true || existsSync(join(place, path)));
}

export async function unknownSource(name: string, folder: string): Promise<Finding> {
  const names = (await listSources({ folder })).map((source) => source.name);
  return sourceFinding('SRC015', `no source named ${JSON.stringify(name.slice(0, 100))}`, {
    hint: didYouMean(name, names, 'Import it first: schemakit import <url>'),
  });
}

/** Runs `work` with an exclusive lock on the source. Fails at once if it is taken, because imports can take minutes. */
export async function withSourceLock<T>(
  { folder, name, fail }: { folder: string; name: string; fail: (finding: Finding) => T },
  work: () => Promise<T>,
): Promise<T> {
  const staging = stagingFolder(folder);
  makeFolder(staging);
  // Names are case-insensitive.
  const held = await withFileLock(join(staging, `hold-${name.toLowerCase()}`), work);
  if (held.ok) return held.value;
  const holder = held.pid === undefined ? 'another process' : `process ${held.pid}`;
  const hint = `Try again when it is done. If it is not running, remove ${held.path}.`;
  return fail(sourceFinding('SRC010', `${holder} is already changing the source ${name}`, { hint }));
}

/** Turns file system errors of `work` into findings. A dry run removes the folders that it created. */
async function catchFileErrors(
  { folder, dryRun }: SourceSettings,
  fail: (finding: Finding) => SourceResult,
  work: () => Promise<SourceResult>,
): Promise<SourceResult> {
  const made = dryRun ? missingFolders(folder) : [];
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    const hint = `Check the permissions of ${folder} and the disk space.`;
    return fail(sourceFinding('SRC014', `cannot read or write files of the source: ${error.message}`, { hint }));
  } finally {
    // Fails for folders that another process uses.
    for (const path of [stagingFolder(folder), ...made]) await rmdir(path).catch(() => {});
  }
}

/** A folder and its parents that do not exist, deepest first. */
function missingFolders(folder: string): string[] {
  return existsSync(folder) ? [] : [folder, ...missingFolders(dirname(folder))];
}
