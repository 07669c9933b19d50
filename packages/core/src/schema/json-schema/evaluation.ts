import { isObject } from '../json.ts';
import { compilePattern, type Pattern } from '../pattern.ts';

/** Whether a value satisfies a schema. `unknown`: a pattern cannot be run, or the check took too many steps. */
export type SchemaFit = 'fits' | 'misfit' | 'unknown';

/** Shared state of all checks against one root schema. */
export interface Evaluation {
  /** Remaining steps; below 0, checking ends with `outOfSteps`. */
  left: number;
  /** Compiled once; undefined if the engine cannot run the pattern. */
  patterns: Map<string, Pattern | undefined>;
}

/** The evaluated properties and items, which `unevaluatedProperties` and `unevaluatedItems` skip. */
export interface Seen {
  names: Set<string>;
  items: Set<number>;
  /** True if there may be more because a result is unknown. */
  isPartial: boolean;
}

/** Shared state of the checks of one value's parts. */
export interface Inside {
  seen: Seen;
  part: (schema: unknown, value: unknown) => SchemaFit;
  evaluation: Evaluation;
}

/** Thrown inside a check, and caught at its entry. */
export const outOfSteps: Error = new Error('the check takes too many steps');

/** Counts steps. Schemas and values are untrusted, so every loop counts. */
export function spend(evaluation: Evaluation, steps: number = 1): void {
  evaluation.left -= steps;
  if (evaluation.left < 0) throw outOfSteps;
}

/** One match may take this many engine steps, about 20 ms. */
const MAX_MATCH_STEPS = 1_000_000;
/** Engine steps that take as long as one evaluation step. */
const MATCH_STEPS_PER_STEP = 50;
/** For compiling a pattern that the engine then refuses. */
const REFUSED_PATTERN_STEPS = 500;

export function matchPattern(text: string, source: string, evaluation: Evaluation): SchemaFit {
  const pattern = compiledOnce(source, evaluation);
  const steps = pattern === undefined ? 0 : pattern.size * text.length;
  if (pattern === undefined || steps > MAX_MATCH_STEPS) return 'unknown';
  spend(evaluation, steps / MATCH_STEPS_PER_STEP);
  return fitIf(pattern.matches(text));
}

function compiledOnce(source: string, evaluation: Evaluation): Pattern | undefined {
  const { patterns } = evaluation;
  if (patterns.has(source)) return patterns.get(source);
  spend(evaluation, source.length);
  const compiled = compilePattern(source);
  const pattern = 'problem' in compiled ? undefined : compiled;
  patterns.set(source, pattern);
  spend(evaluation, pattern === undefined ? REFUSED_PATTERN_STEPS : pattern.size / 5);
  return pattern;
}

export function fitIf(condition: boolean): SchemaFit {
  return condition ? 'fits' : 'misfit';
}

/** An own keyword of a schema: names are untrusted, so inherited properties must not count. */
export function keyword(schema: unknown, name: string): unknown {
  return isObject(schema) && Object.hasOwn(schema, name) ? schema[name] : undefined;
}

/** The number that a keyword has; `otherwise` if it has none. */
export function numberAt(schema: unknown, name: string, otherwise: number): number {
  const value = keyword(schema, name);
  return typeof value === 'number' ? value : otherwise;
}

/** The items of a keyword; none if it is not an array. */
export function listAt(schema: unknown, name: string): readonly unknown[] {
  const value = keyword(schema, name);
  return Array.isArray(value) ? value : [];
}
