import { type CheckResult, checkResult, type Finding, hasNoErrors } from '../schema/finding.ts';
import {
  callsOf,
  type Jmespath,
  loadJmespath,
  placeOf,
  reasonOf,
  selectFaults,
  selectFinding,
} from '../schema/output/select-faults.ts';

/** The selected data: null if nothing matches, or `status` is false. */
export interface Selection extends CheckResult {
  data: unknown;
}

const maxSelected = 2_000_000;

/**
 * Selects a part of data with a JMESPath expression (community edition, jmespath.site). Work and size are limited, so that both
 * may come from untrusted sources. Never throws.
 *
 * @param data - Plain data, as the answer of a tool is.
 *
 * @example
 * const { data } = await selectData({ tides: [{ time: '11:20' }] }, 'tides[].time');
 * console.log(data); // [ '11:20' ]
 */
export async function selectData(data: unknown, expression: string): Promise<Selection> {
  const findings = selectFaults(expression);
  if (!hasNoErrors(findings)) return selection(findings);
  const jmespath = loadJmespath();
  const interpreter = createInterpreter(jmespath);
  try {
    const plain = data as Parameters<typeof interpreter.search>[1];
    const selected: unknown = interpreter.search(jmespath.compile(expression), plain);
    let left = maxSelected;
    spendAll(selected, (work) => {
      left -= work;
      if (left < 0) throw new TooMuchWork('it selects too much');
    });
    return selection([], selected ?? null);
  } catch (error) {
    // A RangeError comes from a deep expression or deep data.
    if (error instanceof TooMuchWork || error instanceof RangeError) {
      const why = error instanceof TooMuchWork ? error.message : 'it is nested too deeply';
      const hint = 'Select less, or in fewer steps.';
      return selection([selectFinding('SEL003', `the expression cannot be used: ${why}`, { hint })]);
    }
    const reason = reasonOf(error);
    const name = /\b(\w+)\(\)/.exec(reason)?.[1];
    const call = callsOf(expression).find((each) => each.name === name);
    const place = call === undefined ? {} : placeOf(expression, call.at);
    return selection([selectFinding('SEL002', `the expression does not fit the data: ${reason}`, place)]);
  }
}

/**
 * Checks an expression without data: its syntax, and that its functions exist.
 *
 * @example
 * const [finding] = await checkSelect('tides[].lenght(@)');
 * console.log(finding?.hint); // Did you mean length()?
 */
export async function checkSelect(expression: string): Promise<Finding[]> {
  return selectFaults(expression);
}

function selection(findings: Finding[], data: unknown = null): Selection {
  return { ...checkResult(findings), data };
}

type Interpreter = Jmespath['TreeInterpreter'];
type Node = Parameters<Interpreter['visit']>[0];
type Value = Parameters<Interpreter['search']>[1];
type Visited = ReturnType<Interpreter['visit']>;

/** The work that one expression may cause: values that it visits or creates. About half a second. */
const maxWork = 5_000_000;
/** Characters that a function may produce, and the width to which it may pad text. */
const maxCharacters = 4_000_000;

/** An expression that causes too much work. */
class TooMuchWork extends Error {}

/** A JMESPath interpreter with a budget: one hostile line can double its data in each step, or trim text in quadratic time. */
function createInterpreter({ TreeInterpreter }: Jmespath): Interpreter {
  const create = TreeInterpreter.constructor as new () => Interpreter;
  let left = maxWork;
  const spend = (work: number) => {
    left -= work;
    if (left < 0) throw new TooMuchWork('it takes too much work');
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
    // A comparison visits both values completely.
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
    if (charactersOf(name, args) > maxCharacters) throw new TooMuchWork('it creates text that is too long');
    return charged(callFunction(name, args), spend) as Value;
  };
  return interpreter;
}

/** Inherited properties are not fields. */
function ownField(value: unknown, name: string): Visited {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, name) ? ((value as Record<string, Value>)[name] ?? null) : null;
}

function literal(value: Visited): Node {
  return { type: 'Literal', value: value as Value };
}

/** Charges for a created text or list by its length. */
function charged<T>(value: T, spend: (work: number) => void): T {
  if (typeof value === 'string') spend(value.length / 100);
  else if (Array.isArray(value)) spend(value.length);
  return value;
}

/** Charges for a value and everything in it, each time that it occurs. */
function spendAll(value: unknown, spend: (work: number) => void): void {
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

/** The most characters that a function can return for these arguments, if its result may be larger than they are. */
function charactersOf(name: string, args: readonly unknown[]): number {
  const [first, second, third, fourth] = args;
  if (name === 'pad_left' || name === 'pad_right') return Number(second);
  if (name === 'join' && typeof first === 'string' && Array.isArray(second)) {
    return second.reduce((sum: number, text) => sum + String(text).length, first.length * second.length);
  }
  if (name === 'replace' && [first, second, third].every((text) => typeof text === 'string')) {
    const [subject = '', old = '', by = ''] = args.map(String);
    const count = Math.min(subject.length / Math.max(old.length, 1) + 1, Number(fourth ?? Number.POSITIVE_INFINITY));
    // With a count, the library rewrites the text for each replacement.
    return fourth === undefined || fourth === null
      ? subject.length + count * by.length
      : Number(fourth) * (subject.length + Number(fourth) * by.length);
  }
  return 0;
}

/** Replaces the trim functions of the library, whose regular expressions take quadratic time. */
function trim(name: string, [text, characters]: readonly unknown[]): string | undefined {
  if (!/^trim(_left|_right)?$/.test(name) || typeof text !== 'string') return undefined;
  if (characters !== undefined && typeof characters !== 'string') return undefined;
  const isTrimmed = (character: string) => (characters ? characters.includes(character) : /[\s\u0085]/.test(character));
  let [start, end] = [0, text.length];
  if (name !== 'trim_right') while (start < end && isTrimmed(text.charAt(start))) start += 1;
  if (name !== 'trim_left') while (start < end && isTrimmed(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
