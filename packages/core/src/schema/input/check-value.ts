import { isPlain, type JsonValue } from '../json.ts';
import { compilePattern } from '../pattern.ts';
import type { ZExpression } from '../z/z-expression.ts';

export type ValueFault = 'type' | 'bounds' | 'enum' | 'pattern';

export interface ValueCheck {
  /** The value converted to the type of the expression; undefined if it is invalid. */
  accept(value: unknown): JsonValue | undefined;
  faultOf(value: unknown): ValueFault;
}

interface Rule {
  fault: ValueFault;
  holds: (value: JsonValue) => boolean;
}

/** Most expressions check several values: those of tests, defaults and callers. */
const known = new WeakMap<ZExpression, ValueCheck>();

/** The check of one expression, which is built once. Lengths of text are counted in UTF-16 units, as Zod does. */
export function valueCheck(z: ZExpression): ValueCheck {
  const before = known.get(z);
  if (before !== undefined) return before;
  const rules = rulesOf(z);
  const check: ValueCheck = {
    accept(value) {
      const read = coerceInput(z, value);
      return read !== undefined && rules.every(({ holds }) => holds(read)) ? read : undefined;
    },
    faultOf(value) {
      const read = coerceInput(z, value);
      return read === undefined ? 'type' : (rules.find(({ holds }) => !holds(read))?.fault ?? 'type');
    },
  };
  known.set(z, check);
  return check;
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

/** Deepest nesting of a caller's list or object. Deeper ones could not be written as JSON without exhausting the stack. */
const MAX_DEPTH = 200;

/**
 * Converts a caller's value to the type of an expression; undefined if that is not possible. Numbers and booleans may
 * come as text (`"5"`, `"true"`), text as a number, the values of an enum as numbers or booleans. Bounds are not checked.
 */
export function coerceInput({ primitive, integer }: ZExpression, value: unknown): JsonValue | undefined {
  switch (primitive) {
    case 'string':
      return typeof value === 'string' ? value : numberAsText(value);
    case 'number':
      return coerceNumber(value, integer);
    case 'boolean':
      return coerceBoolean(value);
    case 'enum':
      return typeof value === 'string' ? value : scalarAsText(value);
    case 'array':
      return Array.isArray(value) && isJsonValue(value) ? value : undefined;
    case 'object':
      return typeof value === 'object' && value !== null && isJsonValue(value) ? value : undefined;
  }
}

function coerceNumber(value: unknown, integer = false): number | undefined {
  const isNumeric = typeof value === 'string' && /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(value);
  const number = isNumeric ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && (!integer || Number.isInteger(number))
    ? number
    : undefined;
}

function coerceBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  return /^true$/i.test(value) ? true : /^false$/i.test(value) ? false : undefined;
}

/** Models write an id such as 9780000 without quotes. Undefined for a number that may have lost digits. */
function numberAsText(value: unknown): string | undefined {
  if (typeof value !== 'number') return undefined;
  const text = String(value);
  return /^-?\d+(\.\d+)?$/.test(text) && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? text : undefined;
}

function scalarAsText(value: unknown): string | undefined {
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
    ? String(value)
    : undefined;
}

/** Whether JSON can carry a value: plain objects and arrays, no holes, no cycles, finite numbers. */
function isJsonValue(value: unknown, depth = 0): value is JsonValue {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth > MAX_DEPTH) return false;
  if (!Array.isArray(value) && !isPlain(value)) return false;
  const children: unknown[] = Array.isArray(value) ? Array.from(value) : Object.values(value);
  return children.every((child) => isJsonValue(child, depth + 1));
}
