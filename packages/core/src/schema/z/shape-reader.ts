export interface ShapeReader {
  /** Where the next character is. */
  readonly at: number;
  /** Parts of the shape so far. */
  nodes: number;
  /** The first problem that was found. */
  readonly fault: { at: number; problem: string } | undefined;
  /** Keeps a problem, if it is the first. */
  fail(problem: string, at?: number): undefined;
  /** @returns where the next character is */
  skipSpace(): number;
  isAtEnd(): boolean;
  /** The next character that is not space; empty at the end. */
  peek(): string;
  /** Takes a character, and the space before it. */
  take(character: string): boolean;
  takeName(): string | undefined;
  /** Takes a text in quotes and decodes its escapes. */
  takeQuoted(): string | undefined;
  /** Takes an argument and the parenthesis after it. */
  takeArgument(name: string): { args: string; isDecoded?: true } | undefined;
  /** Takes `a, 'b,c'` or `[a, b]` up to the closing parenthesis, which stays. Blank items are left out. */
  takeList(): string[] | undefined;
}

const quoted = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/sy;
const slashed = /\/(?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/[dgimsuvy]*/sy;

/** Reads the parts of a shape. Each character is looked at a bounded number of times. */
export function createShapeReader(text: string): ShapeReader {
  let at = 0;
  let fault: ShapeReader['fault'];

  function fail(problem: string, where: number = at): undefined {
    fault ??= { at: where, problem };
    return undefined;
  }

  function match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text) ?? undefined;
    if (found !== undefined) at += found[0].length;
    return found;
  }

  function skipSpace(): number {
    match(/\s*/y);
    return at;
  }

  function peek(): string {
    return text.charAt(skipSpace());
  }

  function take(character: string): boolean {
    if (peek() !== character) return false;
    at += 1;
    return true;
  }

  function takeQuoted(): string | undefined {
    skipSpace();
    const found = match(quoted);
    return found === undefined ? fail('a quote is not closed') : decodeEscapes(found[1] ?? found[2] ?? '');
  }

  /** Text without quotes, up to the parenthesis that closes the call or another character outside of parentheses. */
  function takeRaw(others = ''): string | undefined {
    const start = skipSpace();
    const isJson = others === '' && /[[{]/.test(peek());
    let depth = 0;
    for (; at < text.length; at += 1) {
      const character = text.charAt(at);
      if (depth === 0 && (character === ')' || others.includes(character))) {
        return text.slice(start, at).trim();
      }
      if (character === '\\') at += 1;
      else if (character === '(') depth += 1;
      else if (character === ')') depth -= 1;
      else if (isJson && character === '"') {
        if (match(quoted) === undefined) return fail('a quote is not closed');
        at -= 1;
      }
    }
    at = text.length;
    return fail('a parenthesis is not closed', start);
  }

  return {
    get at() {
      return at;
    },
    nodes: 0,
    get fault() {
      return fault;
    },
    fail,
    skipSpace,
    isAtEnd: () => skipSpace() === text.length,
    peek,
    take,
    takeName: () => match(/\s*([A-Za-z_$][\w$]*)/y)?.[1],
    takeQuoted,
    takeArgument(name) {
      const first = peek();
      const isQuoted = first === '"' || first === "'";
      const start = at;
      let args: string | undefined;
      if (isQuoted) args = takeQuoted();
      else if (name === 'regex' && first === '/') args = match(slashed)?.[0] ?? fail('a pattern has no closing slash');
      else args = takeRaw();
      if (args === undefined) return undefined;
      if (!take(')')) return fail(`expected ) after the argument of ${name}(`, start);
      return { args, ...(isQuoted && { isDecoded: true }) };
    },
    takeList() {
      const texts: string[] = [];
      const isBracketed = take('[');
      const end = isBracketed ? ']' : ')';
      while (peek() !== end) {
        const isQuoted = /["']/.test(peek());
        const item = isQuoted ? takeQuoted() : takeRaw(isBracketed ? ',]' : ',');
        if (item === undefined) return undefined;
        if (isQuoted || item !== '') texts.push(item);
        if (!take(',') && peek() !== end) return fail(`expected , or ${end} in a list of values`);
      }
      if (isBracketed) take(']');
      return texts;
    },
  };
}

/** Decodes the escapes of JSON and `\'`. A backslash before anything else stays, as in the pattern `\d`. */
function decodeEscapes(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(["'\\/nrt]))/g, (_, code: string | undefined, character: string) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return { n: '\n', r: '\r', t: '\t' }[character] ?? character;
  });
}
