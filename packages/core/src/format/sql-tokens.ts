/** A piece of SQL as SQLite cuts it; comments and white space are left out. */
export interface SqlToken {
  /**
   * `word`: a keyword or a plain name. `name`: a name in `"…"`, `` `…` `` or `[…]`. `text`: a literal in `'…'`.
   * `placeholder`: `?`, `?1`, `:a`, `@a`, `$a`. `symbol`: any other single character.
   */
  kind: 'word' | 'name' | 'text' | 'number' | 'placeholder' | 'symbol';
  /** As written; names and text without their quotes. */
  text: string;
}

/** The tokens of SQL text, or what is wrong with it. */
export type SqlTokens = { ok: true; tokens: SqlToken[] } | { ok: false; flaw: string };

type Scan = { end: number; token?: SqlToken } | { flaw: string };

// https://www.sqlite.org/draft/tokenreq.html; every character from U+0080 on counts as a letter.
const space = /[\t\n\v\f\r \ufeff]/;
const nameStart = /[A-Za-z_\u0080-\uffff]/;
const namePart = /[A-Za-z0-9_$\u0080-\uffff]/;
const numberPart = /[A-Za-z0-9_.]/;

/**
 * Cuts SQL into tokens by the rules of SQLite. What could make SQLite see other tokens than this function, such as a NUL
 * character or a quote that never closes, is a flaw.
 */
export function tokenizeSql(sql: string): SqlTokens {
  const tokens: SqlToken[] = [];
  for (let index = 0; index < sql.length; ) {
    const scan = scanToken(sql, index);
    if ('flaw' in scan) return { ok: false, flaw: scan.flaw };
    if (scan.token) tokens.push(scan.token);
    index = scan.end;
  }
  return { ok: true, tokens };
}

function scanToken(sql: string, start: number): Scan {
  const char = sql.charAt(start);
  if (char === '\0') return { flaw: 'it contains a NUL character, where SQLite stops reading' };
  if (space.test(char)) return { end: start + 1 };
  if (sql.startsWith('--', start)) return { end: endAfter(sql, '\n', start) };
  if (sql.startsWith('/*', start)) return { end: endAfter(sql, '*/', start + 2) };
  if (char === "'" || char === '"' || char === '`') return scanQuoted(sql, start, char);
  if (char === '[') return scanBracketed(sql, start);
  if (char === '?') return scanWhile(sql, start, /[0-9]/, 'placeholder');
  if (/[:@$#]/.test(char) && namePart.test(sql.charAt(start + 1)))
    return scanWhile(sql, start, namePart, 'placeholder');
  if (nameStart.test(char)) return scanWhile(sql, start, namePart, 'word');
  if (/[0-9]/.test(char)) return scanWhile(sql, start, numberPart, 'number');
  return { end: start + 1, token: { kind: 'symbol', text: char } };
}

/** A comment that never closes reaches to the end. */
function endAfter(sql: string, mark: string, from: number): number {
  const index = sql.indexOf(mark, from);
  return index === -1 ? sql.length : index + mark.length;
}

/** Inside of the quotes, two of them stand for one. */
function scanQuoted(sql: string, start: number, quote: string): Scan {
  let end = start + 1;
  for (;;) {
    end = sql.indexOf(quote, end);
    if (end === -1) return { flaw: `a ${quote} is never closed` };
    if (sql.charAt(end + 1) !== quote) break;
    end += 2;
  }
  const text = sql.slice(start + 1, end).replaceAll(quote + quote, quote);
  if (text.includes('\0')) return { flaw: 'it contains a NUL character, where SQLite stops reading' };
  return { end: end + 1, token: { kind: quote === "'" ? 'text' : 'name', text } };
}

function scanBracketed(sql: string, start: number): Scan {
  const end = sql.indexOf(']', start);
  if (end === -1) return { flaw: 'a [ is never closed' };
  const text = sql.slice(start + 1, end);
  if (text.includes('\0')) return { flaw: 'it contains a NUL character, where SQLite stops reading' };
  return { end: end + 1, token: { kind: 'name', text } };
}

function scanWhile(sql: string, start: number, part: RegExp, kind: SqlToken['kind']): Scan {
  let end = start + 1;
  while (end < sql.length && part.test(sql.charAt(end))) end += 1;
  return { end, token: { kind, text: sql.slice(start, end) } };
}
