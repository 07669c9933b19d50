import { type Fields, isObject } from '../json.ts';
import { isAmong, scalarFit } from './check-scalar.ts';
import {
  type Evaluation,
  fitIf,
  type Inside,
  keyword,
  listAt,
  matchPattern,
  numberAt,
  outOfSteps,
  type SchemaFit,
  type Seen,
  spend,
} from './evaluation.ts';
import { createReferences, type References } from './references.ts';

export interface JsonSchemaChecker {
  /** Checks a value, by default against the whole schema. */
  check(value: unknown, schema?: unknown): SchemaFit;
  /** The schemas that a schema refers to by `$ref` and its relatives. */
  referred(schema: unknown): unknown[];
}

/**
 * Makes a checker for an untrusted JSON Schema. Supports draft-07 and 2020-12 together, also next to `$ref`. References
 * to other documents are not fetched, no code is generated, and patterns run in linear time. Results are `unknown`
 * after `maxSteps` (default 100,000, about 0.1 s, for all checks of this checker).
 */
export function createJsonSchemaChecker(
  root: unknown,
  { maxSteps = 100_000 }: { maxSteps?: number } = {},
): JsonSchemaChecker {
  const evaluation: Evaluation = { left: maxSteps, patterns: new Map() };
  const references = createReferences(root);
  return {
    check(value, schema = root) {
      try {
        return evaluate(schema, value, { evaluation, references, depth: 0 }).fit;
      } catch (error) {
        if (error !== outOfSteps) throw error;
        return 'unknown';
      }
    },
    referred: (schema) => (isObject(schema) ? references.referred(schema) : []),
  };
}

/** Deeper schemas are taken as endless. */
const MAX_DEPTH = 80;

interface Outcome {
  fit: SchemaFit;
  seen: Seen;
}

interface Context {
  evaluation: Evaluation;
  references: References;
  depth: number;
}

function evaluate(schema: unknown, value: unknown, context: Context): Outcome {
  const { evaluation, depth } = context;
  const seen: Seen = { names: new Set(), items: new Set(), isPartial: false };
  if (depth > MAX_DEPTH) throw outOfSteps;
  spend(evaluation);
  if (!isObject(schema)) return { fit: fitIf(schema !== false), seen };
  const inner = { ...context, depth: depth + 1 };
  const part = (of: unknown, item: unknown): SchemaFit => evaluate(of, item, inner).fit;
  const same = (of: unknown): SchemaFit => merge(seen, evaluate(of, value, inner));
  let fit: SchemaFit = 'fits';
  for (const found of keywordFits(schema, value, { seen, part, same, evaluation, references: context.references })) {
    if (found === 'misfit') return { fit: found, seen };
    if (found === 'unknown') fit = found;
  }
  return { fit, seen };
}

interface Steps extends Inside {
  /** Checks the same value; what it evaluates counts as seen. */
  same: (schema: unknown) => SchemaFit;
  references: References;
}

/** The results of all keywords, lazily. The value's parts come last, because `unevaluated…` depends on the others. */
function* keywordFits(schema: Fields, value: unknown, { same, references, ...inside }: Steps): Generator<SchemaFit> {
  yield scalarFit(schema, value, inside.evaluation);
  for (const inner of references.referred(schema)) yield same(inner);
  for (const inner of listAt(schema, 'allOf')) yield same(inner);
  for (const inner of dependentSchemas(schema, value)) yield same(inner);
  for (const name of ['anyOf', 'oneOf']) {
    const branches = listAt(schema, name);
    if (branches.length > 0) yield countFit(branches.map(same), name === 'anyOf' ? Infinity : 1);
  }
  if (Object.hasOwn(schema, 'not')) yield negated(inside.part(schema.not, value));
  if (Object.hasOwn(schema, 'if')) yield conditionalFit(schema, same);
  if (isObject(value)) yield* objectFits(schema, value, inside);
  else if (Array.isArray(value)) yield* arrayFits(schema, value, inside);
}

function merge(seen: Seen, { fit, seen: more }: Outcome): SchemaFit {
  if (fit === 'fits') {
    for (const name of more.names) seen.names.add(name);
    for (const item of more.items) seen.items.add(item);
  }
  if (fit === 'unknown' || (fit === 'fits' && more.isPartial)) seen.isPartial = true;
  return fit;
}

/** At least one branch must fit, and at most so many. */
function countFit(fits: readonly SchemaFit[], most: number): SchemaFit {
  const sure = fits.filter((fit) => fit === 'fits').length;
  const possible = fits.filter((fit) => fit !== 'misfit').length;
  if (possible === 0 || sure > most) return 'misfit';
  return sure > 0 && possible <= most ? 'fits' : 'unknown';
}

function negated(fit: SchemaFit): SchemaFit {
  return fit === 'unknown' ? fit : fitIf(fit === 'misfit');
}

function conditionalFit(schema: Fields, same: (schema: unknown) => SchemaFit): SchemaFit {
  const condition = same(schema.if);
  if (condition !== 'unknown') return same(keyword(schema, condition === 'fits' ? 'then' : 'else'));
  const [met, unmet] = [same(keyword(schema, 'then')), same(keyword(schema, 'else'))];
  return met === unmet ? met : 'unknown';
}

/** Schemas that apply if the value has a property. */
function dependentSchemas(schema: Fields, value: unknown): unknown[] {
  if (!isObject(value)) return [];
  return ['dependentSchemas', 'dependencies'].flatMap((name) => {
    const byName = keyword(schema, name);
    if (!isObject(byName)) return [];
    return Object.keys(value)
      .map((property) => keyword(byName, property))
      .filter((inner) => inner !== undefined && !Array.isArray(inner));
  });
}

function* objectFits(schema: Fields, value: Fields, { seen, part, evaluation }: Inside): Generator<SchemaFit> {
  const names = Object.keys(value);
  spend(evaluation, names.length / 20);
  yield isWithin(names.length, schema, 'minProperties', 'maxProperties');
  yield fitIf(requiredNames(schema, names, evaluation).every((name) => Object.hasOwn(value, name)));
  for (const name of names) {
    const rule = keyword(schema, 'propertyNames');
    if (rule !== undefined) yield part(rule, name);
    const { schemas, isPartial } = propertySchemas(schema, name, evaluation);
    for (const inner of schemas) yield part(inner, value[name]);
    if (schemas.length > 0) seen.names.add(name);
    if (!isPartial) continue;
    seen.isPartial = true;
    yield 'unknown';
  }
  const unevaluated = keyword(schema, 'unevaluatedProperties');
  if (unevaluated === undefined) return;
  for (const name of names) {
    if (seen.names.has(name)) continue;
    yield leftOverFit(part(unevaluated, value[name]), seen);
    seen.names.add(name);
  }
}

/** The schemas of a property; `isPartial` if a pattern that cannot run may add one. */
function propertySchemas(
  schema: Fields,
  name: string,
  evaluation: Evaluation,
): { schemas: unknown[]; isPartial: boolean } {
  const declared = keyword(keyword(schema, 'properties'), name);
  const byPattern = keyword(schema, 'patternProperties');
  const schemas: unknown[] = declared === undefined ? [] : [declared];
  let isPartial = false;
  for (const [pattern, inner] of isObject(byPattern) ? Object.entries(byPattern) : []) {
    spend(evaluation);
    const fit = matchPattern(name, pattern, evaluation);
    if (fit === 'fits') schemas.push(inner);
    isPartial ||= fit === 'unknown';
  }
  const others = keyword(schema, 'additionalProperties');
  if (schemas.length === 0 && !isPartial && others !== undefined) schemas.push(others);
  return { schemas, isPartial };
}

function requiredNames(schema: Fields, present: readonly string[], evaluation: Evaluation): readonly string[] {
  const dependent = ['dependentRequired', 'dependencies'].flatMap((name) => {
    const byName = keyword(schema, name);
    return byName === undefined ? [] : present.flatMap((property) => listAt(byName, property));
  });
  const required = [...listAt(schema, 'required'), ...dependent];
  spend(evaluation, required.length / 20);
  return required.filter((name) => typeof name === 'string');
}

function* arrayFits(
  schema: Fields,
  value: readonly unknown[],
  { seen, part, evaluation }: Inside,
): Generator<SchemaFit> {
  yield isWithin(value.length, schema, 'minItems', 'maxItems');
  for (const [index, item] of value.entries()) {
    const inner = itemSchema(schema, index);
    yield part(inner, item);
    if (inner !== undefined) seen.items.add(index);
  }
  if (keyword(schema, 'uniqueItems') === true) {
    yield fitIf(value.every((item, index) => !isAmong(value.slice(0, index), item, evaluation)));
  }
  if (Object.hasOwn(schema, 'contains')) yield containsFit(schema, value, { seen, part, evaluation });
  const unevaluated = keyword(schema, 'unevaluatedItems');
  if (unevaluated === undefined) return;
  for (const [index, item] of value.entries()) {
    if (seen.items.has(index)) continue;
    yield leftOverFit(part(unevaluated, item), seen);
    seen.items.add(index);
  }
}

function containsFit(schema: Fields, value: readonly unknown[], { seen, part }: Inside): SchemaFit {
  const least = numberAt(schema, 'minContains', 1);
  const most = numberAt(schema, 'maxContains', Infinity);
  const fits = value.map((item) => part(schema.contains, item));
  const sure = fits.flatMap((fit, index) => (fit === 'fits' ? [index] : []));
  const possible = fits.filter((fit) => fit !== 'misfit').length;
  for (const index of sure) seen.items.add(index);
  if (possible > sure.length) seen.isPartial = true;
  if (possible < least || sure.length > most) return 'misfit';
  return sure.length >= least && possible <= most ? 'fits' : 'unknown';
}

/** The schema of the item at an index: of a tuple (`prefixItems`; before 2020-12 `items`), or of the rest. */
function itemSchema(schema: Fields, index: number): unknown {
  const items = keyword(schema, 'items');
  const tuple = [keyword(schema, 'prefixItems'), items].find((list) => Array.isArray(list)) ?? [];
  if (index < tuple.length) return tuple[index];
  return Array.isArray(items) ? keyword(schema, 'additionalItems') : items;
}

/** A schema with an unknown result may have evaluated the remaining parts. */
function leftOverFit(fit: SchemaFit, { isPartial }: Seen): SchemaFit {
  return fit === 'misfit' && isPartial ? 'unknown' : fit;
}

function isWithin(count: number, schema: Fields, least: string, most: string): SchemaFit {
  return fitIf(count >= numberAt(schema, least, 0) && count <= numberAt(schema, most, Infinity));
}
