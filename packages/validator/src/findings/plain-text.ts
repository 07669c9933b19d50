/** Emoji stay whole. Control characters could control a terminal. Hidden ones are invisible, or change the direction of text. */
const UNSAFE = /\p{RGI_Emoji}|(?<control>[\p{Cc}\p{Zl}\p{Zp}]+)|(?<hidden>[\p{Cf}\p{DI}\u2800]+)/gv;

const NOT_ASCII = /[^ -~]+/gu;

/** Makes untrusted text safe to print: one line of at most `max` characters, with invisible characters written as `[U+200B]`. */
export function plainText(text: string, max: number): string {
  const line = startOf(text, 2 * max)
    .replaceAll(UNSAFE, (all, control?: string, hidden?: string) =>
      control !== undefined ? ' ' : hidden !== undefined ? codePoints(hidden) : all,
    )
    .toWellFormed();
  const isCut = line.length > max || text.length > 2 * max;
  return isCut ? `${line.slice(0, max - 1).toWellFormed()}…` : line;
}

/** The start of a text as a copy of its own: a slice would keep the whole text, which may be large, in memory. */
function startOf(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(text.slice(0, length), 'utf16le').toString('utf16le');
}

/** The same for text whose exact characters matter: everything beyond ASCII is written as code points. */
export function exactText(text: string, max: number): string {
  return plainText(startOf(text, 2 * max).replaceAll(NOT_ASCII, codePoints), max);
}

/** A key that is equal for texts that look alike: without invisible characters, in one form of Unicode. */
export function lookOf(text: string): string {
  return text
    .replaceAll(/[\p{Cf}\p{DI}\u2800]/gv, '')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .normalize('NFKC')
    .trim();
}

/** Names from a server as a list for reading; long lists are cut. Names that look like one of `others` show their code points. */
export function nameList(
  names: readonly string[],
  { max = 10, others = names }: { max?: number; others?: readonly string[] } = {},
): string {
  const alike = Map.groupBy(new Set([...names, ...others]), lookOf);
  const write = (name: string): string =>
    (alike.get(lookOf(name)) ?? []).length > 1 ? exactText(name, 160) : plainText(name, 80);
  const shown = names.slice(0, max).map((name) => `\`${write(name)}\``);
  return names.length > max ? `${shown.join(', ')} and ${names.length - max} more` : shown.join(', ');
}

/** Why something failed, as far as it says so: anything can be thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no reason given';
}

/** Characters as `[U+200B]`. */
export function codePoints(text: string): string {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  return `[${points.map((point) => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`).join(' ')}]`;
}
