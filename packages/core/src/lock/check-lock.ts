import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkArguments } from '../schema/arguments.ts';
import type { Finding } from '../schema/finding.ts';
import { type Grants, mergeGrants } from './grants.ts';
import { lockFinding } from './lock-codes.ts';
import { entriesAt, type Lock, type LockEntry, readLock } from './lock-file.ts';
import { lockedFile, lockFileName, lockPaths, realPath, trustCommand } from './lock-paths.ts';
import {
  type PinHashes,
  type PinnedParts,
  pinHashes,
  pinnedParts,
  type SchemaPin,
  type SchemaSummary,
  schemaPin,
} from './schema-pin.ts';

/** A schema compared with its entry in a lock file. */
export interface LockCheck {
  /** `new`: the lock has no entry for its file. */
  state: 'new' | 'same' | 'changed';
  file: string;
  /** The path of the entry, or of a new one. */
  path: string;
  entry?: LockEntry;
  /** The current schema. */
  pin: SchemaPin;
  /** The hashes that differ from those of the entry. */
  changed: readonly PinnedPart[];
  /** `root changed from … to …`, `2 tools added (a, b)`. */
  summary: readonly string[];
}

interface CheckedSchema {
  file: string;
  main: Record<string, unknown> | null;
}

/**
 * Compares a loaded schema with its entry in a lock. Undefined for a schema without a readable `main`.
 *
 * @example
 * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
 * const { lock } = readLock({ lockFile: 'schemakit.lock.json', missing: 'empty' });
 * if (lock) console.log(checkLock({ lock, schema })?.state); // new
 */
export function checkLock({ lock, schema }: { lock: Lock; schema: CheckedSchema }): LockCheck | undefined {
  const { file, main } = schema;
  const parts = main === null ? undefined : pinnedParts(main);
  if (parts === undefined) return undefined;
  const { path, entry } = findEntry(lock, file);
  const pin = schemaPin(parts);
  if (entry === undefined) return { state: 'new', file, path, pin, changed: [], summary: [] };
  const changed = changedParts(entry, pin);
  const state = changed.length === 0 ? 'same' : 'changed';
  return { state, file, path, entry, pin, changed, summary: describeChanges(entry, pin) };
}

/** The entry of a file with its path in the lock, or the path of a new entry. */
export function findEntry(lock: Lock, file: string): { path: string; entry?: LockEntry } {
  const paths = lockPaths(lock.file, file);
  for (const path of paths) {
    const entry = lock.schemas.get(path);
    if (entry !== undefined) return { path, entry };
  }
  return { path: paths[0] };
}

/** The options of `loadSchema` for the lock file. */
export interface LockOptions {
  /** A lock file. A schema that has an entry must match it, and gets its grants. */
  lockFile?: string;
  /** For a schema without an entry: `trust` loads it as if there were no lock file. Default `trust`. */
  onUnlocked?: 'trust' | 'refuse';
  /** @internal Paths of entries whose grants do not count, since the user has not accepted them. */
  unaccepted?: readonly string[];
}

export interface LockEnforcement {
  findings: readonly Finding[];
  /** Those of the caller, and those of the entry if the schema matches it. */
  grants: Grants;
}

/** Checks a schema against its entry in the lock file. A schema that does not match is an error. */
export function enforceLock(
  parts: PinnedParts,
  {
    file,
    lockFile,
    onUnlocked = 'trust',
    unaccepted = [],
    grants = {},
  }: LockOptions & { file: string; grants?: Grants },
): LockEnforcement {
  if (lockFile === undefined && onUnlocked === 'trust') return { findings: [], grants };
  const problems = checkArguments('loadSchema', { lockFile }, { lockFile: 'text' });
  if (lockFile === undefined || problems.length > 0) return { findings: problems, grants };
  const { lock, findings } = readLock({ lockFile });
  if (lock === undefined) return { findings, grants };
  const { path, entry } = findEntry(lock, file);
  if (entry === undefined) return { findings: onUnlocked === 'trust' ? [] : [noEntry(file, lockFile)], grants };
  if (changedParts(entry, pinHashes(parts)).length > 0) {
    return { findings: [notTrusted(describeChanges(entry, schemaPin(parts)), { file, lockFile })], grants };
  }
  if (unaccepted.includes(path)) return { findings: [], grants };
  const read = entry.grants.read?.map((granted) => grantedPath(lockFile, granted)) ?? [];
  return { findings: [], grants: mergeGrants(grants, { ...entry.grants, read }) };
}

/** The path of a `read` grant. They are real paths, also below the folder of the lock file. */
export function grantedPath(lockFile: string, path: string): string {
  return lockedFile(join(realPath(dirname(lockFile)), lockFileName), path);
}

function notTrusted(summary: readonly string[], { file, lockFile }: { file: string; lockFile: string }): Finding {
  const hint = `Review the changes. If you trust it: ${trustCommand({ files: [file], lockFile })}`;
  return lockFinding('LCK004', `this is not the schema that was trusted: ${summary.join('; ')}`, { hint });
}

function noEntry(file: string, lockFile: string): Finding {
  const hint = `Review the schema. If you trust it: ${trustCommand({ files: [file], lockFile })}`;
  return lockFinding('LCK005', 'this schema has no entry in the lock file', { hint });
}

/**
 * Warnings for entries of missing files: a renamed file loses its entry, and nothing pins its new name.
 *
 * @example
 * const { lock } = readLock({ lockFile: 'schemakit.lock.json', missing: 'empty' });
 * if (lock) console.log(missingFiles({ lock, paths: ['.'] })); // []
 */
export function missingFiles({ lock, paths }: { lock: Lock; paths: readonly string[] }): Finding[] {
  const files = entriesAt(lock, paths).map(([path]) => ({ path, file: lockedFile(lock.file, path) }));
  return files
    .filter(({ file }) => !existsSync(file))
    .map(({ path, file }) =>
      lockFinding('LCK006', `the lock file has an entry for ${path}, which does not exist`, {
        file: lock.file,
        hint: `If it was renamed, trust its new name. Remove the entry: ${trustCommand({ files: [file], lockFile: lock.file, flags: ['--revoke'] })}`,
      }),
    );
}

/** A part of a schema that has its own hash. */
export type PinnedPart = 'main' | 'handlers' | 'lists';

export function changedParts(before: PinHashes, after: PinHashes): PinnedPart[] {
  const parts: PinnedPart[] = [];
  if (before.main !== after.main) parts.push('main');
  if (before.handlers !== after.handlers) parts.push('handlers');
  if (listChanges(before, after).length > 0) parts.push('lists');
  return parts;
}

/** Describes changes for the user's decision, the most important first. Empty if nothing changed. */
function describeChanges(before: SchemaPin, after: SchemaPin): string[] {
  const changed = changedParts(before, after);
  const main = changed.includes('main') ? mainChanges(before.seen, after.seen) : undefined;
  return [
    // Only the hash decides. The summary may have been edited by hand.
    ...(main?.length === 0 ? ['main changed'] : (main ?? [])),
    ...(changed.includes('handlers') ? handlerChanges(before, after) : []),
    ...listChanges(before, after),
  ];
}

function listChanges({ lists: before }: PinHashes, { lists: after }: PinHashes): string[] {
  return changes('shared list', Object.entries(before), Object.entries(after));
}

function mainChanges(before: SchemaSummary, after: SchemaSummary): string[] {
  return [
    ...(before.root === after.root ? [] : [`root changed from ${before.root || 'none'} to ${after.root || 'none'}`]),
    ...tokenEndpointChanges(before.tokenEndpoint?.url, after.tokenEndpoint?.url),
    ...changes('secret', named(before.secrets), named(after.secrets)),
    ...changes('library', named(before.libraries), named(after.libraries)),
    ...changes('tool', toolsOf(before), toolsOf(after)),
    ...changes('field of main', fieldsOf(before), fieldsOf(after)),
  ];
}

function tokenEndpointChanges(before: string = 'none', after: string = 'none'): string[] {
  return before === after ? [] : [`token endpoint changed from ${before} to ${after}`];
}

function handlerChanges(before: SchemaPin, after: SchemaPin): string[] {
  if (after.handlers === null) return ['handlers removed'];
  return [
    before.handlers === null ? 'handlers added' : 'handlers changed',
    ...changes('host in handlers', named(before.seen.hosts), named(after.seen.hosts)),
    ...changes('hook', named(before.seen.hooks ?? []), named(after.seen.hooks ?? [])),
  ];
}

const isTool = ([name]: readonly [string, string]) => name.startsWith('tools.');
const toolsOf = ({ parts }: SchemaSummary): Entries =>
  Object.entries(parts)
    .filter(isTool)
    .map(([name, hash]) => [name.slice('tools.'.length), hash]);
const fieldsOf = ({ parts }: SchemaSummary): Entries => Object.entries(parts).filter((part) => !isTool(part));

const plurals: Readonly<Record<string, string>> = {
  library: 'libraries',
  'field of main': 'fields of main',
  'host in handlers': 'hosts in handlers',
};

type Entries = readonly (readonly [name: string, hash: string])[];

const named = (names: readonly string[]): Entries => names.map((name) => [name, '']);

/** `2 tools added (a, b)`. */
function changes(noun: string, before: Entries, after: Entries): string[] {
  const [old, now] = [new Map(before), new Map(after)];
  const changed = {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now.keys()].filter((name) => old.has(name) && old.get(name) !== now.get(name)),
  };
  return Object.entries(changed).flatMap(([change, names]) => {
    if (names.length === 0) return [];
    const counted = names.length === 1 ? noun : (plurals[noun] ?? `${noun}s`);
    return [`${names.length} ${counted} ${change} (${names.sort().join(', ')})`];
  });
}
