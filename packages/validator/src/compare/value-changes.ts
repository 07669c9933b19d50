import { isPlainObject } from '../findings/plain-object.ts';

/** One difference between two values; `before` or `after` is null where there was nothing. */
export interface FieldChange {
  /** Path from the value, such as `inputSchema.properties.city.description`; empty for the value itself. */
  field: string;
  kind: 'added' | 'removed' | 'modified';
  before: unknown;
  after: unknown;
}

/** Snapshots are never deeper; who made another may have it taken as changed. */
const MAX_DEPTH = 120;

/** The differences between two JSON values. The order of keys is none, and arrays are compared as wholes. */
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
  return isSame(before, after, depth) ? [] : [{ field, kind: 'modified', before, after }];
}

/** Deep equality of JSON values. */
export function isSame(one: unknown, other: unknown, depth: number = 0): boolean {
  if (one === other) return true;
  if (depth > MAX_DEPTH || typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(own(one, name), own(other, name), depth + 1))
  );
}

function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}
