import { field } from '../findings/plain-object.ts';
import { containsLimits, itemSchema, tupleOf } from '../json-schema/check-array.ts';
import { isAmong } from '../json-schema/equal.ts';
import { numberAt } from '../json-schema/number-at.ts';
import { spend } from '../json-schema/work.ts';
import { firstValue, type Search, validValues } from './sample-value.ts';
import type { Parts } from './schema-parts.ts';

const MAX_ITEMS = 100;
const MAX_LONGER = 3;
/** Last items that are tried for one length. */
const MAX_LAST = 40;

/** Arrays by their items: tuples whole, then as short as may be, then longer ones. */
export function* sampleArrays(parts: Parts, search: Search): Generator<unknown[]> {
  const inner = { ...search, depth: search.depth + 1 };
  const isUnique = parts.some((part) => field(part, 'uniqueItems') === true);
  const limited = parts.filter((part) => Number.isFinite(containsLimits(part).most) && Object.hasOwn(part, 'contains'));
  const others = limited.map((part) => ({ not: part.contains }));
  for (const contained of waysToContain(parts)) {
    for (const length of lengthsOf(parts, contained.length)) {
      for (const first of new Set([length - contained.length, 0])) {
        // What could not be nested in a short array cannot be nested in a longer one.
        if (search.limit.isCut) return;
        const schemas = Array.from({ length }, (_, index) => {
          const isContained = index >= first && index < first + contained.length;
          const stated = parts.map((part) => itemSchema(part, index)).filter((schema) => schema !== undefined);
          return { allOf: [...stated, ...(isContained ? [contained[index - first]] : others)] };
        });
        yield* filled(schemas, isUnique, inner);
      }
    }
  }
}

/** Schemas of items that `contains` asks for: one after the other; those of several parts in the same items; none, where the others may do. */
function waysToContain(parts: Parts): unknown[][] {
  const wanted = parts.filter((part) => Object.hasOwn(part, 'contains'));
  const counts = wanted.map((part) => Math.min(Math.max(0, containsLimits(part).least), MAX_ITEMS));
  if (wanted.length === 0) return [[]];
  const apart = wanted.flatMap((part, index) => Array.from({ length: counts[index] ?? 0 }, () => part.contains));
  const all = { allOf: wanted.map((part) => part.contains) };
  return [apart.slice(0, MAX_ITEMS), Array.from({ length: Math.max(...counts) }, () => all), []];
}

function lengthsOf(parts: Parts, contained: number): Set<number> {
  const least = Math.max(contained, ...parts.map((part) => numberAt(part, 'minItems', 0)));
  const most = Math.min(MAX_ITEMS, ...parts.map((part) => numberAt(part, 'maxItems', Infinity)));
  const whole = Math.max(least, ...parts.map((part) => tupleOf(part).length));
  const lengths = [whole, ...Array.from({ length: MAX_LONGER + 1 }, (_, more) => least + more)];
  return new Set(lengths.map((length) => Math.max(contained, Math.min(length, most))));
}

/** Arrays with an item for each schema: one, and some that differ from it in the last item. */
function* filled(schemas: readonly unknown[], isUnique: boolean, search: Search): Generator<unknown[]> {
  const items: unknown[] = [];
  const fits = (value: unknown): boolean => !isUnique || !isAmong(items, value, search.check.work);
  for (const schema of schemas.slice(0, -1)) {
    if (!spend(search.check.work)) return;
    const item = isUnique ? firstOther(schema, fits, search) : firstValue(schema, search);
    if (item === undefined) return;
    items.push(item);
  }
  if (schemas.length === 0) return yield [];
  let made = 0;
  for (const item of validValues(schemas.at(-1), search)) {
    if (!fits(item)) continue;
    if (++made > MAX_LAST) return;
    yield [...items, item];
  }
  if (made === 0 && search.isLenient) yield [...items, firstValue(schemas.at(-1), search)];
}

function firstOther(schema: unknown, fits: (value: unknown) => boolean, search: Search): unknown {
  for (const value of validValues(schema, search)) if (fits(value)) return value;
  return search.isLenient ? firstValue(schema, search) : undefined;
}
