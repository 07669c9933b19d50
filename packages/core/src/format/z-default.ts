import { unquote } from './call-syntax.ts';
import type { JsonValue } from './json.ts';
import type { Primitive } from './z-expression.ts';

/**
 * Types the text of `default(...)` by the primitive: `default(100)` is a number for `number()` and text for `string()`.
 * Undefined when the text is no value of that type.
 */
export function readDefault(primitive: Primitive, text: string): JsonValue | undefined {
  switch (primitive) {
    case 'string':
    case 'enum':
      return unquote(text);
    case 'number':
      return readNumber(text);
    case 'boolean':
      return readBoolean(unquote(text));
    case 'array':
    case 'object':
      return readJson(primitive, text);
  }
}

/** The finite number that a text stands for, quoted or not. */
export function readNumber(text: string): number | undefined {
  const bare = unquote(text).trim();
  const number = Number(bare);
  return bare === '' || !Number.isFinite(number) ? undefined : number;
}

function readBoolean(text: string): boolean | undefined {
  const bare = text.toLowerCase();
  return bare === 'true' ? true : bare === 'false' ? false : undefined;
}

function readJson(primitive: 'array' | 'object', text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    const fits = primitive === 'array' ? Array.isArray(value) : typeof value === 'object' && value !== null;
    return fits ? value : undefined;
  } catch {
    return undefined; // Text that is no JSON is no default; the caller says so.
  }
}
