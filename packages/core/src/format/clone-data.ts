/** A deep copy of plain data, several times faster than `structuredClone`. Keys are defined, so `__proto__` is a key. */
export function cloneData<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item) => cloneData(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__')
      Object.defineProperty(copy, key, {
        value: cloneData(item),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    else copy[key] = cloneData(item);
  }
  return copy as T;
}
