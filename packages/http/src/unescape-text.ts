/** Text without some escapes, with the places where it was longer. */
export interface UnescapedText {
  text: string;
  /** The range of the original text that became the range `start` to `end` of this one. */
  original(start: number, end: number): { start: number; end: number };
}

/** `length` characters from `at` on were the range `from` to `to` of the original text. */
interface Change {
  at: number;
  length: number;
  from: number;
  to: number;
}

// Each begins with one of a few characters, so that the search skips all others quickly.
const SEMICOLON = '(?:;|%(?:25){0,3}3[Bb])';
const AMPERSAND = String.raw`(?:&|\\u0026|%(?:25){0,3}26)(?:[Aa][Mm][Pp]${SEMICOLON})*`;
const NUMBER = '(?:#|%(?:25){0,3}23)';
const ENTITY = String.raw`(?:${NUMBER}(\d{1,8})|${NUMBER}[Xx]([\dA-Fa-f]{1,7})|([Aa][Mm][Pp]|[Ll][Tt]|[Gg][Tt]|[Qq][Uu][Oo][Tt]|[Aa][Pp][Oo][Ss]))${SEMICOLON}`;
const IN_BASE64 = String.raw`[\w+/-]`;
const LINE_BREAKS = [
  String.raw`[\r\n](?<=${IN_BASE64}.)[\r\n\t ]*`,
  String.raw`\\(?<=${IN_BASE64}.)\\{0,14}[rn](?:\\{1,15}[rn])*`,
  `%(?<=${IN_BASE64}.)(?:25){0,3}0[AaDd](?:%(?:25){0,3}0[AaDd])*`,
].join('|');
const ESCAPES = new RegExp(`${AMPERSAND}${ENTITY}|(?:${LINE_BREAKS})(?=${IN_BASE64})`, 'gs');
const NAMES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Replaces the references of HTML and XML, also those that were escaped again, and joins lines, as those of base64. Undefined
 * if there is nothing to replace.
 */
export function unescapeText(text: string): UnescapedText | undefined {
  const changes: Change[] = [];
  let shorter = 0;
  const unescaped = text.replace(ESCAPES, (found: string, decimal, hex, name, from: number) => {
    const plain = plainText({ decimal, hex, name });
    changes.push({ at: from - shorter, length: plain.length, from, to: from + found.length });
    shorter += found.length - plain.length;
    return plain;
  });
  if (changes.length === 0) return undefined;
  return {
    text: unescaped,
    original(start, end) {
      const first = lastChange(changes, start);
      const last = lastChange(changes, end - 1);
      return {
        start: first === undefined ? start : originalOf(first, start, first.from),
        end: last === undefined ? end : originalOf(last, end, last.to),
      };
    },
  };
}

type Reference = { decimal?: string; hex?: string; name?: string };

function plainText({ decimal, hex, name }: Reference): string {
  if (name !== undefined) return NAMES[name.toLowerCase()] ?? '';
  if (decimal === undefined && hex === undefined) return '';
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** The original position of one at or after a change; `inside` if it is in what was replaced. */
function originalOf({ at, length, to }: Change, position: number, inside: number): number {
  return position < at + length ? inside : to + position - at - length;
}

/** The last change at or before a position, by binary search. */
function lastChange(changes: readonly Change[], position: number): Change | undefined {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.at ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return changes[low - 1];
}
