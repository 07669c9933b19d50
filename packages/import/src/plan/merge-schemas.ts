import { isObject } from '@schemakit/core/internal';
import { joinPointer } from '../read/json-pointer.ts';
import type { JsonObject } from '../read/read-document.ts';
import type { ImportContext, Located } from './import-context.ts';

/** A schema without references, `allOf` and null at its outermost level. */
export interface PlainSchema {
  schema: JsonObject;
  pointer: string;
  /** The references that led here, also those inside `allOf`. */
  refs: readonly string[];
  nullable: boolean;
}

/** Resolves references, merges `allOf`, and takes null out of types and variants. Undefined for circular references. */
export function plainSchema(
  located: Located,
  context: ImportContext,
  ancestors: ReadonlySet<string>,
): PlainSchema | undefined {
  const { value, pointer, refs } = context.resolve(located);
  if (refs.some((ref) => ancestors.has(ref))) return undefined;
  if (!isObject(value)) return { schema: {}, pointer, refs, nullable: false };
  const merged = mergeParts({ value, pointer }, context, new Set([...ancestors, ...refs]));
  return { ...withoutNull(merged.schema), pointer, refs: [...refs, ...merged.refs] };
}

function mergeParts(
  { value, pointer }: Located<JsonObject>,
  context: ImportContext,
  ancestors: ReadonlySet<string>,
): { schema: JsonObject; refs: string[] } {
  const { allOf, ...own } = value;
  if (!Array.isArray(allOf)) return { schema: value, refs: [] };
  const refs: string[] = [];
  const parts = allOf.flatMap((part, index): JsonObject[] => {
    const plain = plainSchema({ value: part, pointer: joinPointer(pointer, 'allOf', index) }, context, ancestors);
    if (plain === undefined) return [];
    refs.push(...plain.refs);
    return [plain.nullable ? { ...plain.schema, nullable: true } : plain.schema];
  });
  return { schema: [...parts, own].reduce(mergeTwo, {}), refs };
}

function mergeTwo(left: JsonObject, right: JsonObject): JsonObject {
  const merged: JsonObject = { ...left, ...right };
  if (isObject(left.properties) && isObject(right.properties)) {
    const properties: JsonObject = { ...left.properties };
    for (const [key, property] of Object.entries(right.properties)) {
      const known = Object.hasOwn(left.properties, key) ? left.properties[key] : undefined;
      properties[key] = known === undefined || known === property ? property : { allOf: [known, property] };
    }
    merged.properties = properties;
  }
  if (Array.isArray(left.required) && Array.isArray(right.required)) {
    merged.required = [...new Set([...left.required, ...right.required])];
  }
  if (Array.isArray(left.enum) && Array.isArray(right.enum)) {
    const both = new Set<unknown>(right.enum);
    merged.enum = left.enum.filter((value) => both.has(value));
  }
  for (const [key, narrower] of bounds) {
    const [one, other] = [left[key], right[key]];
    if (typeof one === 'number' && typeof other === 'number') merged[key] = narrower(one, other);
  }
  return merged;
}

/** All parts of `allOf` count, so the narrower bound does. */
const bounds: readonly (readonly [string, (...values: number[]) => number])[] = [
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems'].map((key) => [key, Math.max] as const),
  ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'].map((key) => [key, Math.min] as const),
];

function withoutNull(schema: JsonObject): { schema: JsonObject; nullable: boolean } {
  const { type, enum: values } = schema;
  const types = Array.isArray(type) ? type.filter((each) => each !== 'null') : type;
  const nullable = schema.nullable === true || (Array.isArray(type) && type.includes('null'));
  const hasNull = Array.isArray(values) && values.includes(null);
  const plain = {
    ...schema,
    ...(Array.isArray(types) && { type: types.length === 1 ? types[0] : types }),
    ...(hasNull && { enum: values.filter((value) => value !== null) }),
  };
  for (const key of ['oneOf', 'anyOf'] as const) {
    const variants = schema[key];
    if (!Array.isArray(variants)) continue;
    const others = variants.filter((variant) => !isNull(variant));
    if (others.length < variants.length) return { schema: { ...plain, [key]: others }, nullable: true };
  }
  return { schema: plain, nullable: nullable || hasNull };
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && (schema.type === 'null' || schema.const === null);
}
