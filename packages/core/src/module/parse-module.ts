import { type Options, Parser, type Program } from 'acorn';

/** A range of text; `end` is exclusive. */
export interface TextRange {
  start: number;
  end: number;
}

export type ParsedModule =
  | { status: 'parsed'; program: Program; comments: readonly TextRange[] }
  | { status: 'failed'; message: string; offset: number };

/** Parses an ECMAScript module. Never throws: a syntax error is returned with its offset. */
export function parseModule(text: string): ParsedModule {
  const comments: TextRange[] = [];
  try {
    const program = parseBounded(text, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      allowHashBang: true,
      onComment: (_block, _text, start, end) => comments.push({ start, end }),
    });
    return { status: 'parsed', program, comments };
  } catch (error) {
    const offset = error instanceof Error && 'pos' in error && typeof error.pos === 'number' ? error.pos : 0;
    const message = error instanceof Error ? error.message.replace(/ \(\d+:\d+\)$/, '') : String(error);
    return { status: 'failed', message, offset };
  }
}

/** Nesting of a module. Real schemas stay below 40. */
const maxNesting = 150;
/** Operands in one expression (`a + b + …`); each costs the parser a stack frame. */
const maxOperands = 600;
const maxPatternNesting = 60;
const maxPatternLength = 20_000;
/** The parser compares each declared name with all others in its scope. */
const maxDeclarations = 10_000;

/** The steps of acorn's parser that can nest; its types leave them out. */
interface ParserSteps {
  start: number;
  parse(): Program;
  parseStatement(context: unknown, topLevel: unknown, exports: unknown): unknown;
  parseMaybeAssign(forInit: unknown, errors: unknown, afterLeft: unknown): unknown;
  parseMaybeUnary(errors: unknown, sawUnary: unknown, update: unknown, forInit: unknown): unknown;
  parseNew(): unknown;
  parseExprOp(left: unknown, start: unknown, loc: unknown, precedence: unknown, forInit: unknown): unknown;
  parseBindingAtom(): unknown;
  declareName(name: unknown, kind: unknown, offset: unknown): void;
  validateRegExpPattern(state: { source: string; start: number }): void;
  raise(offset: number, message: string): never;
}

// acorn's parser is designed to be extended, but its types hide the constructor and the steps.
const AcornParser = Parser as unknown as new (options: Options, text: string) => ParserSteps;

/**
 * acorn with limits. Text that exhausts the stack cannot be handled by catching an exception: V8 aborts the process when it
 * has to compile a regular expression close to the end of the stack.
 */
class BoundedParser extends AcornParser {
  private depth = 0;
  private operands = 0;
  private declarations = 0;

  private enter(): void {
    this.depth += 1;
    // Each bracket takes two steps: an assignment and its operand.
    if (this.depth > maxNesting * 2) this.raise(this.start, `Nested more than ${maxNesting} levels deep`);
  }

  override parseStatement(context: unknown, topLevel: unknown, exports: unknown): unknown {
    this.enter();
    const node = super.parseStatement(context, topLevel, exports);
    this.depth -= 1;
    return node;
  }

  override parseMaybeAssign(forInit: unknown, errors: unknown, afterLeft: unknown): unknown {
    this.enter();
    const node = super.parseMaybeAssign(forInit, errors, afterLeft);
    this.depth -= 1;
    return node;
  }

  override parseMaybeUnary(errors: unknown, sawUnary: unknown, update: unknown, forInit: unknown): unknown {
    this.enter();
    const node = super.parseMaybeUnary(errors, sawUnary, update, forInit);
    this.depth -= 1;
    return node;
  }

  override parseNew(): unknown {
    this.enter();
    const node = super.parseNew();
    this.depth -= 1;
    return node;
  }

  override parseExprOp(left: unknown, start: unknown, loc: unknown, precedence: unknown, forInit: unknown): unknown {
    this.operands += 1;
    if (this.operands > maxOperands) this.raise(this.start, `More than ${maxOperands} operands in one expression`);
    const node = super.parseExprOp(left, start, loc, precedence, forInit);
    this.operands -= 1;
    return node;
  }

  override parseBindingAtom(): unknown {
    this.enter();
    const node = super.parseBindingAtom();
    this.depth -= 1;
    return node;
  }

  override declareName(name: unknown, kind: unknown, offset: unknown): void {
    this.declarations += 1;
    if (this.declarations > maxDeclarations) this.raise(this.start, `More than ${maxDeclarations} declarations`);
    super.declareName(name, kind, offset);
  }

  override validateRegExpPattern(state: { source: string; start: number }): void {
    if (state.source.length > maxPatternLength) this.raise(state.start, 'Regular expression is too long');
    if (patternNesting(state.source) > maxPatternNesting) {
      this.raise(state.start, `Regular expression is nested more than ${maxPatternNesting} levels deep`);
    }
    super.validateRegExpPattern(state);
  }
}

/** An upper bound: escaped brackets count too. */
function patternNesting(pattern: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of pattern) {
    if (character === '(' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === ')' || character === ']') depth -= 1;
  }
  return deepest;
}

/** Parses as acorn does. Throws a SyntaxError with `pos`, also if a limit is exceeded. */
export function parseBounded(text: string, options: Options): Program {
  return new BoundedParser(options, text).parse();
}
