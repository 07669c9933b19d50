/**
 * A short name for a text: 16 hexadecimal digits (FNV-1a, twice). Not for secrets: who wants to can make two texts with one name.
 * The hashes of Node take longer to load than a search takes.
 */
export function textHash(text: string): string {
  const seeds = [0x811c9dc5, 0x01000193];
  const hashes = seeds.map((seed) => {
    let hash = seed;
    for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    return (hash >>> 0).toString(16).padStart(8, '0');
  });
  return hashes.join('');
}
