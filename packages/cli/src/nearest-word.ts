import { editDistance } from './tool-index/edit-distance.ts';

/** Shorter words are near to almost everything. */
const minLength = 3;
const maxLength = 100;

/**
 * What `nearestWord` of the library gives. It is written twice because every command needs it, for what is misspelt in the settings,
 * and most end before the library would be loaded; a test holds the two together.
 */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > maxLength) return undefined;
  const lower = word.toLowerCase();
  let best: string | undefined;
  let most = word.length < minLength ? 0 : Math.floor(word.length / 3);
  for (const candidate of candidates) {
    const distance = editDistance(lower, candidate.toLowerCase(), most);
    if (distance > most) continue;
    best = candidate;
    if (distance === 0) break;
    most = distance - 1;
  }
  return best;
}
