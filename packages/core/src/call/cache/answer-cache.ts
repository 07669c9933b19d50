import { randomBytes } from 'node:crypto';

/**
 * Where answers are kept for the time that `preload` of their tool names. Failures of a cache fail no call: an entry that cannot
 * be read is fetched, one that cannot be written is not kept.
 */
export interface AnswerCache {
  /**
   * Text that is kept with the cache and that nobody else knows. Keys are digests made with it, so that they tell nothing about
   * the input and the secrets of a call to somebody who sees them elsewhere.
   */
  salt(): Promise<string>;
  /** The text of an entry; undefined where there is none. */
  read(key: string): Promise<string | undefined>;
  /** Keeps the text of an entry. False where it was not kept. */
  write(key: string, text: string, expiresAt: Date): Promise<boolean>;
}

/** What a cache had to do with a call. Times are ISO 8601. */
export type CacheUse =
  | { hit: true; fetchedAt: string; expiresAt: string }
  | { hit: false; stored: true; expiresAt: string }
  | { hit: false; stored: false };

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
