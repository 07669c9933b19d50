import { type Input, inputJsonSchema, isObject } from '@schemakit/core/internal';

export type JsonObject = Record<string, unknown>;

/** The JSON Schema of a caller's value as it is sent, without the words that are for callers of the tool. */
export function wireSchema(input: Input): JsonObject {
  return inputJsonSchema({ ...input, aliases: [] });
}

/** Whether the value of an input is a list or an object, which needs a `style`; `mixed` if it may also be neither. */
export function structureOf({ z }: Input): 'list' | 'object' | 'mixed' | 'scalar' {
  const kinds = new Set((z.primitive === 'union' ? (z.variants ?? []) : [z]).map((each) => kindOf(each)));
  const [only] = kinds;
  return kinds.size > 1 ? 'mixed' : (only ?? 'scalar');
}

function kindOf({ primitive, items, variants = [] }: Input['z']): 'list' | 'object' | 'mixed' | 'scalar' {
  if (primitive === 'union') return variants.some((each) => kindOf(each) !== 'scalar') ? 'mixed' : 'scalar';
  // A list of lists or objects is written as JSON.
  if (primitive === 'array') return items === undefined || kindOf(items) === 'scalar' ? 'list' : 'object';
  return primitive === 'object' || primitive === 'record' ? 'object' : 'scalar';
}

/** An output schema of the format as JSON Schema: `nullable` becomes a type. */
export function answerSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(answerSchema);
  if (!isObject(node)) return node;
  const { nullable, ...rest } = node;
  const schema: JsonObject = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, key === 'properties' ? membersOf(value) : childOf(key, value)]),
  );
  if (nullable !== true || schema.type === undefined) return schema;
  const { enum: values } = schema;
  return {
    ...schema,
    type: [...new Set([schema.type, 'null'].flat())],
    ...(Array.isArray(values) && { enum: [...new Set([...values, null])] }),
  };
}

function membersOf(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, answerSchema(member)]));
}

function childOf(key: string, value: unknown): unknown {
  return /^(items|oneOf|anyOf|allOf|additionalProperties|not)$/.test(key) ? answerSchema(value) : value;
}
