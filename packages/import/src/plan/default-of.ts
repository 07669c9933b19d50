import { compilePattern } from '@schemakit/core/internal';
import type { JsonObject } from '../read/read-document.ts';
import type { Shape } from './shape.ts';

/** Whether a value is within the bounds of a shape. Its type is not compared. */
export function accepts({ min, max, length, regex, values, items }: Shape, value: unknown): boolean {
  if (values !== undefined && !values.some((each) => each === value)) return false;
  const pattern = regex === undefined ? undefined : compilePattern(regex);
  if (pattern && typeof value === 'string' && !('problem' in pattern) && !pattern.matches(value)) return false;
  if (Array.isArray(value) && items !== undefined && !value.every((item) => accepts(items, item))) return false;
  const size =
    typeof value === 'number' ? value : typeof value === 'string' || Array.isArray(value) ? value.length : undefined;
  if (size === undefined) return true;
  return (
    (min === undefined || size >= min) &&
    (max === undefined || size <= max) &&
    (length === undefined || size === length)
  );
}

/** Of those types that can have one in the format. */
export function defaultOf(schema: JsonObject, { type, values }: Shape): Pick<Shape, 'default'> {
  const value = schema.default;
  const isFitting =
    (type === 'enum' && typeof value === 'string' && values?.includes(value)) ||
    (type === 'string' && typeof value === 'string') ||
    (type === 'boolean' && typeof value === 'boolean') ||
    (type === 'number' && typeof value === 'number') ||
    (type === 'integer' && Number.isInteger(value)) ||
    (type === 'array' && Array.isArray(value) && value.length > 0 && value.every(isScalar));
  return isFitting ? { default: value } : {};
}

export function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
}
