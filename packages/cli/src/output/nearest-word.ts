import { createRequire } from 'node:module';

type Library = typeof import('@schemakit/core/internal');

/** `nearestWord` of the library, which is loaded only where a word is wrong: most commands end without it. */
export const nearestWord: Library['nearestWord'] = (word, candidates) =>
  (createRequire(import.meta.url)('@schemakit/core/internal') as Library).nearestWord(word, candidates);

/** A hint: the nearest candidate if there is one, else `otherwise`. */
export function didYouMean(word: string, candidates: Iterable<string>, otherwise: string): string {
  const meant = nearestWord(word, candidates);
  return meant === undefined ? otherwise : `Did you mean ${meant}?`;
}
