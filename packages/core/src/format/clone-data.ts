/** A deep copy of plain data, several times faster than `structuredClone`. Keys are defined, so `__proto__` is a key. */
export function cloneData<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item) => cloneData(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  // Spread first, which keeps the shape of the object: then `__proto__` is a key of the copy too, and is set as one.
  const copy: Record<string, unknown> = { ...(value as object) };
  for (const key of Object.keys(copy)) {
    const item = copy[key];
    if (typeof item === 'object' && item !== null) copy[key] = cloneData(item);
  }
  return copy as T;
}
