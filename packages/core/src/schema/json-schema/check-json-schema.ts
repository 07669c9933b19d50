import { isObject } from '../json.ts';
import { arrayFits, objectFits } from './check-collections.ts';
import { scalarFit } from './check-scalar.ts';
import {
  type Evaluation,
  fitIf,
  type Inside,
  keyword,
  listAt,
  outOfSteps,
  type SchemaFit,
  type Seen,
  spend,
} from './evaluation.ts';
import { createReferences, type References } from './references.ts';

/** Checks values against one schema and its parts. */
export interface JsonSchemaChecker {
  /** Checks a value, by default against the whole schema. */
  check(value: unknown, schema?: unknown): SchemaFit;
  /** The schemas that a schema refers to by `$ref` and its relatives. */
  referred(schema: unknown): unknown[];
}

/**
 * Makes a checker for a JSON Schema of a stranger. Draft-07 and 2020-12 are read together: the keywords of both count, also
 * beside a `$ref`. Nothing is fetched, no code is generated, and patterns run in linear time. A check that needs
 * more than `maxSteps` (default 100,000, about 0.1 s, for all checks of this checker together) is `unknown`.
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

/** What came of one schema and one value. */
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

/** The results of all keywords, lazily: those of the value's parts come last, since `unevaluated…` needs the others. */
function* keywordFits(
  schema: Record<string, unknown>,
  value: unknown,
  { same, references, ...inside }: Steps,
): Generator<SchemaFit> {
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

function conditionalFit(schema: Record<string, unknown>, same: (schema: unknown) => SchemaFit): SchemaFit {
  const condition = same(schema.if);
  if (condition !== 'unknown') return same(keyword(schema, condition === 'fits' ? 'then' : 'else'));
  const [met, unmet] = [same(keyword(schema, 'then')), same(keyword(schema, 'else'))];
  return met === unmet ? met : 'unknown';
}

/** Schemas that apply because the value has a property. */
function dependentSchemas(schema: Record<string, unknown>, value: unknown): unknown[] {
  if (!isObject(value)) return [];
  return ['dependentSchemas', 'dependencies'].flatMap((name) => {
    const byName = keyword(schema, name);
    if (!isObject(byName)) return [];
    return Object.keys(value)
      .map((property) => keyword(byName, property))
      .filter((inner) => inner !== undefined && !Array.isArray(inner));
  });
}
