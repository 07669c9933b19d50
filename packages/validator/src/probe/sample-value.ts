import { field, texts } from '../findings/plain-object.ts';
import type { Check } from '../json-schema/check.ts';
import { isValid } from '../json-schema/check-value.ts';
import { isAmong } from '../json-schema/equal.ts';
import { spend } from '../json-schema/work.ts';
import { sampleArrays } from './sample-array.ts';
import { sampleNumbers } from './sample-number.ts';
import { sampleObjects } from './sample-object.ts';
import { sampleTexts } from './sample-text.ts';
import { type Parts, waysToBeValid } from './schema-parts.ts';

const TYPES = ['string', 'number', 'boolean', 'object', 'array', 'null'] as const;
/** Keywords that speak of one type. A schema without `type` is most likely about that one. */
const HINTS: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties']],
  ['array', ['items', 'prefixItems', 'contains', 'minItems', 'uniqueItems']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];
/** Of candidates for one place; more would only be more of the same. */
const MAX_CANDIDATES = 300;
const MAX_GIVEN = 50;
/** Steps for one value of a lenient search. */
const SIMPLE = 500;

/** A search for values of one schema. */
export interface Search {
  check: Check;
  depth: number;
  /** Values nested deeper are not made; `isCut` tells that one was wanted. */
  limit: { depth: number; isCut: boolean };
  /** Makes something even where nothing valid is found. */
  isLenient: boolean;
}

/** Valid values of a schema, the plainest first, each once. */
export function* validValues(schema: unknown, search: Search): Generator<unknown> {
  const { check } = search;
  const given: unknown[] = [];
  let tried = 0;
  for (const value of candidates(schema, search)) {
    if (++tried > MAX_CANDIDATES || check.work.left < 0) return;
    if (!isValid(schema, value, check) || isAmong(given, value, check.work)) continue;
    given.push(value);
    yield value;
  }
}

/** The first valid value, undefined without one; a lenient search then takes what comes nearest, with parts that are valid where that is simple. */
export function firstValue(schema: unknown, search: Search): unknown {
  const { check, isLenient } = search;
  const work = isLenient ? { left: Math.min(SIMPLE, check.work.left) } : check.work;
  for (const value of validValues(schema, { ...search, check: { ...check, work }, isLenient: false })) return value;
  if (!isLenient) return undefined;
  check.work.left -= SIMPLE;
  for (const value of candidates(schema, search)) return value;
  return null;
}

/** Values that may be valid: what the schema itself names, then what is made by its keywords. */
function* candidates(schema: unknown, search: Search): Generator<unknown> {
  if (search.depth > search.limit.depth) {
    search.limit.isCut = true;
    return;
  }
  for (const parts of waysToBeValid(schema, search.check)) {
    if (!spend(search.check.work)) return;
    yield* named(parts);
    if (parts.some((part) => Object.hasOwn(part, 'const') || Array.isArray(field(part, 'enum')))) continue;
    for (const type of typesOf(parts)) yield* made(type, parts, search);
  }
}

function* named(parts: Parts): Generator<unknown> {
  for (const part of parts) if (Object.hasOwn(part, 'const')) yield part.const;
  for (const part of parts) if (Object.hasOwn(part, 'default')) yield part.default;
  for (const keyword of ['examples', 'enum']) {
    for (const part of parts) {
      const values = field(part, keyword);
      if (Array.isArray(values)) yield* values.slice(0, MAX_GIVEN);
    }
  }
}

function* made(type: string, parts: Parts, search: Search): Generator<unknown> {
  if (type === 'object') yield* sampleObjects(parts, search);
  else if (type === 'array') yield* sampleArrays(parts, search);
  else if (type === 'integer' || type === 'number') yield* sampleNumbers(parts, { isInteger: type === 'integer' });
  else if (type === 'boolean') yield* [false, true];
  else if (type === 'null') yield null;
  else yield* sampleTexts(parts, search.check);
}

/** The types that all parts allow, null last; without any word of types all, first those of which the keywords speak. */
function typesOf(parts: Parts): readonly string[] {
  const stated = parts.map((part) => typeNames(field(part, 'type'))).filter(({ length }) => length > 0);
  const [first, ...others] = stated;
  if (first === undefined) {
    const hinted = HINTS.filter(([, keywords]) => parts.some((part) => keywords.some((keyword) => keyword in part)));
    return [...new Set([...hinted.map(([type]) => type), ...TYPES])];
  }
  const common = first.flatMap((type) => narrowed(type, others));
  return [...common.filter((type) => type !== 'null'), ...common.filter((type) => type === 'null')];
}

function typeNames(type: unknown): string[] {
  return typeof type === 'string' ? [type] : texts(type);
}

/** Whole numbers are numbers, so that of the two the narrower counts. */
function narrowed(type: string, others: readonly (readonly string[])[]): string[] {
  const isNumber = type === 'number' || type === 'integer';
  const isIn = (names: readonly string[]): boolean =>
    names.includes(type) || (isNumber && (names.includes('number') || names.includes('integer')));
  if (!others.every(isIn)) return [];
  return [isNumber && others.some((names) => !names.includes('number')) ? 'integer' : type];
}
