const maxLength = 64;
const chunk = /[\p{L}\p{N}]+|\p{So}/gu;
const camelHump = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** A run of letters and digits, or one symbol such as an emoji. */
export interface Chunk {
  /** In lower case and without accents. */
  whole: string;
  /** The words that capitals divide it into: `simplePrice` has `simple` and `price`. Only itself where there is one. */
  words: readonly string[];
}

/** Splits text where anything but letters and digits stands. Punctuation is left out: `c++` is `c`. */
export function splitChunks(text: string): Chunk[] {
  const plain = text.normalize('NFKD').replace(/\p{M}+/gu, '');
  return [...plain.matchAll(chunk)].map(([found]) => ({
    whole: plainWord(found),
    words: found.split(camelHump).map(plainWord),
  }));
}

/** The words of a text, each once, in their order. */
export function splitWords(text: string): string[] {
  return [...new Set(splitChunks(text).flatMap(({ words }) => words))];
}

// Longer ones are no words but data, and comparing them takes time.
function plainWord(text: string): string {
  return text.toLowerCase().slice(0, maxLength);
}
