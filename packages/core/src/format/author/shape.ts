import type { JsonObject, JsonValue } from '../json.ts';

/** A kind of value, in the three languages in which authors meet it. */
export interface Shape {
  /** JSON Schema, draft 2020-12. */
  schema: JsonObject;
  /** TypeScript. */
  type: string;
  /** For the tables of the documentation. */
  words: string;
}

/** What a check says about a field that is not there. */
export type WhenMissing = 'error' | 'warning' | 'info' | 'nothing';

/** A field of an object of the format. */
export interface Field {
  shape: Shape;
  /** What it is, for authors: plain sentences. */
  about: string;
  /** Section of the specification, where it is not that of the object. */
  section?: string;
  /** Default `nothing`. */
  missing?: WhenMissing;
  /** Whether types and JSON Schema ask for it. Default: whether it is an error that it is missing. */
  required?: boolean;
  /** Whether it may be left out in some cases, of which only JSON Schema can tell, by the rules of the object. */
  isRuled?: boolean;
  /** What to write in its place, of a field that is only read for the sake of existing files. */
  deprecated?: string;
  examples?: readonly JsonValue[];
  /** Where the documentation says more: a link. */
  see?: string;
  /** Can be read, but is not listed with the other properties. Only in what hooks are given. */
  hidden?: boolean;
}

/** An object of the format. Authors see it as an interface, as an object in JSON Schema, and as a table. */
export interface ObjectDefinition {
  kind: 'object';
  name: string;
  about: string;
  /** Section of the specification. */
  section: string;
  fields: Readonly<Record<string, Field>>;
  /**
   * Fields of any other name. Without it, a field that is not in `fields` is a finding. With a `name` for their keys, types
   * take them too; without one they find misspelt fields.
   */
  others?: { name?: string; shape: Shape };
  /** What JSON Schema has to say about fields together. */
  rules?: JsonObject;
  deprecated?: string;
}

/** A kind of value that has a name of its own. */
export interface AliasDefinition {
  kind: 'alias';
  name: string;
  about: string;
  section: string;
  shape: Shape;
}

export type Definition = ObjectDefinition | AliasDefinition;

/** Whether types and JSON Schema ask for a field. */
export function isRequired({ missing = 'nothing', required = missing === 'error' }: Field): boolean {
  return required;
}

/** Anything that JSON can carry. */
export const anything: Shape = { schema: {}, type: 'unknown', words: 'any' };

/** What `JSON.parse` gives: only the author of a handler knows more about it. */
export const untyped: Shape = { schema: {}, type: 'Untyped', words: 'any' };

export const boolean: Shape = { schema: { type: 'boolean' }, type: 'boolean', words: 'true or false' };

/** A whole number above zero. */
export const count: Shape = {
  schema: { type: 'integer', exclusiveMinimum: 0 },
  type: 'number',
  words: 'whole number',
};

/** Text. `type` is a TypeScript type that holds at least the texts in use. */
export function text({
  pattern,
  type = 'string',
  words = 'text',
}: {
  pattern?: string;
  type?: string;
  words?: string;
} = {}): Shape {
  return { schema: { type: 'string', ...(pattern !== undefined && { pattern }) }, type, words };
}

/** Text with something in it. */
export function filledText({ type = 'string', words = 'text' }: { type?: string; words?: string } = {}): Shape {
  return text({ pattern: '\\S', type, words });
}

/** The TypeScript type of texts that consist of these pieces, with any text (or number) between them. */
export function template(pieces: readonly string[], between: 'string' | 'number' = 'string'): string {
  return `\`${pieces.join(`\${${between}}`)}\``;
}

/** Text, for which editors offer some values and take any. */
export function suggested(...values: readonly string[]): string {
  return `${values.map((value) => JSON.stringify(value)).join(' | ')} | (string & {})`;
}

/** One of some texts. */
export function choice(...values: readonly string[]): Shape {
  return {
    schema: { enum: [...values] },
    type: values.map((value) => JSON.stringify(value)).join(' | '),
    words: values.map((value) => `\`${value}\``).join(', '),
  };
}

/** An array. */
export function list(item: Shape, { min }: { min?: number } = {}): Shape {
  return {
    schema: { type: 'array', items: item.schema, ...(min !== undefined && { minItems: min }) },
    type: `readonly (${item.type})[]`,
    words: `array of ${item.words}`,
  };
}

/** An object with the same kind of value under every key. */
export function map(value: Shape, { key = 'name', min }: { key?: string; min?: number } = {}): Shape {
  return {
    schema: { type: 'object', additionalProperties: value.schema, ...(min !== undefined && { minProperties: min }) },
    type: `{ [${key}: string]: ${value.type} }`,
    words: `object of ${value.words}`,
  };
}

/** An object of named things, or an array of them. */
export function listOrMap(item: Shape, value: Shape, { key, words }: { key: string; words: string }): Shape {
  const entries = map(value, { key });
  // No item of an array is an entry of the object: so TypeScript says what is wrong inside of an item.
  const type = `{ [${key}: string]: ${value.type}; [index: number]: never }`;
  return { ...either(list(item), { ...entries, type }), words };
}

/** Something that is defined under a name. */
export function named(name: string, words: string = 'object'): Shape {
  return { schema: { $ref: `#/$defs/${name}` }, type: name, words };
}

/** One of several kinds of value. Where JSON types tell them apart, they become one schema: its errors are easier to read. */
export function either(...shapes: readonly Shape[]): Shape {
  const schemas = shapes.map(({ schema }) => schema);
  const types = new Set(schemas.map(({ type }) => type));
  const areApart = types.size === schemas.length && schemas.every(({ type }) => typeof type === 'string');
  return {
    schema: areApart ? Object.assign({}, ...schemas, { type: [...types] }) : { anyOf: schemas },
    type: shapes.map(({ type }) => type).join(' | '),
    words: shapes.map(({ words }) => words).join(' or '),
  };
}
