/**
 * A deep copy of plain data, several times faster than `structuredClone`. Each part is copied as a whole first, which keeps
 * its shape and is faster than adding key after key; `__proto__` is then a key of the copy too, and is set as one.
 */
export function cloneData<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return cloneList(value) as T;
  const copy: Record<string, unknown> = { ...(value as object) };
  for (const key in copy) {
    const item = copy[key];
    if (typeof item === 'object' && item !== null) copy[key] = cloneData(item);
  }
  return copy as T;
}

function cloneList(list: readonly unknown[]): unknown[] {
  const copy = list.slice();
  for (let index = 0; index < copy.length; index += 1) {
    const item = copy[index];
    if (typeof item === 'object' && item !== null) copy[index] = cloneData(item);
  }
  return copy;
}
