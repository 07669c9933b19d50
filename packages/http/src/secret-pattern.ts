/** Shorter secrets are not looked for. */
export const MIN_SECRET_LENGTH = 6;

/** JSON inside JSON inside JSON: 1, 3, 7 backslashes. A bound keeps the search linear. */
const BACKSLASHES = String.raw`\\{0,7}`;
/** `%2F`, and `%252F` where an encoded URL was encoded again. */
const PERCENT = '%(?:25){0,3}';

const JSON_SHORT: Readonly<Record<string, string>> = { '\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r' };

/** The source of a regular expression (no flags needed) that finds a secret in all its forms. */
export function secretPattern(secret: string): string {
  const forms = new Set([textForm(secret)]);
  for (const bytes of byteForms(secret)) {
    forms.add(hexForm(bytes));
    for (const offset of [0, 1, 2]) forms.add(base64Form(bytes, offset));
  }
  return [...forms].join('|');
}

/** As UTF-8; as Latin-1 too where `btoa` would take it so. */
function byteForms(secret: string): Buffer[] {
  const utf8 = Buffer.from(secret, 'utf8');
  const latin1 = Buffer.from(secret, 'latin1');
  return utf8.equals(latin1) || latin1.toString('latin1') !== secret ? [utf8] : [utf8, latin1];
}

/** Each character as it is, percent-encoded or escaped, in any mixture: encoders differ in which characters they touch. */
function textForm(secret: string): string {
  // A run of backslashes is one unit: two neighbours that each match several would make the search slow.
  return (secret.match(/\\+|./gsu) ?? []).map(characterForm).join('');
}

function characterForm(character: string): string {
  if (character.startsWith('\\')) return backslashForm(character.length);
  return `(?:${[...new Set(casesOf(character).flatMap(formsOf))].join('|')})`;
}

/** An API may answer in capitals or small letters. Letters that become several are left as they are. */
function casesOf(character: string): string[] {
  const cases = [character, character.toLowerCase(), character.toUpperCase()];
  return [...new Set(cases)].filter(({ length }) => length === character.length);
}

function formsOf(character: string): string[] {
  if (/^[A-Za-z0-9]$/.test(character)) return [character, percentForm(character), unicodeForm(character)];
  const forms = [BACKSLASHES + literal(character), percentForm(character), unicodeForm(character)];
  if (character === ' ') forms.push(String.raw`\+`);
  const short = JSON_SHORT[character];
  if (short !== undefined) forms.push(String.raw`\\{1,7}${short}`);
  return forms;
}

function backslashForm(count: number): string {
  const one = `(?:${PERCENT}5[Cc]|${String.raw`\\{1,7}`}u005[Cc])`;
  return `(?:${String.raw`\\{${count},${8 * count}}`}|${one}{${count},${8 * count}})`;
}

function percentForm(character: string): string {
  return [...Buffer.from(character, 'utf8')]
    .map((byte) => PERCENT + hexDigits(byte.toString(16).padStart(2, '0')))
    .join('');
}

function unicodeForm(character: string): string {
  return codeUnits(character)
    .map((unit) => String.raw`\\{1,7}u` + hexDigits(unit))
    .join('');
}

function literal(character: string): string {
  return codeUnits(character)
    .map((unit) => `\\u${unit}`)
    .join('');
}

function codeUnits(text: string): string[] {
  return text.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
}

function hexForm(bytes: Buffer): string {
  return hexDigits(bytes.toString('hex'));
}

function hexDigits(digits: string): string {
  return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/**
 * The characters that the secret's bytes alone decide when `offset` bytes stand before them in a group of three; the neighbours at both ends mix in other
 * bytes. `+` and `/` are found in the spelling of base64url and of URLs too.
 */
function base64Form(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor(((offset + bytes.length) * 8) / 6);
  return encoded
    .slice(first, last)
    .replace(/[+/]/g, (character) =>
      character === '+' ? `(?:[+\\-]|${PERCENT}2[Bb])` : `(?:${BACKSLASHES}/|_|${PERCENT}2[Ff])`,
    );
}
