import {
  type GraphQLArgument,
  type GraphQLDefaultInput,
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  isSpecifiedScalarType,
  valueFromASTUntyped,
} from 'graphql';
import type { Omission } from '../import-codes.ts';
import type { JsonObject } from '../read/read-document.ts';

/** The JSON Schemas of the types that arguments may have, by their names. They refer to each other as `#/types/Name`. */
export function inputSchemas(schema: GraphQLSchema): { types: JsonObject; omissions: Omission[] } {
  const omissions: Omission[] = [];
  const types = Object.values(schema.getTypeMap()).flatMap((type): [string, JsonObject][] => {
    if (isEnumType(type) && !isIntrospectionType(type)) return [[type.name, enumSchema(type, omissions)]];
    return isInputObjectType(type) ? [[type.name, objectSchema(type, omissions)]] : [];
  });
  return { types: Object.fromEntries(types), omissions };
}

/** The JSON Schema of an argument or a field of an input object, with what is said about it. */
export function inputSchema(input: GraphQLArgument | GraphQLInputField): JsonObject {
  const { type, description } = input;
  const named = getNamedType(type);
  const isCustom = !isEnumType(named) && !isInputObjectType(named) && !isSpecifiedScalarType(named);
  const text = [description, isCustom ? `(${scalarText(named)})` : ''].filter(Boolean).join(' ');
  const value = defaultValue(input.default);
  return {
    ...typeSchema(type),
    ...(text !== '' && { description: text }),
    ...(value !== undefined && value !== null && { default: value }),
  };
}

/** Whether a value of the type can be sent as JSON. Files cannot: they are parts of a form, in a way of their own. */
export function isSendable(type: GraphQLInputType, seen: ReadonlySet<string> = new Set()): boolean {
  const named = getNamedType(type);
  if (named.name === 'Upload') return false;
  if (!isInputObjectType(named) || seen.has(named.name)) return true;
  const inner = new Set([...seen, named.name]);
  return Object.values(named.getFields()).every(
    (field) => !isRequiredInputField(field) || isSendable(field.type, inner),
  );
}

const scalars: Readonly<Record<string, string>> = {
  Int: 'integer',
  Float: 'number',
  String: 'string',
  ID: 'string',
  Boolean: 'boolean',
};

function typeSchema(type: GraphQLInputType): JsonObject {
  if (!isNonNullType(type)) return { ...nonNullSchema(type), nullable: true };
  return nonNullSchema(type.ofType);
}

function nonNullSchema(type: GraphQLInputType): JsonObject {
  if (isListType(type)) return { type: 'array', items: typeSchema(type.ofType) };
  const named = getNamedType(type);
  if (isEnumType(named) || isInputObjectType(named)) return { $ref: `#/types/${named.name}` };
  // A scalar of the API's own may be any value.
  return isSpecifiedScalarType(named) ? { type: scalars[named.name] } : {};
}

function enumSchema(type: GraphQLEnumType, omissions: Omission[]): JsonObject {
  const values = type.getValues();
  const current = values.filter(({ deprecationReason }) => deprecationReason == null);
  const kept = current.length > 0 ? current : values;
  for (const { name } of values.filter((value) => !kept.includes(value)))
    omissions.push(notSent(`${type.name}.${name}`, 'a deprecated value'));
  return {
    type: 'string',
    enum: kept.map(({ name }) => name),
    ...(type.description && { description: type.description }),
  };
}

function objectSchema(type: GraphQLInputObjectType, omissions: Omission[]): JsonObject {
  const fields = Object.values(type.getFields()).filter((field) => {
    const isFile = !isSendable(field.type);
    if (isRequiredInputField(field) || (field.deprecationReason == null && !isFile)) return true;
    omissions.push(notSent(`${type.name}.${field.name}`, isFile ? 'a member that has a file' : 'a deprecated member'));
    return false;
  });
  const text = type.description ? { description: type.description } : {};
  if (type.isOneOf) {
    const variants = fields.map((field) => {
      const { nullable, ...own } = inputSchema(field);
      return { type: 'object', properties: { [field.name]: own }, required: [field.name] };
    });
    return { ...text, oneOf: variants };
  }
  return {
    ...text,
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, inputSchema(field)])),
    required: fields.filter(isRequiredInputField).map(({ name }) => name),
    additionalProperties: false,
  };
}

function notSent(pointer: string, message: string): Omission {
  return { code: 'IMP020', pointer, message, hint: 'The tool works without it.' };
}

function defaultValue(input: GraphQLDefaultInput | undefined): unknown {
  if (input === undefined) return undefined;
  return input.literal === undefined ? input.value : valueFromASTUntyped(input.literal);
}

/** Such as `DateTime, https://scalars.graphql.org/…`. */
function scalarText({ name, specifiedByURL }: { name: string; specifiedByURL?: string | null | undefined }): string {
  return specifiedByURL == null ? name : `${name}, ${specifiedByURL}`;
}
