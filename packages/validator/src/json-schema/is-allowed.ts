import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { type Check, isMatch } from './check.ts';
import { isAmong, isEqual } from './equal.ts';
import { isOfFormat } from './format.ts';
import { numberAt } from './number-at.ts';
import { spend } from './work.ts';

/** True if a value is of the type, among the values and within the limits that a schema itself names. */
export function isAllowed(schema: PlainObject, value: unknown, check: Check): boolean {
  const enumeration = field(schema, 'enum');
  if (!isOfType(field(schema, 'type'), value)) return false;
  if (Object.hasOwn(schema, 'const') && !isEqual(schema.const, value, check.work)) return false;
  if (Array.isArray(enumeration) && !isAmong(enumeration, value, check.work)) return false;
  if (typeof value === 'number') return isNumberAllowed(schema, value);
  return typeof value !== 'string' || isTextAllowed(schema, value, check);
}

function isOfType(type: unknown, value: unknown): boolean {
  if (Array.isArray(type)) return type.length === 0 || type.some((one) => isOfType(one, value));
  switch (type) {
    case 'object':
      return isPlainObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}

function isNumberAllowed(schema: PlainObject, value: number): boolean {
  const { least, most, above, below } = limitsOf(schema);
  if (value < least || value > most || value <= above || value >= below) return false;
  const step = field(schema, 'multipleOf');
  return typeof step !== 'number' || step <= 0 || isMultiple(value, step);
}

/** Of decimal numbers: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, step: number): boolean {
  const count = value / step;
  return Number.isInteger(count) || Math.abs(count - Math.round(count)) < 1e-9;
}

/** The limits of a number. In draft 4, `exclusiveMinimum: true` belongs to `minimum`. */
export function limitsOf(schema: PlainObject): { least: number; most: number; above: number; below: number } {
  const least = numberAt(schema, 'minimum', -Infinity);
  const most = numberAt(schema, 'maximum', Infinity);
  return {
    least,
    most,
    above: field(schema, 'exclusiveMinimum') === true ? least : numberAt(schema, 'exclusiveMinimum', -Infinity),
    below: field(schema, 'exclusiveMaximum') === true ? most : numberAt(schema, 'exclusiveMaximum', Infinity),
  };
}

function isTextAllowed(schema: PlainObject, value: string, check: Check): boolean {
  if (!spend(check.work, value.length / 10)) return false;
  const length = [...value].length;
  const pattern = field(schema, 'pattern');
  return (
    !(length < numberAt(schema, 'minLength', 0)) &&
    !(length > numberAt(schema, 'maxLength', Infinity)) &&
    (typeof pattern !== 'string' || isMatch(value, pattern, check)) &&
    isOfFormat(field(schema, 'format'), value)
  );
}
