import { isObject } from '../json.ts';
import { isAmong } from './check-scalar.ts';
import {
  type Evaluation,
  fitIf,
  type Inside,
  keyword,
  listAt,
  matchPattern,
  numberAt,
  type SchemaFit,
  type Seen,
  spend,
} from './evaluation.ts';

/** The results of the keywords about an object's properties. */
export function* objectFits(
  schema: Record<string, unknown>,
  value: Record<string, unknown>,
  { seen, part, evaluation }: Inside,
): Generator<SchemaFit> {
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

/** The schemas of one property; `isPartial` where a pattern that cannot be run may add one. */
function propertySchemas(
  schema: Record<string, unknown>,
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

function requiredNames(
  schema: Record<string, unknown>,
  present: readonly string[],
  evaluation: Evaluation,
): readonly string[] {
  const dependent = ['dependentRequired', 'dependencies'].flatMap((name) => {
    const byName = keyword(schema, name);
    return byName === undefined ? [] : present.flatMap((property) => listAt(byName, property));
  });
  const required = [...listAt(schema, 'required'), ...dependent];
  spend(evaluation, required.length / 20);
  return required.filter((name) => typeof name === 'string');
}

/** The results of the keywords about an array's items. */
export function* arrayFits(
  schema: Record<string, unknown>,
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

function containsFit(schema: Record<string, unknown>, value: readonly unknown[], { seen, part }: Inside): SchemaFit {
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
function itemSchema(schema: Record<string, unknown>, index: number): unknown {
  const items = keyword(schema, 'items');
  const tuple = [keyword(schema, 'prefixItems'), items].find((list) => Array.isArray(list)) ?? [];
  if (index < tuple.length) return tuple[index];
  return Array.isArray(items) ? keyword(schema, 'additionalItems') : items;
}

/** What is left over may have been evaluated by a schema whose own result is unknown. */
function leftOverFit(fit: SchemaFit, { isPartial }: Seen): SchemaFit {
  return fit === 'misfit' && isPartial ? 'unknown' : fit;
}

function isWithin(count: number, schema: Record<string, unknown>, least: string, most: string): SchemaFit {
  return fitIf(count >= numberAt(schema, least, 0) && count <= numberAt(schema, most, Infinity));
}
