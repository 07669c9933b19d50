import { type Folded, isNotData, isPrimitive, type NotData } from './folded-value.ts';

const maxValueDepth = 150;
/** How many parts a value may have, counting what is shared as often as it is used. Keeps aliases from growing without end. */
const maxParts = 400_000;

/** `found` is what stands at `path` and is no data, where that is a piece of code. */
export type Measured =
  | { status: 'data'; parts: number }
  | { status: 'not-data'; found: NotData | undefined; what: string; path: readonly (string | number)[] };

/**
 * Tells whether a value is data that JSON can carry, and counts its parts. Shared parts count each time, but are looked at
 * once, so that this takes time by memory and not by the size that the value would have as text.
 */
export function measure(value: Folded): Measured {
  const known = new Map<object, number>();
  /** Where the first thing stands that is no data, innermost key first. */
  const path: (string | number)[] = [];
  let refused: { what: string; found: NotData | undefined } | undefined;

  function refuse(what: string, found?: NotData): number {
    refused = { what, found };
    return 0;
  }

  function visit(part: Folded, depth: number): number {
    if (typeof part === 'string')
      return part.isWellFormed() ? 1 + part.length / 64 : refuse('half of a surrogate pair');
    if (isPrimitive(part)) return 1;
    const earlier = known.get(part);
    if (earlier !== undefined) return earlier;
    if (isNotData(part)) return refuse(part.kind === 'opaque' ? part.what : 'a function', part);
    if (part instanceof Set) return refuse('a Set');
    if (depth > maxValueDepth) return refuse(`more than ${maxValueDepth} levels`);
    const parts = Array.isArray(part) ? visitItems(part, depth) : visitKeys(part as { [key: string]: Folded }, depth);
    if (parts > maxParts) refuse(`more than ${maxParts} parts`);
    known.set(part, parts);
    return parts;
  }

  function visitItems(items: readonly Folded[], depth: number): number {
    let parts = 1;
    for (let index = 0; index < items.length; index += 1) {
      parts += visit(items[index], depth + 1);
      if (refused !== undefined) {
        path.push(index);
        return 0;
      }
    }
    return parts;
  }

  function visitKeys(object: { [key: string]: Folded }, depth: number): number {
    let parts = 1;
    for (const key of Object.keys(object)) {
      parts += key.isWellFormed() ? visit(object[key], depth + 1) : refuse('half of a surrogate pair in a key');
      if (refused !== undefined) {
        path.push(key);
        return 0;
      }
    }
    return parts;
  }

  const parts = visit(value, 0);
  return refused === undefined ? { status: 'data', parts } : { status: 'not-data', ...refused, path: path.reverse() };
}
