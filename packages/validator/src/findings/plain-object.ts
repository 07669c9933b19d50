/** An object of JSON. */
export type PlainObject = Record<string, unknown>;

/** True for a JSON object: no array, no null. */
export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own field, whatever its name; undefined where the value is no object. Servers choose the names, so what objects inherit must not count. */
export function field(value: unknown, name: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value if it is a text, else null: how snapshots say that there is none. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The texts of an array. */
export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Without doubles, in order of first appearance. */
export function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
