import {
  type AnyNode,
  type ObjectExpression,
  type Options,
  Parser,
  type Program,
  type Property,
  type TokenType,
  tokTypes,
} from 'acorn';
import type { DataLiteral, NamedPart, ReadDataLiteral } from './data-literal.ts';

/** How deeply the parts of a module may be nested. Real schemas stay below 40. */
const maxNesting = 150;
/** How many operands one expression may join (`a + b + …`); each costs the parser a stack frame. */
const maxOperands = 600;
const maxPatternNesting = 60;
const maxPatternLength = 20_000;
/** The parser compares each declared name with all others of its scope. */
const maxDeclarations = 10_000;
/** How many statements are around the value in `export const name = …`. */
const exportedDepth = 2;

/** The steps of acorn's parser that can nest, which its types leave out. */
interface ParserSteps {
  start: number;
  end: number;
  pos: number;
  type: TokenType;
  readonly lastTokEnd: number;
  next(): void;
  parseVarId(declarator: { id: AnyNode }, kind: unknown): void;
  updateContext(previous: TokenType): void;
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
  /** Where literals of exported constants are read without looking at each of their tokens. */
  readLiteral: ReadDataLiteral | undefined;
  readonly literals = new Map<AnyNode, DataLiteral>();
  /** Where the `=` behind the name of an exported constant ends. */
  private initialiserAfter = -1;
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
    if (this.readLiteral && this.lastTokEnd === this.initialiserAfter && this.type === tokTypes.braceL) {
      const node = this.takeLiteral(this.readLiteral);
      if (node) return node;
    }
    this.enter();
    const node = super.parseMaybeAssign(forInit, errors, afterLeft);
    this.depth -= 1;
    return node;
  }

  override parseVarId(declarator: { id: AnyNode }, kind: unknown): void {
    super.parseVarId(declarator, kind);
    const isPlain = this.depth === exportedDepth && declarator.id.type === 'Identifier' && this.type === tokTypes.eq;
    this.initialiserAfter = isPlain ? this.end : -1;
  }

  /** Goes on behind a literal. Its node holds only the names in it. */
  private takeLiteral(read: ReadDataLiteral): ObjectExpression | undefined {
    const literal = read(this.start);
    if (literal === undefined) return undefined;
    const { start } = this;
    const { end } = literal;
    const node: ObjectExpression = {
      type: 'ObjectExpression',
      properties: literal.names.map(nameAsProperty),
      start,
      end,
    };
    this.literals.set(node, literal);
    const opening = this.type;
    this.type = tokTypes.braceR;
    this.pos = end;
    this.start = end - 1;
    this.end = end;
    this.updateContext(opening);
    this.next();
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

function nameAsProperty({ key, node }: NamedPart): Property {
  const { start, end } = node;
  const place = { start, end, method: false, shorthand: false, computed: false, kind: 'init' } as const;
  return { ...place, type: 'Property', key: { type: 'Literal', value: key, start, end }, value: node };
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

export interface ParsedProgram {
  program: Program;
  /** The literals that the reader has read. Their nodes hold nothing but names. */
  literals: ReadonlyMap<AnyNode, DataLiteral>;
}

/**
 * Parses as acorn does. Throws a SyntaxError with `pos` also where the text is nested too deeply to be parsed safely.
 *
 * @param readLiteral - Reads what `export const` gives a name, where that is plain data. Default: all is parsed.
 */
export function parseBounded(text: string, options: Options, readLiteral?: ReadDataLiteral): ParsedProgram {
  const parser = new BoundedParser(options, text);
  parser.readLiteral = readLiteral;
  return { program: parser.parse(), literals: parser.literals };
}
