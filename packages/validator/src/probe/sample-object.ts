import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { propertySchemas, requiredNames } from '../json-schema/check-object.ts';
import { numberAt } from '../json-schema/number-at.ts';
import { spend } from '../json-schema/work.ts';
import { firstValue, type Search, validValues } from './sample-value.ts';
import type { Parts } from './schema-parts.ts';

const MAX_NAMES = 200;
const MAX_OPTIONAL = 20;
/** Other values that are tried for one property. */
const MAX_OTHERS = 6;

/** Objects by their properties: only those that are needed, then with other values, then with more of them. */
export function* sampleObjects(parts: Parts, search: Search): Generator<PlainObject> {
  const inner = { ...search, depth: search.depth + 1 };
  const schemaOf = (name: string): unknown => ({
    allOf: parts.flatMap((part) => propertySchemas(part, name, search.check)),
  });
  const needed = neededNames(parts, search);
  const least = Math.min(Math.max(...parts.map((part) => numberAt(part, 'minProperties', 0))), MAX_NAMES);
  const base = new Map<string, unknown>();
  for (const name of needed) {
    const value = firstValue(schemaOf(name), inner);
    if (value === undefined) return;
    base.set(name, value);
  }
  const filled = new Map(base);
  const added = (): Generator<[name: string, value: unknown]> =>
    optional(parts, schemaOf, { ...inner, isLenient: false });
  for (const [name, value] of filled.size < least ? added() : []) {
    if (filled.size >= least) break;
    if (!filled.has(name)) filled.set(name, value);
  }
  // Built from entries: a property may be called `__proto__`.
  yield Object.fromEntries(filled);
  for (const name of filled.keys()) {
    let others = 0;
    for (const value of validValues(schemaOf(name), inner)) {
      if (others++ > MAX_OTHERS || !spend(search.check.work)) break;
      yield Object.fromEntries([...filled, [name, value]]);
    }
  }
  const all = new Map(filled);
  for (const [name, value] of added()) {
    if (filled.has(name)) continue;
    yield Object.fromEntries([...filled, [name, value]]);
    all.set(name, value);
    yield Object.fromEntries(all);
  }
}

/** Names that are required, and those that are required because of them. */
function neededNames(parts: Parts, { check }: Search): string[] {
  const names = new Set<string>();
  for (let before = -1; before < names.size && names.size <= MAX_NAMES; ) {
    before = names.size;
    for (const part of parts) for (const name of requiredNames(part, [...names], check)) names.add(name);
  }
  return [...names].slice(0, MAX_NAMES);
}

/** Properties that may be there, with valid values: declared ones, then such as the schema leaves room for. */
function* optional(parts: Parts, schemaOf: (name: string) => unknown, search: Search): Generator<[string, unknown]> {
  let count = 0;
  for (const name of possibleNames(parts, search)) {
    if (count > MAX_OPTIONAL || !spend(search.check.work)) return;
    const value = firstValue(schemaOf(name), search);
    if (value === undefined) continue;
    count++;
    yield [name, value];
  }
}

function* possibleNames(parts: Parts, search: Search): Generator<string> {
  const byKeyword = (keyword: string): string[] =>
    parts.flatMap((part) => {
      const byName = field(part, keyword);
      return isPlainObject(byName) ? Object.keys(byName).slice(0, MAX_NAMES) : [];
    });
  yield* byKeyword('properties');
  for (const pattern of byKeyword('patternProperties')) yield* names({ pattern }, search);
  const rules = parts.map((part) => field(part, 'propertyNames')).filter((rule) => rule !== undefined);
  if (rules.length > 0) yield* names({ allOf: rules }, search);
  for (let count = 1; count <= MAX_OPTIONAL; count++) yield `property${count}`;
}

function* names(rule: PlainObject, search: Search): Generator<string> {
  let count = 0;
  for (const name of validValues({ type: 'string', ...rule }, search)) {
    if (typeof name === 'string') yield name;
    if (++count >= MAX_OPTIONAL) return;
  }
}
