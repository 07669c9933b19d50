import { aboutField, type Definition, definitions, resolve, severityWhenMissing } from './format-definitions.ts';
import { markdownTable } from './markdown-table.ts';

/** Where the page says more about a field. */
const links: Readonly<Record<string, string>> = {
  'SchemaMain.root': '[`root`](#root)',
  'SchemaMain.auth': '[`auth`](#auth)',
  'SchemaMain.signature': '[`signature`](#signature)',
  'SchemaMain.tools': '[Tools](#tools)',
  'SchemaMain.headers': '[Headers](#headers)',
  'SchemaMain.sharedLists': '[Shared lists](#shared-lists)',
  'SchemaMain.resources': '[resources.md](resources.md)',
  'SchemaMain.skills': '[prompts.md](prompts.md)',
  'SchemaMain.prompts': '[prompts.md](prompts.md)',
  'Tool.path': '[Placeholders](#placeholders)',
  'Tool.parameters': '[Parameters](#parameters)',
  'Tool.output': '[Answers and `output`](#answers-and-output)',
  'Tool.tests': '[Tests](#tests)',
  'Tool.preload': '[`preload`](#preload)',
  'Tool.annotations': '[`annotations`](#annotations)',
  'Tool.idempotency': '[`idempotency`](#idempotency)',
  'Position.value': '[Placeholders](#placeholders)',
};

/** Puts the tables of the format between their marks, `<!-- table: Tool -->` and `<!-- end -->`. */
export function fillTables(page: string): string {
  return page.replace(
    /(<!-- table: (.+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}\n${table(name)}\n\n${end}`,
  );
}

function table(name: string): string {
  const fields = definitions[name]?.properties;
  if (fields === undefined) throw new Error(`The JSON Schema of the format has no object ${name}.`);
  return markdownTable(
    ['Field', 'Type', 'When it is missing', 'What it is'],
    Object.entries(fields).map(([key, field]) => {
      const link = links[`${name}.${key}`];
      const about = link === undefined ? aboutField(field) : `${aboutField(field)} See ${link}.`;
      return [`\`${key}\``, typeOf(field), severityWhenMissing(field), about];
    }),
  );
}

/** The type of a value in words. */
function typeOf(schema: Definition): string {
  const { $ref, type, items, additionalProperties: values, anyOf } = schema;
  const { enum: known, const: only, properties } = schema;
  if ($ref !== undefined) return typeOfReference($ref, resolve(schema));
  if (known !== undefined) return listed(known.map((value) => `\`${value}\``));
  if (only !== undefined) return `\`${only}\``;
  if (anyOf !== undefined) {
    return listed(anyOf.filter(({ deprecated }) => !deprecated).map(typeOf));
  }
  if (type === undefined) return 'any';
  const types = [type].flat().flatMap((word) => {
    if (word === 'array') return items ? `array of ${typeOf(items)}` : 'array';
    if (word !== 'object') return words[word] ?? word;
    if (typeof values !== 'object' || properties !== undefined) return 'object';
    return values.$ref !== undefined && resolve(values).deprecated ? [] : `object of ${typeOf(values)}`;
  });
  return listed(types);
}

/** `a, b or c`. */
function listed(types: readonly string[]): string {
  return [types.slice(0, -1).join(', '), ...types.slice(-1)].filter((part) => part !== '').join(' or ');
}

function typeOfReference($ref: string, target: Definition): string {
  const hasName = target.properties !== undefined || target.anyOf !== undefined;
  return hasName ? `\`${$ref.replace('#/$defs/', '')}\`` : typeOf(target);
}

const words: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  integer: 'whole number',
};
