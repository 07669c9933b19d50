import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@schemakit/core/internal';

/** A change of a tool, in words. */
export interface Change {
  /** What changed: `parameter limit`, `output items[].name`, `description`. */
  place: string;
  message: string;
  /** Whether calls that worked, or programs that read the answers, may fail now. */
  breaking: boolean;
}

type Shape = Readonly<Record<string, unknown>>;

interface Place {
  /** `input`: what callers send. `output`: what they get. */
  side: 'input' | 'output';
  /** Such as `owner.name`; empty for the whole. */
  path: string;
}

/** Compares JSON Schemas of the arguments or the answer of a tool. */
export function compareShapes(before: unknown, after: unknown, place: Place): Change[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [old, now] = [shapeOf(before), shapeOf(after)];
  const known = [
    ...compareTypes(old, now, place),
    ...compareEnums(old, now, place),
    ...compareMembers(old, now, place),
    ...compareItems(old, now, place),
    ...compareLimits(old, now, place),
    ...compareNotes(old, now, place),
  ];
  const rest = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (key) => !compared.has(key) && !isDeepStrictEqual(old[key], now[key]),
  );
  // What cannot be told apart may break callers.
  return [...known, ...rest.map((key) => change(place, `\`${key}\` is different`, place.side === 'input'))];
}

const lowest = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const highest = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const exact = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'const'];
const notes = ['description', 'default', 'title', 'examples'];
const compared = new Set([
  ...['type', 'nullable', 'enum', 'properties', 'required', 'items', 'additionalProperties'],
  ...[...lowest, ...highest, ...exact, ...notes],
]);

function compareTypes(old: Shape, now: Shape, place: Place): Change[] {
  const [before, after] = [typesOf(old), typesOf(now)];
  if (before.join() === after.join()) return [];
  const message = `is ${words(after, 'any value')} instead of ${words(before, 'any value')}`;
  const isCovered = place.side === 'input' ? covers(after, before) : covers(before, after);
  return [change(place, message, !isCovered)];
}

function typesOf({ type, nullable }: Shape): string[] {
  const types = Array.isArray(type) ? type.map(String) : type === undefined ? [] : [String(type)];
  return [...types, ...(nullable === true ? ['null'] : [])].toSorted();
}

/** Whether every value of some types is one of the wide ones. No types are all. */
function covers(wide: readonly string[], narrow: readonly string[]): boolean {
  if (wide.length === 0) return true;
  const accepts = (type: string) => wide.includes(type) || (type === 'integer' && wide.includes('number'));
  return narrow.length > 0 && narrow.every(accepts);
}

/** A longer list breaks no one: programs have to expect new values of the API. */
function compareEnums(old: Shape, now: Shape, place: Place): Change[] {
  const [before, after] = [valuesOf(old), valuesOf(now)];
  if (before === undefined && after === undefined) return [];
  if (after === undefined) return [change(place, 'may have any value', false)];
  if (before === undefined) return [change(place, `is one of ${words(after)} only`, place.side === 'input')];
  const gone = before.filter((value) => !after.includes(value));
  const fresh = after.filter((value) => !before.includes(value));
  return [
    ...(gone.length > 0 ? [change(place, `is no longer ${words(gone)}`, place.side === 'input')] : []),
    ...(fresh.length > 0 ? [change(place, `may be ${words(fresh)}, too`, false)] : []),
  ];
}

function valuesOf({ enum: values }: Shape): string[] | undefined {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : undefined;
}

function compareMembers(old: Shape, now: Shape, place: Place): Change[] {
  const [before, after] = [shapeOf(old.properties), shapeOf(now.properties)];
  const [neededBefore, neededNow] = [requiredOf(old), requiredOf(now)];
  const isInput = place.side === 'input';
  const changes = [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const own = { ...place, path: place.path === '' ? name : `${place.path}.${name}` };
    const [was, is] = [Object.hasOwn(before, name), Object.hasOwn(after, name)];
    const isNeeded = neededNow.has(name);
    if (!is) return [change(own, 'removed', true)];
    if (!was) return [change(own, isNeeded && isInput ? 'added, and required' : 'added', isNeeded && isInput)];
    const needs = neededBefore.has(name) === isNeeded ? [] : [change(own, ...needWords(isNeeded, isInput))];
    return [...needs, ...compareShapes(before[name], after[name], own)];
  });
  const [wasOpen, isOpen] = [old, now].map(({ additionalProperties }) => additionalProperties);
  if (isDeepStrictEqual(wasOpen, isOpen)) return changes;
  if (isObject(wasOpen) && isObject(isOpen)) {
    return [...changes, ...compareShapes(wasOpen, isOpen, { ...place, path: `${place.path}.*` })];
  }
  const isNarrower = isInput ? wasOpen !== false : isOpen !== false;
  return [...changes, change(place, isOpen === false ? 'has no other members' : 'may have other members', isNarrower)];
}

function needWords(isNeeded: boolean, isInput: boolean): [string, boolean] {
  if (isInput) return [isNeeded ? 'is required now' : 'is optional now', isNeeded];
  return [isNeeded ? 'is always there now' : 'may be missing now', !isNeeded];
}

function requiredOf({ required }: Shape): Set<string> {
  return new Set(Array.isArray(required) ? required.map(String) : []);
}

function compareItems(old: Shape, now: Shape, place: Place): Change[] {
  if (!isObject(old.items) && !isObject(now.items)) return [];
  return compareShapes(old.items, now.items, { ...place, path: `${place.path}[]` });
}

function compareLimits(old: Shape, now: Shape, place: Place): Change[] {
  return [...lowest, ...highest, ...exact].flatMap((key) => {
    const [before, after] = [old[key], now[key]];
    if (isDeepStrictEqual(before, after)) return [];
    const isLow = lowest.includes(key);
    const isWider =
      after === undefined ||
      (typeof before === 'number' &&
        typeof after === 'number' &&
        !exact.includes(key) &&
        (isLow ? after < before : after > before));
    const was = before === undefined ? '' : ` instead of ${JSON.stringify(before)}`;
    const message = after === undefined ? `\`${key}\` removed` : `\`${key}\` is ${JSON.stringify(after)}${was}`;
    return [change(place, message, place.side === 'input' && !isWider)];
  });
}

function compareNotes(old: Shape, now: Shape, place: Place): Change[] {
  return notes.flatMap((key) =>
    isDeepStrictEqual(old[key], now[key]) ? [] : [change(place, `${key} changed`, false)],
  );
}

function change({ side, path }: Place, message: string, breaking: boolean): Change {
  const word = side === 'output' ? 'output' : path === '' ? 'parameters' : 'parameter';
  return { place: path === '' ? word : `${word} ${path}`, message, breaking };
}

function words(values: readonly string[], none = 'nothing'): string {
  return values.length === 0 ? none : values.join(', ');
}

function shapeOf(value: unknown): Shape {
  return isObject(value) ? value : {};
}
