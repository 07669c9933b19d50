import type { valuesOf } from '../format/fields.generated.ts';
import type { JsonValue } from '../json.ts';

export type Primitive = (typeof valuesOf.ZPrimitive)[number];

/** One member of an enum: a literal, or all values of a field of a shared list. */
export type EnumMember = string | { list: string; field: string };

export interface ZExpression {
  primitive: Primitive;
  /** Only for `enum`. List members are replaced by their values when the shared lists are known. */
  members?: readonly EnumMember[];
  /** True for `optional()` and for anything with a default. */
  optional: boolean;
  /** Typed by the primitive: a number for `number()`, text for `string()` and `enum()`. */
  default?: JsonValue;
  /** A value for numbers, a length for strings and arrays. */
  min?: number;
  /** A value for numbers, a length for strings and arrays. */
  max?: number;
  /** Exact length of a string or an array. */
  length?: number;
  /** Whether a number is an integer (only the shorthand has it). */
  integer?: true;
  /** Regular expression text, without slashes. */
  pattern?: string;
  description?: string;
}
