import { exactText, lookOf, plainText } from '../findings/plain-text.ts';
import { sortedJson } from './sorted-json.ts';
import type { FieldChange } from './value-changes.ts';

/** Characters of what differs that are shown, and of what is the same around it. */
const MAX_CHANGED = 400;
const AROUND = 60;

/** A change in one line: what was before and what is there now. Of long texts the place where they part, so that nothing new hides behind what is old. */
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

/** Not counted into what is the same at the start: an insertion must not be taken from both sides. */
function sameAtEnd(one: string, other: string): number {
  const end = Math.min(one.length, other.length) - sameAtStart(one, other);
  let count = 0;
  while (count < end && one[one.length - 1 - count] === other[other.length - 1 - count]) count++;
  return count;
}
