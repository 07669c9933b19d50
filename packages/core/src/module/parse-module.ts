import { type Options, Parser, type Program } from 'acorn';

/** A stretch of text, from `start` up to but not including `end`. */
export interface TextRange {
  start: number;
  end: number;
}

export type ParsedModule =
  | { status: 'parsed'; program: Program; comments: readonly TextRange[] }
  | { status: 'failed'; message: string; offset: number };

/** Parses an ECMAScript module. Never throws: text that is no module gives the place of the first mistake. */
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

/** How deeply the parts of a module may be nested. Real schemas stay below 40. */
const maxNesting = 150;
/** How many operands one expression may join (`a + b + …`); each costs the parser a stack frame. */
const maxOperands = 600;
const maxPatternNesting = 60;
const maxPatternLength = 20_000;
/** The parser compares each declared name with all others of its scope. */
const maxDeclarations = 10_000;

/** The steps of acorn's parser that can nest, which its types leave out. */
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

// acorn's parser is made to be extended, but its declared type hides the constructor and the steps.
const AcornParser = Parser as unknown as new (options: Options, text: string) => ParserSteps;

/**
 * acorn with limits. A text that exhausts the stack is not merely an exception to catch: when V8 has to compile a regular
 * expression close to the end of the stack, it ends the process. So the parser has to stop long before that.
 */
class BoundedParser extends AcornParser {
  private depth = 0;
  private operands = 0;
  private declarations = 0;

  private enter(): void {
    this.depth += 1;
    // Each bracket takes two steps: the assignment that may stand in it, and its operand.
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

/** An upper bound: brackets count even where they are escaped. */
function patternNesting(pattern: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of pattern) {
    if (character === '(' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === ')' || character === ']') depth -= 1;
  }
  return deepest;
}

/** Parses as acorn does. Throws a SyntaxError with `pos` also where the text is nested too deeply to be parsed safely. */
export function parseBounded(text: string, options: Options): Program {
  return new BoundedParser(options, text).parse();
}
