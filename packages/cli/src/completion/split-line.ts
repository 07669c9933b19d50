/** A command line as far as it was typed. */
export interface TypedLine {
  /** The words before the one that is being typed, without their quotes. */
  words: readonly string[];
  /** The word that is being typed; empty after a blank. */
  partial: string;
}

/** Blanks, and what a shell takes for one piece of a word: quoted text, an escaped character, or plain text. */
const piece = /(\s+)|'([^']*)(?:'|$)|"((?:[^"\\]|\\.)*)(?:"|\\?$)|\\(.)|([^\s'"\\]+|\\$)/gsu;

/** Divides a line as shells do. What is quoted and not closed is the word that is being typed. */
export function splitLine(line: string): TypedLine {
  const words: string[] = [];
  let partial: string | undefined;
  for (const [, blank, single, double, escaped, plain] of line.matchAll(piece)) {
    if (blank === undefined) {
      partial = (partial ?? '') + (single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? '');
    } else if (partial !== undefined) {
      words.push(partial);
      partial = undefined;
    }
  }
  return { words, partial: partial ?? '' };
}
