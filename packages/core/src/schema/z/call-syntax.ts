/** A call in a primitive or option, such as `min(1)`. */
export interface Call {
  name: string;
  /** The text between the first `(` and the last `)`, trimmed; undefined without parentheses. */
  args: string | undefined;
}

const NAME = /^[A-Za-z_]\w*$/;
const NEXT_CALL = /^\s*,\s*(?=[A-Za-z_]\w*\()/;

/** Parses a call. Arguments may be any text, such as a regular expression, so parentheses and quotes need not be balanced. */
export function parseCall(text: string): Call | undefined {
  const trimmed = text.trim();
  const open = trimmed.indexOf('(');
  const name = open === -1 ? trimmed : trimmed.slice(0, open).trim();
  if (!NAME.test(name)) return undefined;
  if (open === -1) return { name, args: undefined };
  return trimmed.endsWith(')') ? { name, args: trimmed.slice(open + 1, -1).trim() } : undefined;
}

/** Splits `string().min(3)` after the first call; undefined if no call is chained to it. */
export function splitChain(text: string): { first: string; chained: string } | undefined {
  const quoted = quotedSpans(text);
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    i = quoted.get(i) ?? i;
    if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) {
      const chained = text.slice(i + 1).trim();
      return /^\.\s*[A-Za-z_]\w*\s*\(/.test(chained) ? { first: text.slice(0, i + 1), chained } : undefined;
    }
  }
  return undefined;
}

/** Splits `optional(), default(1000)` into calls, at commas before another call. Unbalanced text stays in one piece. */
export function splitCalls(text: string): string[] {
  const quoted = quotedSpans(text);
  const calls: string[] = [];
  let start = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    i = quoted.get(i) ?? i;
    if (text[i] === '\\') i++;
    else if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) {
      const separator = NEXT_CALL.exec(text.slice(i + 1, i + 100));
      if (separator === null) continue;
      calls.push(text.slice(start, i + 1).trim());
      start = i + 1 + separator[0].length;
    }
  }
  calls.push(text.slice(start).trim());
  return calls;
}

/** Splits `a, 'b,c'` or `[a, b]` into its items, trimmed and still quoted. Blank text has no items. */
export function splitList(text: string): string[] {
  const inner = /^\[([\s\S]*)\]$/.exec(text.trim())?.[1] ?? text;
  if (inner.trim() === '') return [];
  const quoted = quotedSpans(inner);
  const items: string[] = [];
  let start = 0;
  for (let i = 0; i < inner.length; i++) {
    i = quoted.get(i) ?? i;
    if (inner[i] !== ',') continue;
    items.push(inner.slice(start, i).trim());
    start = i + 1;
  }
  items.push(inner.slice(start).trim());
  return items;
}

export function unquote(text: string): string {
  return /^(['"])([\s\S]*)\1$/.exec(text)?.[2] ?? text;
}

/** Start and end of quoted values. Only quotes around a whole value count: the apostrophe in `describe(Don't)` is text. */
function quotedSpans(text: string): Map<number, number> {
  const spans = new Map<number, number>();
  const unclosed = new Set<string>();
  let opensValue = true;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (opensValue && (char === '"' || char === "'") && !unclosed.has(char)) {
      const end = closingQuote(text, char, i + 1);
      if (end === -1) unclosed.add(char);
      else {
        spans.set(i, end);
        i = end;
      }
    }
    opensValue = '(,['.includes(char) || (opensValue && char.trim() === '');
  }
  return spans;
}

function closingQuote(text: string, quote: string, from: number): number {
  for (let end = text.indexOf(quote, from); end !== -1; end = text.indexOf(quote, end + 1)) {
    let next = end + 1;
    while (next < text.length && text.charAt(next).trim() === '') next++;
    if (next === text.length || ',)]'.includes(text.charAt(next))) return end;
  }
  return -1;
}
