import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isSpecifiedScalarType,
} from 'graphql';
import { shortenText } from '../plan/shorten-text.ts';
import type { JsonObject } from '../read/read-document.ts';
import type { SelectedField, Selection } from './plan-selection.ts';

/** The format recommends four levels. */
const maxLevels = 4;

/** The schema of what an operation answers for its field: what the selection asks for, as it is on the wire. */
export function selectionOutput(
  { type }: GraphQLField<unknown, unknown>,
  selection: Selection | undefined,
): { schema: JsonObject; isCut: boolean } {
  let isCut = false;
  return { schema: node(type, selection, 1), isCut };

  function node(of: GraphQLOutputType, inner: Selection | undefined, level: number): JsonObject {
    if (isNonNullType(of)) return nonNull(of.ofType, inner, level);
    const schema = nonNull(of, inner, level);
    return schema.type === undefined ? schema : { ...schema, nullable: true };
  }

  function nonNull(of: GraphQLOutputType, inner: Selection | undefined, level: number): JsonObject {
    if (level === maxLevels && (isListType(of) || inner !== undefined)) {
      isCut = true;
      return { type: isListType(of) ? 'array' : 'object' };
    }
    if (isListType(of)) return { type: 'array', items: node(of.ofType, inner, level + 1) };
    if (inner === undefined) return valueSchema(getNamedType(of));
    const all = [...inner.fields, ...inner.fragments.flatMap(({ fields }) => fields)];
    const named = all.map(
      (selected) => [selected.alias ?? selected.field.name, fieldNode(selected, level + 1)] as const,
    );
    const kind =
      isAbstractType(inner.type) || inner.fields.length === 0 ? [['__typename', { type: 'string' }] as const] : [];
    return { type: 'object', properties: Object.fromEntries([...kind, ...named]) };
  }

  function fieldNode({ field, selection: inner }: SelectedField, level: number): JsonObject {
    const { text } = shortenText(field.description, 100);
    return { ...node(field.type, inner, level), ...(text !== '' && { description: text }) };
  }
}

const types: Readonly<Record<string, string>> = {
  Int: 'integer',
  Float: 'number',
  String: 'string',
  ID: 'string',
  Boolean: 'boolean',
};

function valueSchema(type: GraphQLNamedType): JsonObject {
  if (isEnumType(type)) {
    const values = type.getValues().map(({ name }) => name);
    return { type: 'string', ...(values.length <= 20 && { enum: values }) };
  }
  // Scalars of the API's own may be any value.
  return isSpecifiedScalarType(type) ? { type: types[type.name] } : { description: type.name };
}
