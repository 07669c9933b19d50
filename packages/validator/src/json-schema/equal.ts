import { isPlainObject } from '../findings/plain-object.ts';
import { spend, type Work } from './work.ts';

/** True if two JSON values are the same, whatever the order of names. */
export function isEqual(one: unknown, other: unknown, work: Work): boolean {
  if (one === other) return true;
  if (!spend(work)) return false;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index], work));
  }
  if (!isPlainObject(one) || !isPlainObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name], work))
  );
}

/** True if a value is in a list. */
export function isAmong(values: readonly unknown[], value: unknown, work: Work): boolean {
  if (typeof value !== 'object' || value === null) return spend(work, values.length / 20) && values.includes(value);
  return values.some((candidate) => isEqual(candidate, value, work));
}
