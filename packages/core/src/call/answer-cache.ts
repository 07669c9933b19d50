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
