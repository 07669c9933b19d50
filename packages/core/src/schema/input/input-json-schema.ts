import type { JsonObject } from '../json.ts';
import { compilePattern, isEcmaScriptPattern } from '../pattern.ts';
import type { Input } from '../schema.ts';
import type { EnumMember, ZExpression } from '../z/z-expression.ts';
import { describeExpected } from './describe-input.ts';
import { exposedInputNames } from './exposed-input-names.ts';

/**
 * The JSON Schema (2020-12) of a tool's arguments, compiled straight from the expressions. Inputs have the
 * names of `exposedInputNames`. `createInputCheck` accepts more, such as aliases and numbers written as text.
 */
export function inputsJsonSchema(inputs: readonly Input[]): JsonObject {
  const exposed = exposedInputNames(inputs);
  const nameOf = ({ name }: Input): string => exposed.get(name) ?? name;
  const required = inputs.filter((input) => !input.z.optional).map(nameOf);
  return {
    type: 'object',
    // `fromEntries` keeps an input named `__proto__` as a key of its own.
    properties: Object.fromEntries(inputs.map((input) => [nameOf(input), exposedJsonSchema(input, nameOf(input))])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** The JSON Schema of an input under its exposed name. Its own name, if it differs, is listed as an alias. */
function exposedJsonSchema(input: Input, name: string): JsonObject {
  if (name === input.name) return inputJsonSchema(input);
  const aliases = [input.name, ...input.aliases].filter((alias) => alias !== name);
  return inputJsonSchema({ ...input, name, aliases });
}

export function inputJsonSchema(input: Input): JsonObject {
  return expressionJsonSchema(input.z, describe(input));
}

function expressionJsonSchema(z: ZExpression, description: string): JsonObject {
  return {
    ...typeOf(z),
    ...boundsOf(z),
    ...(z.pattern !== undefined && isShared(z.pattern) && { pattern: z.pattern }),
    ...(z.default !== undefined && { default: z.default }),
    ...(description !== '' && { description }),
  };
}

/** The JSON Schema of a part of a shape. */
function partJsonSchema(z: ZExpression): JsonObject {
  const schema = expressionJsonSchema(
    z,
    [z.description ?? '', ...listsOf(z), ...fileNote(z)].filter(Boolean).join(' '),
  );
  if (!z.nullable) return schema;
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? 'object'];
  return { ...schema, type: [...types, 'null'], ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }) };
}

function typeOf(z: ZExpression): JsonObject {
  switch (z.primitive) {
    case 'array':
      return { type: 'array', items: z.items ? partJsonSchema(z.items) : {} };
    case 'object':
      return z.properties ? objectJsonSchema(Object.entries(z.properties)) : { type: ['object', 'array'] };
    case 'record':
      return { type: 'object', additionalProperties: z.values ? partJsonSchema(z.values) : {} };
    case 'union':
      return { anyOf: (z.variants ?? []).map(partJsonSchema) };
    case 'file':
      return { type: 'string', contentEncoding: 'base64' };
    case 'enum': {
      const members = z.members ?? [];
      return members.every((member) => typeof member === 'string')
        ? { type: 'string', enum: [...members] }
        : { type: 'string' };
    }
    case 'number':
      return { type: z.integer ? 'integer' : 'number' };
    default:
      return { type: z.primitive };
  }
}

function objectJsonSchema(members: readonly [string, ZExpression][]): JsonObject {
  const required = members.filter(([, z]) => !z.optional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, z]) => [name, partJsonSchema(z)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

const sizeKeywords = {
  string: ['minLength', 'maxLength'],
  array: ['minItems', 'maxItems'],
  record: ['minProperties', 'maxProperties'],
} as const;

function boundsOf({ primitive, min, max, length }: ZExpression): JsonObject {
  if (primitive === 'number') {
    return { ...(min !== undefined && { minimum: min }), ...(max !== undefined && { maximum: max }) };
  }
  if (primitive !== 'string' && primitive !== 'array' && primitive !== 'record') return {};
  const [lowest, highest] = sizeKeywords[primitive];
  const least = Math.max(min ?? 0, length ?? 0);
  const most = Math.min(max ?? Infinity, length ?? Infinity);
  return { ...(least > 0 && { [lowest]: least }), ...(most < Infinity && { [highest]: most }) };
}

/** A pattern is included only if clients and our engine match the same values with it. */
function isShared(pattern: string): boolean {
  return isEcmaScriptPattern(pattern) && 'matches' in compilePattern(pattern);
}

function describe({ description, aliases, z }: Input): string {
  const sentences = [
    description ?? z.description ?? '',
    ...listsOf(z),
    ...fileNote(z),
    aliases.length > 0 ? `Also accepted as ${aliases.join(', ')}.` : '',
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

function listsOf({ members = [] }: ZExpression): string[] {
  return members.filter((member) => typeof member !== 'string').map(describeList);
}

function fileNote(z: ZExpression): string[] {
  const words = z.primitive === 'file' ? describeExpected(z) : '';
  return words === '' ? [] : [`${words.charAt(0).toUpperCase()}${words.slice(1)}.`];
}

function describeList({ list, field }: Exclude<EnumMember, string>): string {
  return field === '' ? `A value of the shared list ${list}.` : `A value of ${field} in the shared list ${list}.`;
}
