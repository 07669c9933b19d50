import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Finding } from '@schemakit/core';
import type { Selection } from '@schemakit/server';
import type { IndexedPrompt } from '../index/indexed-tool.ts';
import type { LoadedFiles } from '../index/read-files.ts';
import { type FoundFile, type Scan, scanFolders } from '../index/scan-folders.ts';
import type { IndexedEntry } from '../index/tool-index.ts';
import { openSecrets, openSettings } from '../open-settings.ts';
import { type CommandResult, failedOver, misused } from '../output/command-result.ts';
import type { Isolation } from '../parameters.ts';
import { nearestLockFile } from '../settings/nearest-lock-file.ts';
import { importedFrom } from '../sources/imported-from.ts';
import type { ServingFlags } from './start-serving.ts';

/** Where the schemas of a server come from. */
export interface ServingSource {
  /** Of the server, for the MCP handshake. */
  name: string;
  /** What is served, as the beginning of a sentence. */
  subject: string;
  /** The same for the same schemas, wherever the command was called. */
  key: string;
  /** Files and folders on which the offer depends: schemas, settings, lock files. They may be missing. */
  readonly places: readonly string[];
  /** Whether the offer is worth keeping on disk: not where a file alone is served, which is loaded as fast. */
  isKept: boolean;
  /** What a URL means that does not say otherwise: a selection whose fields may change with a loading. */
  defaults: Selection;
  /** Looks at the files, and reads the settings again. */
  look(): SourceLook;
  /**
   * Loads files; with none, says what is wrong with what was named.
   *
   * @param options.isAgain Whether they were loaded before, so that nobody is asked or told about the lock file again.
   */
  load(files: readonly FoundFile[], options?: { isAgain?: boolean }): Promise<LoadedFiles>;
}

export interface SourceLook {
  scan: Scan;
  /** Of what all files depend on, such as lock files: the same while that is the same. */
  state: string;
  /** Errors of the settings, over which nothing may be loaded. */
  refused: readonly Finding[];
  /** Whether something that the files offer is served. */
  serves(entry: Pick<IndexedEntry, 'type' | 'part'> & { place: string }): boolean;
  /** References that lead nowhere. */
  lostAmong(entries: readonly IndexedEntry[], prompts: readonly IndexedPrompt[]): readonly Finding[];
  /** What each group has, as a condition. */
  groups: ReadonlyMap<string, SourceLook['serves']>;
}

export type ChosenSource =
  | { ok: true; source: ServingSource; serverParams: Readonly<Record<string, string>> }
  | { ok: false; result: CommandResult };

/**
 * What a command is to serve: files and folders, groups that are named, or the default group.
 *
 * @param options.withOthers - Whether a URL may ask for the other groups where none is named.
 */
export async function chooseSource(
  { group: named = [], lock, isolation }: Pick<ServingFlags, 'group' | 'lock' | 'isolation'>,
  paths: readonly string[],
  { withOthers = false }: { withOthers?: boolean } = {},
): Promise<ChosenSource> {
  if (paths.length > 0 && named.length > 0) {
    return { ok: false, result: misused('Name either files or a group.', 'Leave out the paths, or --group.') };
  }
  if (paths.length > 0)
    return { ok: true, source: filesSource(paths, { lock, isolation }), serverParams: openSecrets() };
  const opened = openSettings();
  if (!opened.ok) return opened;
  const { settings } = opened;
  const serverParams = openSecrets(settings);
  const { groupsSource } = await import('./groups-source.ts');
  const groups = groupsSource(settings, { named, withOthers, lock, isolation });
  if (!groups.ok) return { ok: false, result: failedOver(groups.findings) };
  return { ok: true, source: groups.source, serverParams };
}

/** Serves schema files and folders. The library is loaded when one of them is. */
export function filesSource(
  paths: readonly string[],
  { lock, isolation }: { lock: string | undefined; isolation: Isolation },
): ServingSource {
  const places = paths.map((path) => resolve(path));
  // To name a folder of a source is not to approve the addresses of its schemas.
  const imported = paths.flatMap((path) => importedFrom(path) ?? []);
  const approveRoot = imported.length === 0;
  const lockFile = lock ?? imported[0]?.lockFile ?? nearestLockFile();
  return {
    name: 'schemakit',
    subject: 'What was named',
    key: JSON.stringify(['files', places, lockFile ?? null, isolation]),
    places: [...places, ...(lockFile === undefined ? [] : [resolve(lockFile)])],
    isKept: places.every((place) => statSync(place, { throwIfNoEntry: false })?.isDirectory() === true),
    defaults: {},
    look: () => ({
      scan: scanPlaces(places, approveRoot),
      state: lockState([lockFile]),
      refused: [],
      serves: () => true,
      lostAmong: () => [],
      groups: new Map(),
    }),
    async load(files, { isAgain = false } = {}) {
      const { loadSchemas } = await import('@schemakit/core');
      const { loadWithLock } = await import('../load-with-lock.ts');
      const named = files.length === 0 ? paths : files.map(({ path }) => path);
      const load = (options: { lockFile?: string }) =>
        loadSchemas({ paths: named, approveRoot, isolation, ...options });
      if (isAgain) return { ...(await load(lockFile === undefined ? {} : { lockFile })), refused: [] };
      const { loaded, refused } = await loadWithLock({ paths, lock: lockFile }, load);
      return { schemas: loaded.schemas, findings: loaded.findings, refused };
    },
  };
}

/** The texts of lock files. What cannot be read says so when it is loaded. */
export function lockState(files: readonly (string | undefined)[]): string {
  return JSON.stringify(
    files.map((file) => {
      try {
        return file === undefined ? '' : readFileSync(file, 'utf8');
      } catch {
        return null;
      }
    }),
  );
}

function scanPlaces(places: readonly string[], approved: boolean): Scan {
  const time = Date.now();
  const scans = places.map((place): Scan => {
    const info = statSync(place, { throwIfNoEntry: false });
    if (info?.isDirectory() === true) return scanFolders([{ source: '', folder: place, approved }]);
    const { size = -1, mtimeMs: mtime = 0, ctimeMs: ctime = 0 } = info ?? {};
    const file = { source: '', path: place, place, mayBeSchema: true, named: true, approved, size, mtime, ctime };
    return { files: [file], findings: [], time };
  });
  const files = new Map(scans.flatMap((scan) => scan.files).map((file) => [file.path, file]));
  return { files: [...files.values()], findings: scans.flatMap(({ findings }) => findings), time };
}
