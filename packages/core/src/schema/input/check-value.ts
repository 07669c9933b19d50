import { isObject, isPlain, type JsonValue } from '../json.ts';
import { compilePattern } from '../pattern.ts';
import { onlyValue, type ZExpression } from '../z/z-expression.ts';
import { maxFileBytes, parseFileValue } from './file-value.ts';

export interface ValueFault {
  kind: 'type' | 'bounds' | 'enum' | 'pattern' | 'missing' | 'unknown';
  /** Where in the value: names of members and indexes of items. */
  at: readonly (string | number)[];
  /** What was expected there; for an unknown member, the object around it. */
  z: ZExpression;
  /** What was given there. */
  value: unknown;
}

export interface CheckedValue {
  /** The value converted to the type of the expression, with defaults; undefined if it is invalid. */
  value: JsonValue | undefined;
  /** None if the value is valid, else at least one. */
  faults: readonly ValueFault[];
}

interface Walk {
  faults: ValueFault[];
  at: readonly (string | number)[];
  /** Whether nothing is converted. */
  isExact: boolean;
}

/** More would not help anybody who reads them. */
const maxFaults = 20;

/** Checks a value against an expression, with all parts of a shape. Lengths of text are counted in UTF-16 units, as Zod does. */
export function checkValue(z: ZExpression, value: unknown): CheckedValue {
  const faults: ValueFault[] = [];
  const checked = check(z, value, { faults, at: [], isExact: false });
  return { value: faults.length === 0 ? checked : undefined, faults };
}

function check(z: ZExpression, value: unknown, walk: Walk): JsonValue | undefined {
  if (value === null && z.nullable) return null;
  if (z.variants !== undefined) return checkUnion(z, value, walk);
  const read = coerceInput(z, value);
  if (read === undefined || (walk.isExact && read !== value)) return addFault(walk, 'type', z, value);
  const broken = rulesOf(z).find(({ holds }) => !holds(read));
  return broken === undefined ? checkParts(z, read, walk) : addFault(walk, broken.fault, z, value);
}

function addFault(
  { faults, at }: Pick<Walk, 'faults' | 'at'>,
  kind: ValueFault['kind'],
  z: ZExpression,
  value: unknown,
): undefined {
  if (faults.length < maxFaults) faults.push({ kind, at, z, value });
}

/** Checks the items and members of a value that has the right type. */
function checkParts(z: ZExpression, read: JsonValue, walk: Walk): JsonValue | undefined {
  const { items, values, properties } = z;
  const checkPart = (part: ZExpression, key: string | number, value: unknown): JsonValue | undefined =>
    check(part, value, { ...walk, at: [...walk.at, key] });
  if (items !== undefined && Array.isArray(read)) {
    return read.map((item, index) => checkPart(items, index, item) ?? null);
  }
  if (!isObject(read)) return read;
  if (values !== undefined) {
    return Object.fromEntries(Object.entries(read).map(([key, value]) => [key, checkPart(values, key, value) ?? null]));
  }
  if (properties === undefined) return read;
  const members = Object.entries(properties).flatMap(([name, part]): [string, JsonValue][] => {
    const given = Object.hasOwn(read, name) ? read[name] : undefined;
    const isLeftOut = given === undefined || (given === null && part.optional && !part.nullable && !walk.isExact);
    if (!isLeftOut) return [[name, checkPart(part, name, given) ?? null]];
    if (part.default !== undefined) return [[name, structuredClone(part.default)]];
    if (!part.optional) addFault({ ...walk, at: [...walk.at, name] }, 'missing', part, undefined);
    return [];
  });
  for (const name of Object.keys(read)) {
    if (!Object.hasOwn(properties, name)) addFault({ ...walk, at: [...walk.at, name] }, 'unknown', z, read[name]);
  }
  return Object.fromEntries(members);
}

/** A variant that takes the value unchanged comes before one that converts it. */
function checkUnion(z: ZExpression, value: unknown, walk: Walk): JsonValue | undefined {
  const { variants = [], discriminator } = z;
  if (discriminator !== undefined) return checkTagged(z, discriminator, value, walk);
  const refusals: ValueFault[][] = [];
  for (const isExact of walk.isExact ? [true] : [true, false]) {
    for (const variant of variants) {
      const faults: ValueFault[] = [];
      const read = check(variant, value, { ...walk, faults, isExact });
      if (faults.length === 0) return read;
      if (isExact === walk.isExact) refusals.push(faults);
    }
  }
  // Only one variant has the type of the value: what it lacks says more than all that was expected.
  const near = refusals.filter((faults) =>
    faults.every(({ kind, at }) => kind !== 'type' || at.length > walk.at.length),
  );
  const [only] = near;
  if (only === undefined || near.length > 1) return addFault(walk, 'type', z, value);
  walk.faults.push(...only);
  return undefined;
}

function checkTagged(z: ZExpression, discriminator: string, value: unknown, walk: Walk): JsonValue | undefined {
  if (!isObject(value)) return addFault(walk, 'type', z, value);
  const { variants = [] } = z;
  const members = variants.flatMap(({ properties = {} }) => onlyValue(properties[discriminator]) ?? []);
  const tags: ZExpression = { primitive: 'enum', members, optional: false };
  const at = [...walk.at, discriminator];
  const given = Object.hasOwn(value, discriminator) ? value[discriminator] : undefined;
  if (given === undefined) return addFault({ ...walk, at }, 'missing', tags, undefined);
  const tag = check(tags, given, { ...walk, at });
  const variant = typeof tag === 'string' ? variants[members.indexOf(tag)] : undefined;
  return variant && check(variant, value, walk);
}

type Rule = { fault: 'bounds' | 'enum' | 'pattern'; holds: (value: JsonValue) => boolean };

/** Most expressions check several values: those of tests, defaults and callers. */
const known = new WeakMap<ZExpression, readonly Rule[]>();

function rulesOf(z: ZExpression): readonly Rule[] {
  const rules = known.get(z) ?? makeRules(z);
  known.set(z, rules);
  return rules;
}

function makeRules({ primitive, members, min, max, length, pattern, types }: ZExpression): Rule[] {
  if (primitive === 'file') return fileRules(max ?? maxFileBytes, types);
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

function fileRules(most: number, types: readonly string[] | undefined): Rule[] {
  const fileOf = (value: JsonValue) => (typeof value === 'string' ? parseFileValue(value) : undefined);
  const isAllowed = (type: string | undefined): boolean =>
    type === undefined || types === undefined || types.some((each) => each === type || isFamily(each, type));
  return [
    { fault: 'bounds', holds: (value) => (fileOf(value)?.bytes ?? 0) <= most },
    { fault: 'enum', holds: (value) => isAllowed(fileOf(value)?.type) },
  ];
}

/** Whether `image/*` covers a type. */
function isFamily(range: string, type: string): boolean {
  return range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}

/** What `min` and `max` measure: a number itself, the length of text and lists, the members of a record. */
function sizeOf(value: JsonValue): number {
  if (typeof value === 'number') return value;
  if (isObject(value)) return Object.keys(value).length;
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0;
}

/** Deepest nesting of a caller's list or object. Deeper ones could not be written as JSON without exhausting the stack. */
const MAX_DEPTH = 200;

/**
 * Converts a caller's value to the type of an expression; undefined if that is not possible. Numbers and booleans may
 * come as text (`"5"`, `"true"`), text as a number, the values of an enum as numbers or booleans. Bounds are not checked.
 */
export function coerceInput({ primitive, integer, properties }: ZExpression, value: unknown): JsonValue | undefined {
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
    case 'record':
      if (Array.isArray(value) && (primitive === 'record' || properties !== undefined)) return undefined;
      return typeof value === 'object' && value !== null && isJsonValue(value) ? value : undefined;
    case 'file':
      return typeof value === 'string' && parseFileValue(value) !== undefined ? value : undefined;
    case 'union':
      return isJsonValue(value) ? value : undefined;
  }
}

function coerceNumber(value: unknown, integer = false): number | undefined {
  const isNumeric = typeof value === 'string' && /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(value);
  const number = isNumeric ? Number(value) : value;
  // An id of 20 digits would be sent as another one.
  if (integer && isNumeric && losesDigits(value)) return undefined;
  return typeof number === 'number' && Number.isFinite(number) && (!integer || Number.isInteger(number))
    ? number
    : undefined;
}

/** Whether a number cannot hold a whole number that is written as text. */
function losesDigits(text: string): boolean {
  const digits = /^\s*\+?(-?\d+)\s*$/.exec(text)?.[1];
  return digits !== undefined && Number.isFinite(Number(digits)) && BigInt(Number(digits)) !== BigInt(digits);
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
