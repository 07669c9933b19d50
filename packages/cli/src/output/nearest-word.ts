import { createRequire } from 'node:module';

type Library = typeof import('@schemakit/core/internal');

/** `nearestWord` of the library, which is loaded only where a word is wrong: most commands end without it. */
export const nearestWord: Library['nearestWord'] = (word, candidates) =>
  (createRequire(import.meta.url)('@schemakit/core/internal') as Library).nearestWord(word, candidates);
