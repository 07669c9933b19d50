import { isObject, type JsonObject } from '../json.ts';

/** Stands in the data of a schema where a function stood. */
export const functionMark = '[function]';

/**
 * A schema of a program as plain data: functions become `functionMark`, everything else what JSON makes of it.
 * Undefined for what is no object.
 *
 * @throws whatever reading it throws: a getter, a circle, a bigint.
 */
export function toLegacyData(schema: unknown): JsonObject | undefined {
  if (!isObject(schema)) return undefined;
  return JSON.parse(
    JSON.stringify(schema, (_, value: unknown) => (typeof value === 'function' ? functionMark : value)),
  );
}
