import type { Identifier } from 'acorn';
import type { JsonLike } from './folded-value.ts';
import { hasOnlyLineFeeds } from './text-position.ts';

/** An object or array literal that is plain data. */
export interface DataLiteral {
  /** The data, with null where a name stands. */
  value: Holder;
  /** The names in it. */
  names: readonly NamedPart[];
  /** How many values it holds, itself included. */
  parts: number;
  /** Offsets at which its members and elements begin, with their keys: each before those inside of it. */
  places: readonly number[];
  /** For each place, the index of the next place that is not inside of it. */
  nexts: readonly number[];
  /** Offset behind its last bracket. */
  end: number;
}

/** `holder[key]` is what the name stands for. */
export interface NamedPart {
  holder: Holder;
  key: string | number;
  node: Identifier;
}

type Holder = JsonLike[] | { [key: string]: JsonLike };

/**
 * Reads the literal whose bracket stands at an offset. Undefined where it is not certainly a whole expression of plain data
 * and names: the general parser has to read calls, spreads, methods, `${`, rare escapes, keys that stand twice, `__proto__`.
 */
export type ReadDataLiteral = (offset: number) => DataLiteral | undefined;

/** Stops the reading; what stands there belongs to the general parser. */
const unread: unique symbol = Symbol('unread');
type OrUnread<Value> = Value | typeof unread;

const maxDepth = 60;
/** Keeps a value without names within what a value may measure. */
const maxParts = 100_000;

const plainNumber = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const lineEnd = /[\n\r\u2028\u2029]/g;
/** By code unit: ASCII letters, digits, `_` and `$`. */
const isWordPart = Uint8Array.from({ length: 128 }, (_, code) => Number(/[\w$]/.test(String.fromCharCode(code))));
const escapes: Readonly<Record<string, string>> = {
  ...{ '\\': '\\', "'": "'", '"': '"', '`': '`', '/': '/' },
  ...{ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' },
};
/** Words that name no constant of the module, or continue the expression before them. */
const reserved = new Set(
  `arguments async await break case catch class const continue debugger default delete do else enum eval export extends
  finally for function get if implements import in instanceof interface let new of package private protected public return
  set static super switch this throw try typeof using var void while with yield`.split(/\s+/),
);

/**
 * Reads literals of plain data straight from the text. Most of a schema is one literal, and the general parser and the
 * folding of its tree take several times as long. Everything else it leaves to them, so it never decides on errors.
 */
export function dataLiteralReader(text: string): ReadDataLiteral {
  const findLineBreak = lineBreakFinder(text);
  let at = 0;
  let depth = 0;
  let parts = 0;
  let names: NamedPart[] = [];
  let places: number[] = [];
  let nexts: number[] = [];
  /** The next one at or behind `at`, so that looking for them takes one pass over the text. */
  let backslash = -1;
  let lineBreak = -1;

  function skipSpace(): number {
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === 32 || code === 10 || code === 9 || code === 13) at += 1;
      else if (code !== 47 || !skipComment()) return code;
    }
  }

  function skipComment(): boolean {
    const second = text.charCodeAt(at + 1);
    if (second === 47) {
      at = nextLineBreak();
      return true;
    }
    const end = second === 42 ? text.indexOf('*/', at + 2) : -1;
    if (end !== -1) at = end + 2;
    return end !== -1;
  }

  function nextLineBreak(): number {
    if (lineBreak < at) {
      lineBreak = findLineBreak(at);
      if (lineBreak === -1) lineBreak = text.length;
    }
    return lineBreak;
  }

  function hasBackslashBefore(end: number): boolean {
    if (backslash < at) {
      backslash = text.indexOf('\\', at);
      if (backslash === -1) backslash = text.length;
    }
    return backslash < end;
  }

  function readValue(holder: Holder, key: string | number): OrUnread<JsonLike> {
    parts += 1;
    switch (text.charCodeAt(at)) {
      case 39:
        return readString("'");
      case 34:
        return readString('"');
      case 96:
        return readTemplate();
      case 123:
        return nested(readObject);
      case 91:
        return nested(readArray);
      default:
        return readNumber() ?? readWord(holder, key);
    }
  }

  function nested(read: () => OrUnread<Holder>): OrUnread<Holder> {
    if (depth > maxDepth || parts > maxParts) return unread;
    depth += 1;
    const value = read();
    depth -= 1;
    return value;
  }

  function readString(quote: string): OrUnread<string> {
    at += 1;
    let end = text.indexOf(quote, at);
    if (end === -1) return unread;
    if (!hasBackslashBefore(end)) {
      if (nextLineBreak() < end) return unread;
      const value = text.slice(at, end);
      at = end + 1;
      return value;
    }
    let value = '';
    while (hasBackslashBefore(end)) {
      const meant = escapes[text.charAt(backslash + 1)];
      if (meant === undefined || nextLineBreak() < backslash) return unread;
      value += text.slice(at, backslash) + meant;
      at = backslash + 2;
      if (at > end) end = text.indexOf(quote, at);
      if (end === -1) return unread;
    }
    if (nextLineBreak() < end) return unread;
    value += text.slice(at, end);
    at = end + 1;
    return value;
  }

  function readTemplate(): OrUnread<string> {
    at += 1;
    const end = text.indexOf('`', at);
    if (end === -1 || hasBackslashBefore(end)) return unread;
    const value = text.slice(at, end);
    if (value.includes('${') || value.includes('\r')) return unread;
    at = end + 1;
    return value;
  }

  function readNumber(): number | undefined {
    const start = at;
    const first = text.charCodeAt(start);
    plainNumber.lastIndex = start;
    if ((first !== 45 && !isDigit(first)) || !plainNumber.test(text)) return undefined;
    at = plainNumber.lastIndex;
    return Number(text.slice(start, at));
  }

  function readWord(holder: Holder, key: string | number): OrUnread<JsonLike> {
    const start = at;
    const name = wordAt(start);
    if (name === undefined || reserved.has(name)) return unread;
    at += name.length;
    if (name === 'true') return true;
    if (name === 'false') return false;
    if (name !== 'null') names.push({ holder, key, node: { type: 'Identifier', name, start, end: at } });
    return null;
  }

  function wordAt(offset: number): string | undefined {
    let end = offset;
    while (isWordPart[text.charCodeAt(end)] === 1) end += 1;
    return end === offset || isDigit(text.charCodeAt(offset)) ? undefined : text.slice(offset, end);
  }

  /** Reads a key and its colon, up to the value. */
  function readKey(): OrUnread<string> {
    const first = text.charCodeAt(at);
    let key: OrUnread<string>;
    if (first === 39 || first === 34) {
      key = readString(first === 39 ? "'" : '"');
      // Places are found again by the order of the keys, and numbers come first, wherever they are written.
      if (key !== unread && isDigit(key.charCodeAt(0))) return unread;
    } else {
      key = wordAt(at) ?? unread;
      if (key !== unread) at += key.length;
    }
    if (key === unread || key === '__proto__' || skipSpace() !== 58) return unread;
    at += 1;
    skipSpace();
    return key;
  }

  function readObject(): OrUnread<Holder> {
    const object: { [key: string]: JsonLike } = {};
    let count = 0;
    at += 1;
    while (skipSpace() !== 125) {
      const index = places.push(at) - 1;
      const key = readKey();
      if (key === unread) return unread;
      const value = readValue(object, key);
      if (value === unread || !endsPart(125)) return unread;
      nexts[index] = places.length;
      object[key] = value;
      count += 1;
    }
    at += 1;
    // Two values under one key are a finding, for which the general parser's tree is needed.
    return Object.keys(object).length === count ? object : unread;
  }

  function readArray(): OrUnread<Holder> {
    const list: JsonLike[] = [];
    at += 1;
    while (skipSpace() !== 93) {
      const index = places.push(at) - 1;
      const value = readValue(list, list.length);
      if (value === unread || !endsPart(93)) return unread;
      nexts[index] = places.length;
      list.push(value);
    }
    at += 1;
    return list;
  }

  /** Skips the comma behind a part; the last part needs none. */
  function endsPart(closing: number): boolean {
    const code = skipSpace();
    if (code === 44) at += 1;
    return code === 44 || code === closing;
  }

  /** Whether the expression ends here: at a comma, at a semicolon, or where a new line begins with a word. */
  function endsExpression(): boolean {
    const end = at;
    const next = skipSpace();
    if (Number.isNaN(next)) return at >= text.length;
    if (next === 44 || next === 59) return true;
    const begun = wordAt(at);
    return begun !== undefined && begun !== 'in' && begun !== 'instanceof' && /[\n\r]/.test(text.slice(end, at));
  }

  function begin(offset: number): void {
    at = offset;
    depth = 0;
    parts = 0;
    names = [];
    places = [];
    nexts = [];
    backslash = -1;
    lineBreak = -1;
  }

  return (offset) => {
    begin(offset);
    const value = text[at] === '{' ? nested(readObject) : text[at] === '[' ? nested(readArray) : unread;
    const end = at;
    if (value === unread || parts > maxParts || !endsExpression()) return undefined;
    return { value, names, parts: parts + 1, places, nexts, end };
  };
}

function lineBreakFinder(text: string): (from: number) => number {
  if (hasOnlyLineFeeds(text)) return (from) => text.indexOf('\n', from);
  return (from) => {
    lineEnd.lastIndex = from;
    return lineEnd.exec(text)?.index ?? -1;
  };
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
