import { field, type PlainObject } from '../findings/plain-object.ts';
import type { Check } from './check.ts';
import type { CheckPart, Spoken } from './check-value.ts';
import { isAmong } from './equal.ts';
import { numberAt } from './number-at.ts';

interface Inside {
  spoken: Spoken;
  part: CheckPart;
  check: Check;
}

/** Checks what a schema says of an array's items. */
export function checkArray(
  schema: PlainObject,
  value: readonly unknown[],
  { spoken, part, check }: Inside,
): Spoken | undefined {
  if (value.length < numberAt(schema, 'minItems', 0)) return undefined;
  if (value.length > numberAt(schema, 'maxItems', Infinity)) return undefined;
  for (const [index, item] of value.entries()) {
    const inner = itemSchema(schema, index);
    if (part(inner, item) === undefined) return undefined;
    if (inner !== undefined) spoken.items.add(index);
  }
  if (field(schema, 'uniqueItems') === true && !isUnique(value, check)) return undefined;
  if (Object.hasOwn(schema, 'contains')) {
    const { least, most } = containsLimits(schema);
    const held = value.flatMap((item, index) => (part(schema.contains, item) === undefined ? [] : [index]));
    if (held.length < least || held.length > most) return undefined;
    for (const index of held) spoken.items.add(index);
  }
  const unevaluated = field(schema, 'unevaluatedItems');
  if (unevaluated === undefined) return spoken;
  const rest = value.flatMap((item, index) => (spoken.items.has(index) ? [] : [[index, item] as const]));
  if (!rest.every(([, item]) => part(unevaluated, item) !== undefined)) return undefined;
  for (const [index] of rest) spoken.items.add(index);
  return spoken;
}

/** What a schema says of the item at an index: as a tuple (`prefixItems`; before 2020-12 `items`), or as one of the rest. */
export function itemSchema(schema: PlainObject, index: number): unknown {
  const items = field(schema, 'items');
  const tuple = tupleOf(schema);
  if (index < tuple.length) return tuple[index];
  return Array.isArray(items) ? field(schema, 'additionalItems') : items;
}

/** The schemas of a tuple's items. */
export function tupleOf(schema: PlainObject): readonly unknown[] {
  return [field(schema, 'prefixItems'), field(schema, 'items')].find((list) => Array.isArray(list)) ?? [];
}

/** How many items `contains` has to hold for. */
export function containsLimits(schema: PlainObject): { least: number; most: number } {
  return { least: numberAt(schema, 'minContains', 1), most: numberAt(schema, 'maxContains', Infinity) };
}

function isUnique(value: readonly unknown[], check: Check): boolean {
  return value.every((item, index) => check.work.left >= 0 && !isAmong(value.slice(0, index), item, check.work));
}
