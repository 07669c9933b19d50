import type { LoadedSchema } from '../load-schema.ts';
import { changedParts, describeChanges, type PinnedPart } from './describe-changes.ts';
import type { Lock, LockEntry } from './lock.ts';
import { lockPaths } from './lock-paths.ts';
import { pinnedParts } from './pinned-parts.ts';
import { type SchemaPin, schemaPin } from './schema-pin.ts';

/** How a schema stands to a lock file. */
export interface LockCheck {
  /** `new`: the lock has no entry for its file. */
  state: 'new' | 'same' | 'changed';
  /** The schema's file. */
  file: string;
  /** The path of the entry, or of the one to be. */
  path: string;
  /** As it stands in the lock. */
  entry?: LockEntry;
  /** The schema as it is now. */
  pin: SchemaPin;
  /** Which hashes differ from those of the entry. */
  changed: readonly PinnedPart[];
  /** What changed, in words: `root changed from … to …`, `2 tools added (a, b)`. */
  summary: readonly string[];
}

/**
 * Compares a loaded schema with its entry in a lock. Undefined for a schema whose `main` could not be read.
 *
 * @param options.schema - What `loadSchema` gave.
 */
export function checkLock({
  lock,
  schema,
}: {
  lock: Lock;
  schema: Pick<LoadedSchema, 'file' | 'main'>;
}): LockCheck | undefined {
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

/** The entry of a file, and its path in the lock; without one, the path that it would have. */
export function findEntry(lock: Lock, file: string): { path: string; entry?: LockEntry } {
  const paths = lockPaths(lock.file, file);
  for (const path of paths) {
    const entry = lock.schemas.get(path);
    if (entry !== undefined) return { path, entry };
  }
  return { path: paths[0] };
}
