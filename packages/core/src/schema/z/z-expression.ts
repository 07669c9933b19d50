import type { valuesOf } from '../format/fields.generated.ts';
import type { JsonValue } from '../json.ts';

export type Primitive = (typeof valuesOf.ZPrimitive)[number];

/** One member of an enum: a literal, or all values of a field of a shared list. */
export type EnumMember = string | { list: string; field: string };

/**
 * What a parameter's `z` block says, typed.
 * Built by `parseZExpression`; options may stand in any order in the source.
 */
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
  /** Whether a number has no fraction: `integer` of the shorthand, which the grammar has no word for. */
  integer?: true;
  /** Regular expression text, without slashes. */
  pattern?: string;
  /** From `describe(...)`. */
  description?: string;
}
