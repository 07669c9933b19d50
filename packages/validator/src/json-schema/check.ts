import type { PlainObject } from '../findings/plain-object.ts';
import { matchesPattern } from './match-pattern.ts';
import { type Pattern, readPattern } from './pattern.ts';
import type { References } from './references.ts';
import { spend, type Work } from './work.ts';

/** What a check of values against one schema and its parts works with. */
export interface Check {
  references: References;
  patterns: Map<string, Pattern | undefined>;
  work: Work;
}

/** Begins checks against a schema. */
export function checkOf(root: PlainObject, work: Work): Check {
  return { references: { root }, patterns: new Map(), work };
}

/** A pattern, read once. */
export function patternOf(text: string, { patterns, work }: Check): Pattern | undefined {
  if (!patterns.has(text)) patterns.set(text, spend(work, text.length) ? readPattern(text) : undefined);
  return patterns.get(text);
}

/** True if a pattern is found in a text, or cannot be read: then nobody can say. */
export function isMatch(text: string, pattern: string, check: Check): boolean {
  const read = patternOf(pattern, check);
  return read === undefined || matchesPattern(read, text, check.work);
}
