import { bitCount } from './bit-count.ts';
import { editDistance } from './edit-distance.ts';

/** How much a word of the index counts for a word that was typed: all, or a part of it. */
const worth = { same: 1, beginning: 0.7, oneEdit: 0.5, twoEdits: 0.3, inside: 0.2 } as const;

/**
 * The words of an index that a typed word may mean, each with what it counts (0 to 1): the same word, words that begin with it
 * (from two letters), words that hold it (from four letters), and words that one edit makes of it (from five letters) or two (from
 * nine). The longer of the two words decides how many edits there may be, so that a letter that is missing is forgiven too.
 */
export function matchWord(typed: string, words: readonly string[]): Map<string, number> {
  const matches = new Map<string, number>();
  const typedLetters = lettersOf(typed);
  for (const word of words) {
    const found = compare(typed, word, typedLetters);
    if (found > 0) matches.set(word, found);
  }
  return matches;
}

function compare(typed: string, word: string, typedLetters: number): number {
  if (word === typed) return worth.same;
  if (typed.length >= 2 && word.startsWith(typed)) return worth.beginning;
  const most = editsFor(Math.max(typed.length, word.length));
  // Words of other lengths, or with too many different letters, need not be compared: most are left out like this.
  const isNear = most > 0 && Math.abs(typed.length - word.length) <= most;
  if (isNear && bitCount(typedLetters ^ lettersOf(word)) <= 2 * most) {
    const edits = editDistance(typed, word, most);
    if (edits <= most) return edits === 1 ? worth.oneEdit : worth.twoEdits;
  }
  return typed.length >= 4 && word.length > typed.length && word.includes(typed) ? worth.inside : 0;
}

function editsFor(length: number): number {
  return length < 5 ? 0 : length < 9 ? 1 : 2;
}

/** The letters of a word as bits. */
function lettersOf(word: string): number {
  let bits = 0;
  for (let index = 0; index < word.length; index += 1) bits |= 1 << (word.charCodeAt(index) & 31);
  return bits >>> 0;
}
