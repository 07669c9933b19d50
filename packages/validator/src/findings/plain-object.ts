export type PlainObject = Record<string, unknown>;

export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own field of an object. Names come from servers, so inherited fields must not count. */
export function field(value: unknown, name: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A text, else null, as in snapshots. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The texts of an array. */
export function texts(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

/** An array, else an empty one. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What is there: without `false` and undefined. */
export function present<T>(values: readonly (T | false | undefined)[]): T[] {
  return values.filter((value): value is T => value !== false && value !== undefined);
}

export function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/** Whether a JSON value is nested deeper than `max` levels. Not recursive, to avoid a stack overflow. */
export function isDeeperThan(value: unknown, max: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > max) return true;
    level = level.flatMap(childrenOf);
  }
  return false;
}

function childrenOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** Normalizes numbers that JSON cannot represent, such as 1e400 and -0, so that a result survives a file unchanged. */
export function asPlainJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Parsed JSON; undefined for text that is not a JSON object or array. */
export function parseJson(text: string | null | undefined): unknown {
  if (text === null || text === undefined || !/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a text begins like a JSON object or array, but cannot be parsed. */
export function isBrokenJson(text: string): boolean {
  return /^\s*[{[]/.test(text) && parseJson(text) === undefined;
}

/** Parsed JSON in base64 or base64url, as in headers. */
export function parseBase64Json(text: string | undefined): unknown {
  return text === undefined ? undefined : parseJson(Buffer.from(text, 'base64').toString('utf8'));
}
