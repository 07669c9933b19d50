const needsNoQuotes = process.platform === 'win32' ? /^[\w@%+=:,./\\-]+$/ : /^[\w@%+=:,./-]+$/;

/** Quotes a word of a command that users paste into a shell, if needed. */
export function shellWord(word: string): string {
  if (needsNoQuotes.test(word)) return word;
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}
