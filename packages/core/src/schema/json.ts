/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object: plain data with string keys. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Tells whether a value is an object with keys, not an array and not null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
