import { unescapeText } from './unescape-text.ts';

/** Shorter secrets are ignored. */
export const MIN_SECRET_LENGTH = 6;

/**
 * Makes a function that replaces secrets in text by `mask`. It finds secrets as they are, URL-encoded (`encodeURIComponent`, forms,
 * and any mixture), as base64 and base64url anywhere inside a longer encoded text, also in lines, as hexadecimal digits, escaped for
 * JSON (up to four times) and for HTML and XML, in upper and lower case; also if these encodings are nested.
 *
 * Secrets shorter than 6 characters are ignored: masking every `1` or `key` would destroy answers, and the gaps in a known text
 * would reveal the secret.
 *
 * @example
 * const scrub = createScrubber(['s3cr3t/key']);
 * scrub('GET /?key=s3cr3t%2Fkey'); // 'GET /?key=[REDACTED]'
 */
export function createScrubber(secrets: readonly string[], mask: string = '[REDACTED]'): (text: string) => string {
  // Trimmed, because headers lose outer white space. Longest first, so that a secret that begins with another is masked completely.
  const given = secrets.map((secret) => secret.trim());
  // In text without escapes, a secret with escapes or line breaks of its own has none.
  const usable = [...new Set(given.flatMap((secret) => [secret, unescapeText(secret)?.text ?? secret]))]
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
  if (usable.length === 0) return (text) => text;
  const patterns = usable.map((secret) => new RegExp(secretPattern(secret), 'g'));
  const any = new RegExp(usable.map(secretPattern).join('|'));
  const findAll = (text: string) => (any.test(text) ? findSecrets(text, patterns) : []);
  // Where lines were joined, a backslash at the end of a secret may be gone with the `r` or `n` after it: it is looked for before that.
  const cut = usable.flatMap((secret) => {
    const [backslashes = ''] = /\\*$/.exec(secret) ?? [];
    const rest = secret.slice(0, secret.length - backslashes.length);
    return backslashes === '' || rest === '' ? [] : [{ backslashes, patterns: [new RegExp(secretPattern(rest), 'g')] }];
  });
  return (text) => {
    const finds = findAll(text);
    const plain = unescapeText(text);
    if (plain) finds.push(...findAll(plain.text).map(({ start, end }) => plain.original(start, end)));
    for (const { backslashes, patterns } of plain ? cut : [])
      for (const { start, end } of findSecrets(plain?.text ?? '', patterns)) {
        const find = plain?.original(start, end) ?? { start, end };
        const [run = ''] = /^\\*/.exec(text.slice(find.end)) ?? [];
        if (run.startsWith(backslashes)) finds.push({ start: find.start, end: find.end + run.length });
      }
    return finds.length === 0 ? text : maskAll(text, finds, mask);
  };
}

interface Find {
  start: number;
  end: number;
}

/** Searches for each secret separately: in one pass, a match would hide another that begins inside it. */
function findSecrets(text: string, patterns: readonly RegExp[]): Find[] {
  return patterns.flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ({ index, 0: { length } }) => ({ start: index, end: index + length })),
  );
}

function maskAll(text: string, finds: readonly Find[], mask: string): string {
  let masked = '';
  let end = 0;
  for (const find of finds.toSorted((a, b) => a.start - b.start)) {
    if (find.start >= end) masked += text.slice(end, find.start) + mask;
    end = Math.max(end, find.end);
  }
  return masked + text.slice(end);
}

type Scrub = (text: string) => string;
type Container = Record<string, unknown> | unknown[];

/**
 * Applies a scrubber to every string of a plain JSON value, keys included, and to the digits of numbers. Returns the value itself
 * if nothing changed, otherwise a copy. Has its own stack, because a hostile answer may be nested deeper than the call stack.
 *
 * @example
 * scrubJson({ key: 's3cr3t/key', n: 1 }, createScrubber(['s3cr3t/key'])); // { key: '[REDACTED]', n: 1 }
 */
export function scrubJson(root: unknown, scrub: Scrub): unknown {
  const holder: unknown[] = [];
  const pending: { from: unknown; to: Container; key: string }[] = [{ from: root, to: holder, key: '0' }];
  let isChanged = false;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { from, to, key } = next;
    if (!isContainer(from)) {
      const value = scrubLeaf(from, scrub);
      isChanged ||= value !== from;
      put(to, key, value);
      continue;
    }
    const copy: Container = Array.isArray(from) ? [] : {};
    put(to, key, copy);
    // In reverse, because the stack reverses the order again.
    for (const [name, item] of Object.entries(from).reverse()) {
      const scrubbed = scrub(name);
      isChanged ||= scrubbed !== name;
      pending.push({ from: item, to: copy, key: scrubbed });
    }
  }
  return isChanged ? holder[0] : root;
}

/** Defines instead of assigning: a key may be `__proto__`. */
function put(to: Container, key: string, value: unknown): void {
  Object.defineProperty(to, key, { value, enumerable: true, configurable: true, writable: true });
}

function scrubLeaf(value: unknown, scrub: Scrub): unknown {
  if (typeof value === 'string') return scrub(value);
  if (typeof value !== 'number') return value;
  const text = String(value);
  const scrubbed = scrub(text);
  return scrubbed === text ? value : scrubbed;
}

function isContainer(value: unknown): value is Container {
  return value !== null && typeof value === 'object';
}

/** JSON inside JSON, four times: 1, 3, 7, 15 backslashes. A bound keeps the search linear. */
const BACKSLASHES = String.raw`\\{0,15}`;
/** `%2F`, and `%252F` where an encoded URL was encoded again. */
const PERCENT = '%(?:25){0,3}';

const JSON_SHORT: Readonly<Record<string, string>> = { '\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r' };

/** The source of a regular expression (no flags needed) that finds a secret in all its forms. */
function secretPattern(secret: string): string {
  const forms = new Set([textForm(secret)]);
  for (const bytes of byteForms(secret)) {
    forms.add(hexDigits(bytes.toString('hex')));
    for (const offset of [0, 1, 2]) forms.add(base64Form(bytes, offset));
  }
  return [...forms].join('|');
}

/** As UTF-8, and as Latin-1 if `btoa` would accept it. */
function byteForms(secret: string): Buffer[] {
  const utf8 = Buffer.from(secret, 'utf8');
  const latin1 = Buffer.from(secret, 'latin1');
  return utf8.equals(latin1) || latin1.toString('latin1') !== secret ? [utf8] : [utf8, latin1];
}

/** Each character as it is, percent-encoded or escaped, in any mixture: encoders differ in what they encode. */
function textForm(secret: string): string {
  // A run of backslashes is one unit: neighbours that each match several would backtrack.
  return (secret.match(/\\+|./gsu) ?? []).map(characterForm).join('');
}

function characterForm(character: string): string {
  if (character.startsWith('\\')) return backslashForm(character.length);
  return `(?:${[...new Set(casesOf(character).flatMap(formsOf))].join('|')})`;
}

/** An API may change the case. Letters whose other case has several characters stay as they are. */
function casesOf(character: string): string[] {
  const cases = [character, character.toLowerCase(), character.toUpperCase()];
  return [...new Set(cases)].filter(({ length }) => length === character.length);
}

function formsOf(character: string): string[] {
  if (/^[A-Za-z0-9]$/.test(character)) return [character, percentForm(character), unicodeForm(character)];
  const forms = [BACKSLASHES + literal(character), percentForm(character), unicodeForm(character)];
  if (character === ' ') forms.push(String.raw`\+`);
  const short = JSON_SHORT[character];
  if (short !== undefined) forms.push(String.raw`\\{1,15}${short}`);
  return forms;
}

function backslashForm(count: number): string {
  const one = `(?:${PERCENT}5[Cc]|${String.raw`\\{1,15}`}u005[Cc])`;
  return `(?:${String.raw`\\{${count},${16 * count}}`}|${one}{${count},${16 * count}})`;
}

function percentForm(character: string): string {
  const bytes = Buffer.from(character, 'utf8').toString('hex').match(/../g) ?? [];
  return bytes.map((byte) => PERCENT + hexDigits(byte)).join('');
}

function unicodeForm(character: string): string {
  return codeUnits(character)
    .map((unit) => String.raw`\\{1,15}u` + hexDigits(unit))
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

function hexDigits(digits: string): string {
  return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/**
 * The base64 characters that depend only on the secret's bytes, if `offset` bytes precede them in a group of three; those at both
 * ends mix with other bytes. `+` and `/` also match their forms in base64url and in URLs.
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
