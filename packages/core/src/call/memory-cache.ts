import { randomBytes } from 'node:crypto';
import type { AnswerCache } from './answer-cache.ts';

export interface MemoryCacheOptions {
  /** Entries that are kept at most. Default 1,000. */
  maxEntries?: number;
  /** Characters that all entries have together at most. Default 32 million. */
  maxCharacters?: number;
}

/** A cache that ends with the process. Full, it forgets what was used longest ago. */
export function createMemoryCache({
  maxEntries = 1000,
  maxCharacters = 32_000_000,
}: MemoryCacheOptions = {}): AnswerCache {
  const salt = randomBytes(32).toString('hex');
  const entries = new Map<string, string>();
  let characters = 0;
  const forget = (key: string) => {
    characters -= entries.get(key)?.length ?? 0;
    entries.delete(key);
  };
  return {
    salt: async () => salt,
    async read(key) {
      const text = entries.get(key);
      if (text === undefined) return undefined;
      // A map keeps its order, so that the first key is the one that was used longest ago.
      entries.delete(key);
      entries.set(key, text);
      return text;
    },
    async write(key, text) {
      forget(key);
      if (text.length > maxCharacters / 4) return false;
      entries.set(key, text);
      characters += text.length;
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && characters <= maxCharacters) break;
        forget(oldest);
      }
      return true;
    },
  };
}
