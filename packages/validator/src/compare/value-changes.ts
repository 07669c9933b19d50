import { isDeepStrictEqual } from 'node:util';
import { isPlainObject } from '../findings/plain-object.ts';
import { exactText, lookOf, plainText } from '../findings/plain-text.ts';

/** A difference between two values; null if there was no value. */
export interface FieldChange {
  /** Path from the value, such as `inputSchema.properties.city.description`; empty for the value itself. */
  field: string;
  kind: 'added' | 'removed' | 'modified';
  before: unknown;
  after: unknown;
}

/** Snapshots are never deeper; deeper values are compared as a whole. */
const MAX_DEPTH = 120;

/** The differences between two JSON values. Ignores the order of keys and compares arrays as a whole. */
export function valueChanges(before: unknown, after: unknown, field: string = '', depth: number = 0): FieldChange[] {
  if (before === undefined && after === undefined) return [];
  if (before === undefined) return [{ field, kind: 'added', before: null, after }];
  if (after === undefined) return [{ field, kind: 'removed', before, after: null }];
  if (depth < MAX_DEPTH && isPlainObject(before) && isPlainObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) =>
      valueChanges(own(before, name), own(after, name), field === '' ? name : `${field}.${name}`, depth + 1),
    );
  }
  return isDeepStrictEqual(before, after) ? [] : [{ field, kind: 'modified', before, after }];
}

function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** Maximum characters of a change, and of its context. */
const MAX_CHANGED = 400;
const AROUND = 60;

/** Shows a change in one line. Long texts are cut around the difference, so that it is always visible. */
export function showChange({ field, before, after }: FieldChange): string {
  const [old, now] = [asText(before), asText(after)];
  const isAlike = lookOf(old) === lookOf(now);
  const write = isAlike ? exactText : plainText;
  const [from, fromEnd] = [sameAtStart(old, now), sameAtEnd(old, now)];
  const part = (text: string): string => {
    const begin = from > 2 * AROUND ? from - AROUND : 0;
    const rest = text.slice(begin, fromEnd > 2 * AROUND ? text.length - fromEnd + AROUND : undefined);
    const dots = [begin > 0 ? '…' : '', begin + rest.length < text.length ? '…' : ''];
    return `${dots[0]}${write(rest, MAX_CHANGED + 4 * AROUND)}${dots[1]}`.replace(/…+$/, '…');
  };
  const name = field === '' ? '' : `${plainText(field, 80)}: `;
  return `${name}${part(old)} -> ${part(now)}${isAlike ? ' (they look alike)' : ''}`;
}

function asText(value: unknown): string {
  return value === null ? 'nothing' : sortedJson(value);
}

function sameAtStart(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  let index = 0;
  while (index < end && one[index] === other[index]) index++;
  return index;
}

/** Does not overlap with `sameAtStart`, so that an insertion is not cut from both sides. */
function sameAtEnd(one: string, other: string): number {
  const end = Math.min(one.length, other.length) - sameAtStart(one, other);
  let count = 0;
  while (count < end && one[one.length - 1 - count] === other[other.length - 1 - count]) count++;
  return count;
}

function sortedJson(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) =>
    isPlainObject(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
  return text ?? 'nothing';
}
