/**
 * Text from schemas as it may be shown on a terminal: control characters, which move the cursor, colour or erase, and those that
 * reverse the direction of writing are spelled out. Line breaks are too, unless they are kept.
 */
export function printable(text: string, { keepLines = false }: { keepLines?: boolean } = {}): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    keepLines && character === '\n' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** A number with its word: `1 tool`, `3 tools`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** A text as one word of a shell, quoted only where that is needed. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
