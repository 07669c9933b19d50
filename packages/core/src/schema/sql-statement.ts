/** A read-only statement, or why the SQL is refused. */
export type ParsedSql = { ok: true; placeholders: number; hasLimit: boolean } | ({ ok: false } & Fault);

interface Fault {
  problem: string;
  hint: string;
}

/** These functions reach outside the database; the second argument of `fts3_tokenizer` is a memory address. */
const refusedFunctions: ReadonlySet<string> = new Set(
  'load_extension fts3_tokenizer readfile writefile fsdir edit'.split(' '),
);

/** Pragmas that describe tables; others expose the machine or the connection. */
const allowedPragmas: ReadonlySet<string> = new Set(
  ['table_list', 'table_info', 'table_xinfo', 'index_list', 'index_info', 'index_xinfo', 'foreign_key_list'].map(
    (name) => `pragma_${name}`,
  ),
);

const onlyReading = 'Write one SELECT, WITH … SELECT or EXPLAIN statement: resources are read-only.';

/** Parses one read-only statement: SELECT, WITH … SELECT, or EXPLAIN [QUERY PLAN] of one. SQLite checks tables and syntax. */
export function parseSqlStatement(sql: string): ParsedSql {
  const read = tokenizeSql(sql);
  if (!read.ok) return { ok: false, problem: `the SQL cannot be read: ${read.flaw}`, hint: 'Correct the statement.' };
  const tokens = read.tokens.slice(0, read.tokens.findLastIndex((token) => !isSymbol(token, ';')) + 1);
  const fault = kindFault(tokens) ?? placeholderFault(tokens) ?? nameFault(tokens);
  if (fault) return { ok: false, ...fault };
  const placeholders = tokens.filter(({ kind }) => kind === 'placeholder').length;
  return { ok: true, placeholders, hasLimit: limitsRows(tokens) };
}

function kindFault(tokens: readonly SqlToken[]): Fault | undefined {
  if (tokens.length === 0) return { problem: 'the SQL has no statement', hint: onlyReading };
  if (tokens.some((token) => isSymbol(token, ';'))) {
    return { problem: 'the SQL has more than one statement', hint: 'Run them one at a time, each as a query.' };
  }
  const start = isWord(tokens[0], 'EXPLAIN') ? (isWord(tokens[1], 'QUERY') && isWord(tokens[2], 'PLAN') ? 3 : 1) : 0;
  const first = tokens[start];
  if (isWord(first, 'SELECT')) return undefined;
  if (!isWord(first, 'WITH')) return notReading(first);
  const verb = verbAfterWith(tokens.slice(start + 1));
  return isWord(verb, 'SELECT') || isWord(verb, 'VALUES') ? undefined : notReading(verb);
}

function notReading(token: SqlToken | undefined): Fault {
  const word = token === undefined ? 'nothing' : token.text.slice(0, 40).toUpperCase();
  return { problem: `the SQL must only read data: expected SELECT, found ${word}`, hint: onlyReading };
}

/** The word after the last table of a WITH: follows a closing parenthesis, and is not a comma or AS. */
function verbAfterWith(tokens: readonly SqlToken[]): SqlToken | undefined {
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (isSymbol(token, '(')) depth += 1;
    if (!isSymbol(token, ')')) continue;
    depth -= 1;
    const next = tokens[index + 1];
    if (depth === 0 && !isWord(next, 'AS') && !isSymbol(next, ',')) return next;
  }
  return undefined;
}

function placeholderFault(tokens: readonly SqlToken[]): Fault | undefined {
  if (tokens.some((token) => isSymbol(token, '{'))) {
    return { problem: 'the SQL has a placeholder in braces', hint: 'Write ? for each value.' };
  }
  const named = tokens.find(({ kind, text }) => kind === 'placeholder' && text !== '?');
  return (
    named && {
      problem: `the SQL has the placeholder ${named.text}`,
      hint: 'Write ? for each value, in the order of the parameters. WITH input AS (SELECT ? AS term) lets you use one value several times.',
    }
  );
}

function nameFault(tokens: readonly SqlToken[]): Fault | undefined {
  for (const [index, { kind, text }] of tokens.entries()) {
    // SQLite accepts a text literal as a table name.
    if (kind !== 'word' && kind !== 'name' && kind !== 'text') continue;
    const name = text.toLowerCase();
    if (kind !== 'text' && refusedFunctions.has(name) && isSymbol(tokens[index + 1], '(')) {
      return { problem: `the SQL calls ${name}(), which is not allowed`, hint: 'Leave it out.' };
    }
    if (/^pragma_\w+$/.test(name) && !allowedPragmas.has(name)) {
      return {
        problem: `the SQL reads ${name}, which is not allowed`,
        hint: `Allowed are ${[...allowedPragmas].join(', ')}.`,
      };
    }
  }
  return undefined;
}

function limitsRows(tokens: readonly SqlToken[]): boolean {
  let depth = 0;
  for (const token of tokens) {
    if (isSymbol(token, '(')) depth += 1;
    if (isSymbol(token, ')')) depth -= 1;
    if (depth === 0 && isWord(token, 'LIMIT')) return true;
  }
  return false;
}

function isWord(token: SqlToken | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text.toUpperCase() === word;
}

function isSymbol(token: SqlToken | undefined, symbol: string): boolean {
  return token?.kind === 'symbol' && token.text === symbol;
}

/** An SQL token as in SQLite, without comments and white space. */
interface SqlToken {
  /**
   * `word`: a keyword or a plain name. `name`: a name in `"…"`, `` `…` `` or `[…]`. `text`: a literal in `'…'`.
   * `placeholder`: `?`, `?1`, `:a`, `@a`, `$a`. `symbol`: any other single character.
   */
  kind: 'word' | 'name' | 'text' | 'number' | 'placeholder' | 'symbol';
  /** As written; names and text without their quotes. */
  text: string;
}

type SqlTokens = { ok: true; tokens: SqlToken[] } | { ok: false; flaw: string };

/**
 * A token, or white space and comments. https://www.sqlite.org/draft/tokenreq.html; all characters from U+0080 are
 * letters. A doubled quote is an escaped one; an unclosed comment reaches to the end.
 */
const tokenPattern = new RegExp(
  [
    /[\t\n\v\f\r \ufeff]+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/,
    /('[^']*(?:''[^']*)*'(?!'))/,
    /("[^"]*(?:""[^"]*)*"(?!")|`[^`]*(?:``[^`]*)*`(?!`)|\[[^\]]*\])/,
    /(\?\d*|[:@$#][\w$\u0080-\uffff]+)/,
    /([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)/,
    /(\d[\w.]*)/,
    /([^\0'"`[])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'y',
);
/** By the groups of the pattern. */
const kinds = ['text', 'name', 'placeholder', 'word', 'number', 'symbol'] as const;

/** Splits SQL into tokens as SQLite does. Refuses input that SQLite might split otherwise, such as NUL or an unclosed quote. */
export function tokenizeSql(sql: string): SqlTokens {
  const tokens: SqlToken[] = [];
  for (let index = 0; index < sql.length; ) {
    tokenPattern.lastIndex = index;
    const match = tokenPattern.exec(sql);
    const text = match?.[0] ?? sql.charAt(index);
    const kind = match === null ? undefined : kinds[match.indexOf(text, 1) - 1];
    if (text === '\0' || (kind !== undefined && text.includes('\0'))) {
      return { ok: false, flaw: 'it contains a NUL character, where SQLite stops reading' };
    }
    if (match === null) return { ok: false, flaw: `a ${text} is never closed` };
    if (kind !== undefined) tokens.push({ kind, text: kind === 'text' || kind === 'name' ? unquoted(text) : text });
    index += text.length;
  }
  return { ok: true, tokens };
}

function unquoted(text: string): string {
  const quote = text.charAt(0);
  const inner = text.slice(1, -1);
  return quote === '[' ? inner : inner.replaceAll(quote + quote, quote);
}
