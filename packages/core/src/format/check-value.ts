import { readInputValue } from './input-value.ts';
import type { JsonValue } from './json.ts';
import { compilePattern } from './pattern.ts';
import type { ZExpression } from './z-expression.ts';

/** Why a value is refused. */
export type ValueFault = 'type' | 'bounds' | 'enum' | 'pattern';

/** Checks values against one expression. */
export interface ValueCheck {
  /** The value as the expression types it; undefined when it is refused. */
  accept(value: unknown): JsonValue | undefined;
  /** Why `accept` refuses the value. */
  faultOf(value: unknown): ValueFault;
}

interface Rule {
  fault: ValueFault;
  holds(value: JsonValue): boolean;
}

/** Most expressions check several values: those of tests, defaults, and what callers give. */
const known = new WeakMap<ZExpression, ValueCheck>();

/** The check of one expression, which is built once. Lengths of text are counted in UTF-16 units, as Zod does. */
export function valueCheck(z: ZExpression): ValueCheck {
  const before = known.get(z);
  if (before !== undefined) return before;
  const check = createValueCheck(z);
  known.set(z, check);
  return check;
}

function createValueCheck(z: ZExpression): ValueCheck {
  const rules = rulesOf(z);
  return {
    accept(value) {
      const read = readInputValue(z, value);
      if (read === undefined) return undefined;
      for (const rule of rules) if (!rule.holds(read)) return undefined;
      return read;
    },
    faultOf(value) {
      const read = readInputValue(z, value);
      return read === undefined ? 'type' : (rules.find((rule) => !rule.holds(read))?.fault ?? 'type');
    },
  };
}

function rulesOf({ members, min, max, length, pattern }: ZExpression): Rule[] {
  const rules: Rule[] = [];
  if (members?.every((member) => typeof member === 'string')) {
    const allowed = new Set<JsonValue>(members);
    rules.push({ fault: 'enum', holds: (value) => allowed.has(value) });
  }
  if (min !== undefined) rules.push({ fault: 'bounds', holds: (value) => sizeOf(value) >= min });
  if (max !== undefined) rules.push({ fault: 'bounds', holds: (value) => sizeOf(value) <= max });
  if (length !== undefined) rules.push({ fault: 'bounds', holds: (value) => sizeOf(value) === length });
  const compiled = pattern === undefined ? undefined : compilePattern(pattern);
  if (compiled !== undefined && 'matches' in compiled) {
    rules.push({ fault: 'pattern', holds: (value) => typeof value === 'string' && compiled.matches(value) });
  }
  return rules;
}

/** What `min` and `max` measure: a number itself, the length of text and lists. */
function sizeOf(value: JsonValue): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0;
}
