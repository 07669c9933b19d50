import type { PinHashes, SchemaPin } from './schema-pin.ts';

/** A part of a schema that has a hash of its own. */
export type PinnedPart = 'main' | 'handlers' | 'lists';

/** The parts of which the hashes differ. */
export function changedParts(before: PinHashes, after: PinHashes): PinnedPart[] {
  const parts: PinnedPart[] = [];
  if (before.main !== after.main) parts.push('main');
  if (before.handlers !== after.handlers) parts.push('handlers');
  const names = new Set([...Object.keys(before.lists), ...Object.keys(after.lists)]);
  if ([...names].some((name) => own(before.lists, name) !== own(after.lists, name))) parts.push('lists');
  return parts;
}

/** What changed, in words: what a person needs to decide, the weightiest first. Empty where nothing did. */
export function describeChanges(before: SchemaPin, after: SchemaPin): string[] {
  const changed = changedParts(before, after);
  const ofMain = mainChanges(before, after);
  return [
    // The words are kept beside the hash, which alone decides; somebody may have edited one of them.
    ...(changed.includes('main') ? (ofMain.length > 0 ? ofMain : ['main changed']) : []),
    ...(changed.includes('handlers') ? handlerChanges(before, after) : []),
    ...recordChanges(['shared list', 'shared lists'], before.lists, after.lists),
  ];
}

function mainChanges({ seen: before }: SchemaPin, { seen: after }: SchemaPin): string[] {
  const [toolsBefore, fieldsBefore] = splitParts(before.parts);
  const [toolsAfter, fieldsAfter] = splitParts(after.parts);
  return [
    ...(before.root === after.root ? [] : [`root changed from ${before.root || 'none'} to ${after.root || 'none'}`]),
    ...nameChanges(['secret', 'secrets'], before.secrets, after.secrets),
    ...nameChanges(['library', 'libraries'], before.libraries, after.libraries),
    ...recordChanges(['tool', 'tools'], toolsBefore, toolsAfter),
    ...recordChanges(['field of main', 'fields of main'], fieldsBefore, fieldsAfter),
  ];
}

function handlerChanges(before: SchemaPin, after: SchemaPin): string[] {
  if (after.handlers === null) return ['handlers removed'];
  return [
    before.handlers === null ? 'handlers added' : 'handlers changed',
    ...nameChanges(['host in handlers', 'hosts in handlers'], before.seen.hosts, after.seen.hosts),
    ...nameChanges(['hook', 'hooks'], before.seen.hooks ?? [], after.seen.hooks ?? []),
  ];
}

type Noun = readonly [one: string, several: string];
type Texts = Readonly<Record<string, string>>;

function splitParts(parts: Texts): [tools: Texts, fields: Texts] {
  const prefix = 'tools.';
  const entries = Object.entries(parts);
  const tools = entries
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, text]) => [name.slice(prefix.length), text]);
  return [Object.fromEntries(tools), Object.fromEntries(entries.filter(([name]) => !name.startsWith(prefix)))];
}

function recordChanges(noun: Noun, before: Texts, after: Texts): string[] {
  const kept = Object.keys(after).filter((name) => Object.hasOwn(before, name));
  return [
    ...nameChanges(noun, Object.keys(before), Object.keys(after)),
    ...count(
      noun,
      'changed',
      kept.filter((name) => before[name] !== after[name]),
    ),
  ];
}

function nameChanges(noun: Noun, before: readonly string[], after: readonly string[]): string[] {
  return [
    ...count(
      noun,
      'added',
      after.filter((name) => !before.includes(name)),
    ),
    ...count(
      noun,
      'removed',
      before.filter((name) => !after.includes(name)),
    ),
  ];
}

/** `2 tools added (a, b)`. */
function count([one, several]: Noun, change: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [`${names.length} ${names.length === 1 ? one : several} ${change} (${[...names].sort().join(', ')})`];
}

function own(texts: Texts, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}
