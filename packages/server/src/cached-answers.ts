import { randomUUID } from 'node:crypto';
import type { ServedCallOptions } from './catalog/tool-catalog.ts';

type WholeAnswer = Parameters<NonNullable<ServedCallOptions['keep']>>[0];

/** Whole answers that were too long for a result, cached so that clients can read them as resources. */
export interface CachedAnswers {
  /**
   * Caches an answer and returns its URI, which grants access to it and cannot be guessed. Undefined for an answer that is too long
   * for one message.
   */
  add(answer: WholeAnswer): string | undefined;
  /** The answer at a URI; undefined if it was never cached or has expired. */
  find(uri: string): WholeAnswer | undefined;
}

/** Clients of the MCP SDK end a session over a message of more than 10 MiB. In UTF-16 units. */
const longest = 4 * 1024 * 1024;

/**
 * @param options.maxLength Total length in UTF-16 units; the oldest answers are evicted first. Default 64 Mi.
 * @param options.ttlMs Lifetime in milliseconds. Default 15 minutes.
 */
export function createCachedAnswers({
  maxLength = 64 * 1024 * 1024,
  ttlMs = 15 * 60_000,
}: {
  maxLength?: number;
  ttlMs?: number;
} = {}): CachedAnswers {
  // Insertion order is age.
  const answers = new Map<string, { answer: WholeAnswer; length: number; end: number }>();
  let total = 0;

  function evict(uri: string): void {
    total -= answers.get(uri)?.length ?? 0;
    answers.delete(uri);
  }

  return {
    add(answer) {
      const { length } = 'blob' in answer ? answer.blob : answer.text;
      if (length > longest) return undefined;
      const uri = `schemakit://answers/${randomUUID()}`;
      const now = performance.now();
      answers.set(uri, { answer, length, end: now + ttlMs });
      total += length;
      for (const [oldest, { end }] of [...answers]) {
        if (total <= maxLength && end > now) break;
        evict(oldest);
      }
      return uri;
    },
    find(uri) {
      const cached = answers.get(uri);
      if (cached === undefined || cached.end > performance.now()) return cached?.answer;
      evict(uri);
      return undefined;
    },
  };
}
