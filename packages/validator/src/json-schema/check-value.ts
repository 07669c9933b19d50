import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import type { Check } from './check.ts';
import { checkArray } from './check-array.ts';
import { checkObject } from './check-object.ts';
import { isAllowed } from './is-allowed.ts';
import { referred } from './references.ts';
import { spend } from './work.ts';

/** Deeper schemas are taken as ones that go on for ever. */
const MAX_DEPTH = 80;

/** Which names and items of a value some schema has spoken of: what the `unevaluated…` keywords leave out. */
export interface Spoken {
  names: Set<string>;
  items: Set<number>;
}

/** Checks a value within a value; undefined where it is not valid. */
export type CheckPart = (schema: unknown, value: unknown) => Spoken | undefined;

/**
 * True if a value is valid by a schema. Both readings of JSON Schema are asked at once (draft-07 and 2020-12 with their keywords, words beside a `$ref`),
 * since servers take either. A check that takes more work than there is finds nothing valid.
 */
export function isValid(schema: unknown, value: unknown, check: Check): boolean {
  return checkValue(schema, value, check, 0) !== undefined && check.work.left >= 0;
}

function checkValue(schema: unknown, value: unknown, check: Check, depth: number): Spoken | undefined {
  if (schema === false || depth > MAX_DEPTH || !spend(check.work)) return undefined;
  const spoken: Spoken = { names: new Set(), items: new Set() };
  if (!isPlainObject(schema)) return spoken;
  if (!isAllowed(schema, value, check)) return undefined;
  const part: CheckPart = (inner, of) => checkValue(inner, of, check, depth + 1);
  const parts = inPlace(schema, value, part, check);
  if (parts === undefined) return undefined;
  for (const { names, items } of parts) {
    for (const name of names) spoken.names.add(name);
    for (const item of items) spoken.items.add(item);
  }
  if (isPlainObject(value)) return checkObject(schema, value, { spoken, part, check });
  return Array.isArray(value) ? checkArray(schema, value, { spoken, part, check }) : spoken;
}

/** Schemas about the same value; undefined where they do not hold. */
function inPlace(schema: PlainObject, value: unknown, part: CheckPart, check: Check): Spoken[] | undefined {
  const found: Spoken[] = [];
  const must = [...referred(schema, check.references), ...list(schema, 'allOf'), ...dependent(schema, value)];
  for (const inner of must) {
    const spoken = part(inner, value);
    if (spoken === undefined) return undefined;
    found.push(spoken);
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = list(schema, keyword);
    if (branches.length === 0) continue;
    const held = branches.map((branch) => part(branch, value)).filter((spoken) => spoken !== undefined);
    if (held.length === 0 || (keyword === 'oneOf' && held.length > 1)) return undefined;
    found.push(...held);
  }
  if (Object.hasOwn(schema, 'not') && part(schema.not, value) !== undefined) return undefined;
  if (!Object.hasOwn(schema, 'if')) return found;
  const condition = part(schema.if, value);
  const branch = part(field(schema, condition === undefined ? 'else' : 'then'), value);
  return branch === undefined ? undefined : [...found, ...(condition === undefined ? [] : [condition]), branch];
}

function list(schema: PlainObject, keyword: string): unknown[] {
  const value = field(schema, keyword);
  return Array.isArray(value) ? value : [];
}

/** Schemas that hold because the value has a name. */
function dependent(schema: PlainObject, value: unknown): unknown[] {
  if (!isPlainObject(value)) return [];
  return ['dependentSchemas', 'dependencies'].flatMap((keyword) => {
    const byName = field(schema, keyword);
    if (!isPlainObject(byName)) return [];
    return Object.keys(value).flatMap((name) => {
      const inner = field(byName, name);
      return inner === undefined || Array.isArray(inner) ? [] : [inner];
    });
  });
}
