import { isObject } from '@schemakit/core/internal';

type Node = Readonly<Record<string, unknown>>;

/** Longer lists of values are no longer one that somebody decided on. */
const maxValues = 20;

/** An output schema whose enums also have the values that were sent. One with too many values allows any. */
export function widenEnums<Schema extends Node>(schema: Schema, values: readonly unknown[]): Schema {
  const { enum: known, properties, items, ...rest } = schema;
  const objects = values.filter(isObject);
  return {
    ...rest,
    ...(Array.isArray(known) && enumWith(known, values)),
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, node]) => {
          const own = objects.flatMap((value) => (Object.hasOwn(value, key) ? [value[key]] : []));
          return [key, isObject(node) ? widenEnums(node, own) : node];
        }),
      ),
    }),
    ...(isObject(items) && { items: widenEnums(items, values.filter(Array.isArray).flat()) }),
  } as unknown as Schema;
}

function enumWith(known: readonly unknown[], values: readonly unknown[]): { enum?: readonly unknown[] } {
  const all = [...new Set([...known, ...values.filter((value) => value !== null)])];
  return all.length <= Math.max(maxValues, known.length) ? { enum: all } : {};
}
