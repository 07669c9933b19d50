import { isPlainObject } from '../findings/plain-object.ts';

/** JSON with the keys of every object in order: two values that differ in one place differ there alone. */
export function sortedJson(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) =>
    isPlainObject(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
  return text ?? 'nothing';
}
