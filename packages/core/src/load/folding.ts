import type { AnyNode } from 'acorn';
import { type Folded, isNotData, isPrimitive, type Locals } from './folded-value.ts';
import { measure } from './measure.ts';
import type { ModuleSyntax } from './module-syntax.ts';
import { NotFoldable, needsEvaluation, wouldThrow } from './not-foldable.ts';

/** Longest text that folding may make, in UTF-16 code units. */
export const maxText: number = 4 * 1024 * 1024;
/** Longest array that folding may make. */
export const maxArrayLength = 100_000;

const maxSteps = 2_000_000;
const maxDepth = 800;

/** What the parts of the folder share while they read the values of one module. */
export interface Folding {
  readonly syntax: ModuleSyntax;
  /** The value of an expression. */
  fold(node: AnyNode, locals: Locals | undefined): Folded;
  /** Expressions that were looked at, and parts of values that built-in functions were given. */
  steps: number;
  depth: number;
  /** Functions of the module that are being called. */
  calls: number;
  hasCalledBuiltin: boolean;
  /** Built-in methods treat holes in many ways; once there are any, no method is called on lists. */
  hasHoles: boolean;
}

/** Counts one step, and stops where reading takes too long or goes too deep. */
export function step(folding: Folding, node: AnyNode): void {
  folding.steps += 1;
  if (folding.steps > maxSteps) needsEvaluation(node, 'it takes too many steps to read');
  if (folding.depth > maxDepth) needsEvaluation(node, 'it is too deeply nested to be read');
}

/** Counts what a built-in function will look at, and refuses to hand it what is no data. */
export function spendOn(folding: Folding, value: Folded, node: AnyNode): void {
  if (typeof value === 'string') folding.steps += value.length / 64;
  if (isPrimitive(value)) return;
  if (value instanceof Set) {
    folding.steps += value.size;
    return;
  }
  const measured = measure(value);
  if (measured.status === 'not-data') needsEvaluation(node, `a built-in function is given ${measured.what}`);
  folding.steps += measured.parts;
}

/** Counts text that was made, and refuses it where it is too long. */
export function spendOnText(folding: Folding, text: string, node: AnyNode): void {
  folding.steps += text.length / 64;
  if (text.length > maxText) needsEvaluation(node, 'the text is too long to be read');
}

/** Runs built-in code. What it throws, the module would throw when it is loaded. */
export function native<Result>(node: AnyNode, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof NotFoldable) throw error;
    return wouldThrow(node, error instanceof Error ? error.message : String(error));
  }
}

/** Whether a value counts as true. */
export function isTruthy(value: Folded, node: AnyNode): boolean {
  return isNotData(value)
    ? needsEvaluation(node, 'it asks whether something that is not data is true')
    : Boolean(value);
}

/** Whether a name stands for a global here. */
export function isGlobal(name: string, { syntax }: Folding, locals: Locals | undefined): boolean {
  for (let frame = locals; frame !== undefined; frame = frame.parent) if (frame.names.has(name)) return false;
  return !syntax.moduleScope.bindings?.has(name);
}
