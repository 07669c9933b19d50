import type { ToolListing } from '@schemakit/core';
import { counted } from '../../output/terminal-text.ts';
import { textColumns } from '../../output/text-table.ts';
import { isRecord } from '../../settings/parse-json.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** One line for each parameter: its name, its type with bounds, and what it means. */
export function parametersText({ properties, required }: ToolListing['inputSchema'], indent = 2): string[] {
  const needed = Array.isArray(required) ? required : [];
  return fieldsText(properties, { indent, isRequired: (name) => needed.includes(name) });
}

/** The type of an output, and its fields. */
export function outputText(schema: JsonObject, indent = 2): string[] {
  const fields = fieldsText(itemsOf(schema).properties, { indent: indent + 2 });
  const about = typeof schema.description === 'string' ? `: ${schema.description}` : '';
  return [`${' '.repeat(indent)}${typeText(schema)}${about}`, ...fields];
}

function fieldsText(
  properties: unknown,
  { indent, isRequired }: { indent: number; isRequired?: (name: string) => boolean },
): string[] {
  const entries = Object.entries(isRecord(properties) ? properties : {}).map(([name, value]): Field => {
    return { name, schema: isRecord(value) ? value : {}, isRequired: isRequired?.(name) === true };
  });
  // The fields of an output stand in its JSON Schema; callers write those of a parameter themselves.
  const fields = isRequired === undefined ? entries : entries.flatMap(withMembers);
  const rows = fields.map(({ name, schema, isRequired }) => {
    const notes = [
      ...(isRequired ? ['required'] : []),
      ...boundsOf(schema),
      ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
    ];
    const { description } = schema;
    const about = typeof description === 'string' ? description : '';
    return [name, [typeText(schema), ...notes].join(', '), about] as const;
  });
  // Long enums would push the descriptions out of the terminal.
  const isWide = rows.some(([, type]) => type.length > 40);
  const merged = rows.map(([name, type, about]) =>
    isWide ? [name, about === '' ? type : `${type}. ${about}`] : [name, type, about],
  );
  return textColumns(merged, { indent });
}

interface Field {
  name: string;
  schema: JsonObject;
  isRequired: boolean;
}

/** A field and the members of its objects, by the names under which `schemakit call` takes them. */
function withMembers(field: Field): Field[] {
  const { schema, name } = field;
  const inner = itemsOf(schema);
  const { properties, required } = inner;
  const needed = Array.isArray(required) ? required : [];
  const prefix = inner === schema ? name : `${name}[0]`;
  const members = Object.entries(isRecord(properties) ? properties : {}).flatMap(([member, value]) =>
    withMembers({
      name: `${prefix}.${member}`,
      schema: isRecord(value) ? value : {},
      isRequired: needed.includes(member),
    }),
  );
  return [field, ...members];
}

function typeText(schema: JsonObject): string {
  const { type, enum: values } = schema;
  if (Array.isArray(values)) return `one of ${values.map((value) => JSON.stringify(value)).join(' ')}`;
  if (schema.contentEncoding === 'base64') return 'file';
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((each) => typeText(isRecord(each) ? each : {})).join(' or ');
  const names = [type ?? 'any value'].flat().map((name) => words[String(name)] ?? String(name));
  const inner = itemsOf(schema);
  const items = inner === schema || inner.type === undefined ? '' : ` of ${typeText(inner)}s`;
  return `${names.join(' or ')}${items}`;
}

const words: Readonly<Record<string, string>> = { string: 'text', integer: 'whole number' };

/** The items of an array; any other schema itself. */
function itemsOf(schema: JsonObject): JsonObject {
  return isRecord(schema.items) ? schema.items : schema;
}

function boundsOf(schema: JsonObject): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, pattern, format } = schema;
  return [
    ...range(minimum, maximum, ''),
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    ...(exclusiveMaximum === undefined ? [] : [`below ${exclusiveMaximum}`]),
    ...range(schema.minLength, schema.maxLength, 'character'),
    ...range(schema.minItems, schema.maxItems, 'item'),
    ...(pattern === undefined ? [] : [`matches ${pattern}`]),
    ...(format === undefined ? [] : [String(format)]),
  ];
}

function range(from: unknown, to: unknown, unit: string): string[] {
  if (from === undefined && to === undefined) return [];
  const amount = (value: unknown) => (unit === '' ? String(value) : counted(Number(value), unit));
  if (to === undefined) return [`at least ${amount(from)}`];
  if (from === undefined) return [`at most ${amount(to)}`];
  return [from === to ? `exactly ${amount(from)}` : `${from} to ${amount(to)}`];
}
