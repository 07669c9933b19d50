import type { PinHashes, SchemaPin, SeenSchema } from './schema-pin.ts';

/** A part of a schema that has a hash of its own. */
export type PinnedPart = 'main' | 'handlers' | 'lists';

/** The parts of which the hashes differ. */
export function changedParts(before: PinHashes, after: PinHashes): PinnedPart[] {
  const parts: PinnedPart[] = [];
  if (before.main !== after.main) parts.push('main');
  if (before.handlers !== after.handlers) parts.push('handlers');
  if (listChanges(before, after).length > 0) parts.push('lists');
  return parts;
}

/** What changed, in words: what a person needs to decide, the weightiest first. Empty where nothing did. */
export function describeChanges(before: SchemaPin, after: SchemaPin): string[] {
  const changed = changedParts(before, after);
  const main = changed.includes('main') ? mainChanges(before.seen, after.seen) : undefined;
  return [
    // The words are kept beside the hash, which alone decides; somebody may have edited one of them.
    ...(main?.length === 0 ? ['main changed'] : (main ?? [])),
    ...(changed.includes('handlers') ? handlerChanges(before, after) : []),
    ...listChanges(before, after),
  ];
}

function listChanges({ lists: before }: PinHashes, { lists: after }: PinHashes): string[] {
  return changes('shared list', Object.entries(before), Object.entries(after));
}

function mainChanges(before: SeenSchema, after: SeenSchema): string[] {
  return [
    ...(before.root === after.root ? [] : [`root changed from ${before.root || 'none'} to ${after.root || 'none'}`]),
    ...changes('secret', named(before.secrets), named(after.secrets)),
    ...changes('library', named(before.libraries), named(after.libraries)),
    ...changes('tool', toolsOf(before), toolsOf(after)),
    ...changes('field of main', fieldsOf(before), fieldsOf(after)),
  ];
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
const toolsOf = ({ parts }: SeenSchema): Entries =>
  Object.entries(parts)
    .filter(isTool)
    .map(([name, hash]) => [name.slice('tools.'.length), hash]);
const fieldsOf = ({ parts }: SeenSchema): Entries => Object.entries(parts).filter((part) => !isTool(part));

const plurals: Readonly<Record<string, string>> = {
  library: 'libraries',
  'field of main': 'fields of main',
  'host in handlers': 'hosts in handlers',
};

/** Names with the hash of what they stand for. */
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
