/**
 * Keeps what was made from the bytes of files, by their hash: the same bytes are read once, a changed file is read anew.
 * The oldest of more than `max` entries is forgotten.
 */
export function contentCache<T>(max: number): (hash: string, variant: string, make: () => T) => T {
  const kept = new Map<string, T>();
  return (hash, variant, make) => {
    const key = `${hash} ${variant}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = make();
    kept.set(key, made);
    const [oldest] = kept.keys();
    if (kept.size > max && oldest !== undefined) kept.delete(oldest);
    return made;
  };
}
