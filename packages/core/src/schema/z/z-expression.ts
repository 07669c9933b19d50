import type { valuesOf } from '../format/fields.generated.ts';
import type { JsonValue } from '../json.ts';

/** `integer()` is a number with `integer: true`. */
export type Primitive = Exclude<(typeof valuesOf.ZPrimitive)[number], 'integer'>;

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
  /** A value for numbers, a length for strings and arrays, bytes for files, members for records. */
  max?: number;
  /** Exact length of a string or an array. */
  length?: number;
  /** Whether a number is an integer. */
  integer?: true;
  /** Regular expression text, without slashes. */
  pattern?: string;
  description?: string;
  /** Whether null is a value of its own. Only inside a shape: at the top, null counts as left out. */
  nullable?: true;
  /** What each item of an array is. Without it, any JSON value. */
  items?: ZExpression;
  /** The members of an object by name. Without them, any JSON object or array. */
  properties?: Readonly<Record<string, ZExpression>>;
  /** What each value of a record is. */
  values?: ZExpression;
  /** What a union may be. */
  variants?: readonly ZExpression[];
  /** The member of a union's objects whose only value tells the variants apart. */
  discriminator?: string;
  /** The media types of a file, such as `image/*`. */
  types?: readonly string[];
}

/** The expressions inside an expression: its items, members, values or variants. */
export function partsOf({ items, properties = {}, values, variants = [] }: ZExpression): readonly ZExpression[] {
  return [items ?? [], Object.values(properties), values ?? [], variants].flat();
}

/** The members of every enum in an expression, also inside shapes. */
export function enumMembersOf(z: ZExpression): readonly EnumMember[] {
  return [...(z.members ?? []), ...partsOf(z).flatMap(enumMembersOf)];
}

/** The value of `enum(one)`. */
export function onlyValue(z: ZExpression | undefined): string | undefined {
  const [value, ...others] = z?.members ?? [];
  return typeof value === 'string' && others.length === 0 && !z?.optional && !z?.nullable ? value : undefined;
}
