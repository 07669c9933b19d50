import { createHash } from 'node:crypto';

const maxLength = 64;

/**
 * Names that every provider accepts: at most 64 of `A-Za-z0-9_-`, each once. A name that has to be cut keeps its beginning and gets
 * a hash of the whole; one that is taken gets a number.
 */
export function createSafeNames(taken: Iterable<string> = []): (name: string) => string {
  const used = new Set(taken);
  return (name) => {
    const safe = shorten(name.replace(/[^A-Za-z0-9_-]/g, '_') || 'tool', name);
    let unique = safe;
    for (let count = 2; used.has(unique); count += 1) unique = `${safe.slice(0, maxLength - 4)}_${count}`;
    used.add(unique);
    return unique;
  };
}

function shorten(safe: string, name: string): string {
  if (safe.length <= maxLength) return safe;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${safe.slice(0, maxLength - hash.length - 1)}_${hash}`;
}
