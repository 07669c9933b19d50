import { randomUUID } from 'node:crypto';
import type { ServedTool } from '../catalog/offer.ts';

type AnswerOptions = NonNullable<Parameters<ServedTool['call']>[1]>;
type WholeAnswer = Parameters<NonNullable<AnswerOptions['keep']>>[0];

/** Answers that were too long to be given, kept for a while so that clients can read them as resources. */
export interface KeptAnswers {
  /**
   * Keeps an answer, and returns its address: one that nobody guesses, since it is all that a reader needs. Undefined for an
   * answer that is too long to be read at once.
   */
  keep(answer: WholeAnswer): string | undefined;
  /** What is at an address; undefined where it is not kept, or no longer. */
  find(uri: string): WholeAnswer | undefined;
}

/** Clients of the MCP SDK end a session over a message of more than 10 MiB. In UTF-16 units. */
const longest = 4 * 1024 * 1024;

/**
 * @param options.maxLength How much is kept in all, in UTF-16 units. The oldest go first. Default 64 Mi.
 * @param options.ttlMs For how long, in milliseconds. Default 15 minutes.
 */
export function createKeptAnswers({
  maxLength = 64 * 1024 * 1024,
  ttlMs = 15 * 60_000,
}: {
  maxLength?: number;
  ttlMs?: number;
} = {}): KeptAnswers {
  // In the order in which they came.
  const answers = new Map<string, { answer: WholeAnswer; length: number; end: number }>();
  let length = 0;

  function drop(uri: string): void {
    length -= answers.get(uri)?.length ?? 0;
    answers.delete(uri);
  }

  return {
    keep(answer) {
      if (lengthOf(answer) > longest) return undefined;
      const uri = `schemakit://answers/${randomUUID()}`;
      const added = lengthOf(answer);
      const now = performance.now();
      answers.set(uri, { answer, length: added, end: now + ttlMs });
      length += added;
      for (const [oldest, { end }] of [...answers]) {
        if (length <= maxLength && end > now) break;
        drop(oldest);
      }
      return uri;
    },
    find(uri) {
      const kept = answers.get(uri);
      if (kept === undefined || kept.end > performance.now()) return kept?.answer;
      drop(uri);
      return undefined;
    },
  };
}

function lengthOf(answer: WholeAnswer): number {
  return 'blob' in answer ? answer.blob.length : answer.text.length;
}
