/** Escapes control and bidirectional characters of untrusted text, which could take over a terminal. `keepLines` keeps tabs, too. */
export function printable(text: string, { keepLines = false }: { keepLines?: boolean } = {}): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    keepLines && (character === '\n' || character === '\t')
      ? character
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Escapes the control characters in the text of a command, but for lines, tabs and styles: a name that no one escaped before. */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t](\[\d{1,2}m)?/gu, (found, style) =>
    style !== undefined && found.startsWith('\u001b') ? found : printable(found),
  );
}

export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Quotes a text for a shell if needed. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
