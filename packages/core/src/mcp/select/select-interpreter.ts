import { TreeInterpreter } from '@jmespath-community/jmespath';

type Interpreter = typeof TreeInterpreter;
type Node = Parameters<Interpreter['visit']>[0];
type Value = Parameters<Interpreter['search']>[1];
type Visited = ReturnType<Interpreter['visit']>;

/** The work that one expression may make: values that are looked at, and those that are made. About half a second. */
const maxWork = 5_000_000;
/** Characters of text that a function may make, and the width to which it may fill text up. */
const maxCharacters = 4_000_000;

/** An expression made more work than it may. */
export class TooMuchWork extends Error {}

/**
 * An interpreter of JMESPath with a budget, since neither the expression nor the data need be well meant: an expression of a line can
 * double its data in each step, compare all with all, or trim text in a way that takes quadratic time.
 */
export function createSelectInterpreter(): Interpreter {
  const create = TreeInterpreter.constructor as new () => Interpreter;
  let left = maxWork;
  const spend = (work: number) => {
    left -= work;
    if (left < 0) throw new TooMuchWork('it makes too much work');
  };
  return withBudget(new create(), spend);
}

function withBudget(interpreter: Interpreter, spend: (work: number) => void): Interpreter {
  const { runtime } = interpreter;
  const visit = interpreter.visit.bind(interpreter);
  const withScope = interpreter.withScope.bind(interpreter);
  const callFunction = runtime.callFunction.bind(runtime);
  interpreter.visit = (node, value) => {
    spend(1);
    if (node.type === 'Field') return ownField(value, node.name);
    if (node.type !== 'Comparator') return charged(visit(node, value), spend);
    // Comparing goes through both values to their ends.
    const sides = [node.left, node.right].map((side) => interpreter.visit(side, value));
    for (const side of sides) spendAll(side, spend);
    const [leftSide, rightSide] = sides.map(literal);
    return leftSide && rightSide ? visit({ ...node, left: leftSide, right: rightSide }, value) : null;
  };
  interpreter.withScope = (scope) => withBudget(withScope(scope), spend);
  runtime.callFunction = (name, args) => {
    for (const arg of args) spendAll(arg, spend);
    const trimmed = trim(name, args);
    if (trimmed !== undefined) return trimmed;
    if (charactersOf(name, args) > maxCharacters) throw new TooMuchWork('it makes text that is too long');
    return charged(callFunction(name, args), spend) as Value;
  };
  return interpreter;
}

/** What belongs to all objects is no field of one. */
function ownField(value: unknown, name: string): Visited {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, name) ? ((value as Record<string, Value>)[name] ?? null) : null;
}

function literal(value: Visited): Node {
  return { type: 'Literal', value: value as Value };
}

/** Lists and objects that were made are paid for by their length. */
function charged<T>(value: T, spend: (work: number) => void): T {
  if (typeof value === 'string') spend(value.length / 100);
  else if (Array.isArray(value)) spend(value.length);
  return value;
}

/** Pays for a value with all that is in it, as often as it is in it. */
export function spendAll(value: unknown, spend: (work: number) => void): void {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    spend(typeof next === 'string' ? 1 + next.length / 100 : 1);
    if (typeof next !== 'object' || next === null) continue;
    const parts: unknown[] = Array.isArray(next) ? next : Object.values(next);
    spend(parts.length / 10);
    for (const part of parts) waiting.push(part);
  }
}

/** At most so many characters does a function give back for arguments whose product they are. */
function charactersOf(name: string, args: readonly unknown[]): number {
  const [first, second, third, fourth] = args;
  if (name === 'pad_left' || name === 'pad_right') return Number(second);
  if (name === 'join' && typeof first === 'string' && Array.isArray(second)) {
    return second.reduce((sum: number, text) => sum + String(text).length, first.length * second.length);
  }
  if (name === 'replace' && [first, second, third].every((text) => typeof text === 'string')) {
    const [subject = '', old = '', by = ''] = args.map(String);
    const count = Math.min(subject.length / Math.max(old.length, 1) + 1, Number(fourth ?? Number.POSITIVE_INFINITY));
    // With a number, the text is written again for each.
    return fourth === undefined || fourth === null
      ? subject.length + count * by.length
      : Number(fourth) * (subject.length + Number(fourth) * by.length);
  }
  return 0;
}

/** The library trims with regular expressions that take quadratic time. */
function trim(name: string, [text, characters]: readonly unknown[]): string | undefined {
  if (!/^trim(_left|_right)?$/.test(name) || typeof text !== 'string') return undefined;
  if (characters !== undefined && typeof characters !== 'string') return undefined;
  const isTrimmed = (character: string) => (characters ? characters.includes(character) : /[\s\u0085]/.test(character));
  let [start, end] = [0, text.length];
  if (name !== 'trim_right') while (start < end && isTrimmed(text.charAt(start))) start += 1;
  if (name !== 'trim_left') while (start < end && isTrimmed(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
