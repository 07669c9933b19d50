import fc from 'fast-check';
import { hostileKeys, hostileValues } from './hostile-values.ts';

/** One change of a document. `place` and `other` choose among the places that there are; numbers shrink to the first. */
export type Mutation =
  | { kind: 'drop'; place: number }
  | { kind: 'replace'; place: number; value: string }
  | { kind: 'rename'; place: number; key: string }
  | { kind: 'add'; place: number; key: string; value: string }
  | { kind: 'swap'; place: number; other: number }
  | { kind: 'copy'; place: number; other: number }
  | { kind: 'wrap'; place: number; into: 'array' | 'object' };

/** A few changes, one after the other. */
export function mutations(valueNames: readonly string[] = Object.keys(hostileValues)): fc.Arbitrary<Mutation[]> {
  const place = fc.nat(1000);
  const value = fc.constantFrom(...valueNames);
  const key = fc.constantFrom(...hostileKeys);
  const mutation: fc.Arbitrary<Mutation> = fc.oneof(
    fc.record({ kind: fc.constant('drop' as const), place }),
    fc.record({ kind: fc.constant('replace' as const), place, value }),
    fc.record({ kind: fc.constant('rename' as const), place, key }),
    fc.record({ kind: fc.constant('add' as const), place, key, value }),
    fc.record({ kind: fc.constant('swap' as const), place, other: place }),
    fc.record({ kind: fc.constant('copy' as const), place, other: place }),
    fc.record({
      kind: fc.constant('wrap' as const),
      place,
      into: fc.constantFrom('array' as const, 'object' as const),
    }),
  );
  return fc.array(mutation, { minLength: 1, maxLength: 4 });
}

/** Something that stands under a key of a parent. */
interface Place {
  parent: Record<string, unknown>;
  key: string;
}

/** Changes a document in place. */
export function mutate(document: Record<string, unknown>, steps: readonly Mutation[]): Record<string, unknown> {
  // What was put in is not looked into: it may be endless.
  const known = placesIn(document);
  for (const step of steps) {
    const place = known[step.place % known.length];
    if (place !== undefined) apply(step, place, known);
  }
  return document;
}

function apply(step: Mutation, { parent, key }: Place, known: readonly Place[]): void {
  const value = parent[key];
  switch (step.kind) {
    case 'drop':
      delete parent[key];
      return;
    case 'replace':
      define(parent, key, hostileValues[step.value]?.());
      return;
    case 'rename':
      delete parent[key];
      define(parent, step.key, value);
      return;
    case 'add':
      define(parent, step.key, hostileValues[step.value]?.());
      return;
    case 'wrap':
      define(parent, key, step.into === 'array' ? [value] : { [key]: value });
      return;
    default: {
      const other = known[step.other % known.length];
      if (other === undefined) return;
      const theirs = other.parent[other.key];
      // A copy, so that no circle comes of it.
      if (step.kind === 'swap' && !contains(value, other.parent) && !contains(theirs, parent)) {
        define(other.parent, other.key, value);
        define(parent, key, theirs);
      } else if (!contains(value, other.parent)) define(other.parent, other.key, value);
    }
  }
}

/** Sets an own key, also `__proto__`; the length of an array is not one to set. */
function define(parent: Record<string, unknown>, key: string, value: unknown): void {
  if (Array.isArray(parent) && key === 'length') return;
  Object.defineProperty(parent, key, { value, enumerable: true, writable: true, configurable: true });
}

function placesIn(document: Record<string, unknown>): Place[] {
  const places: Place[] = [];
  const visit = (parent: Record<string, unknown>): void => {
    for (const key of Object.keys(parent)) {
      places.push({ parent, key });
      const value = parent[key];
      if (typeof value === 'object' && value !== null) visit(value as Record<string, unknown>);
    }
  };
  visit(document);
  return places;
}

function contains(value: unknown, wanted: unknown): boolean {
  const seen = new Set<unknown>();
  const waiting = [value];
  for (let next = waiting.pop(); waiting.length > 0 || next !== undefined; next = waiting.pop()) {
    if (next === wanted) return true;
    if (typeof next !== 'object' || next === null || seen.has(next) || seen.size > 5000) continue;
    seen.add(next);
    for (const item of valuesOf(next)) waiting.push(item);
  }
  return false;
}

function valuesOf(value: object): unknown[] {
  try {
    return Object.values(value);
  } catch {
    return []; // Made to throw; nothing of the document is in it.
  }
}
