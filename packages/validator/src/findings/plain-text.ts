/** Control characters (a terminal would obey them), and marks that turn the direction of a text or cannot be seen. */
const UNSAFE = /[\p{Cc}\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]+/gu;

/** Text of strangers in one line that is safe to print, and not longer than `max` characters. */
export function plainText(text: string, max: number): string {
  const line = text
    .slice(0, 2 * max)
    .replaceAll(UNSAFE, ' ')
    .toWellFormed();
  return line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line;
}

/** Names from a server as a list for reading; long lists are cut. */
export function nameList(names: readonly string[], max: number = 10): string {
  const shown = names.slice(0, max).map((name) => `\`${plainText(name, 80)}\``);
  return names.length > max ? `${shown.join(', ')} and ${names.length - max} more` : shown.join(', ');
}
