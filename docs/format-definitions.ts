import { readFileSync } from 'node:fs';

/** A part of the format's JSON Schema, as far as the generators look at it. */
export interface Definition {
  $ref?: string;
  description?: string;
  deprecated?: boolean;
  type?: string | string[];
  enum?: string[];
  const?: string;
  pattern?: string;
  properties?: Record<string, Definition>;
  required?: string[];
  items?: Definition;
  additionalProperties?: boolean | Definition;
  anyOf?: Definition[];
  examples?: unknown[];
}

export interface SchemaFile {
  $defs: Record<string, Definition>;
}

export const schemaFolder = 'packages/core/src/schema/format';

/** Reads one of the JSON Schema files of the format. */
export function readSchemaFile(name: string): SchemaFile {
  return JSON.parse(readFileSync(new URL(`../${schemaFolder}/${name}`, import.meta.url), 'utf8'));
}

/** All definitions of the format by name. */
export const definitions: Readonly<Record<string, Definition>> = Object.assign(
  {},
  ...['agent', 'main', 'prompts', 'list'].map((name) => readSchemaFile(`${name}.schema.json`).$defs),
);

/** The definition, or the property of one, that a reference names: `#/$defs/Tool` or `#/$defs/Tool/properties/method`. */
export function resolve(definition: Definition): Definition {
  const { $ref } = definition;
  if ($ref === undefined) return definition;
  const [, , name = '', , property] = $ref.split('/');
  const target = definitions[name];
  const found = property === undefined ? target : target?.properties?.[property];
  if (found === undefined) throw new Error(`${$ref} is not defined`);
  return found;
}

/** What a check says about a field that is missing, as its description ends: `When it is missing: warning.` */
export function severityWhenMissing(field: Definition): 'error' | 'warning' | 'info' | 'nothing' {
  const [, severity = 'nothing'] = missing.exec(descriptionOf(field)) ?? [];
  return severity as ReturnType<typeof severityWhenMissing>;
}

/** The description of a field without the sentence about its absence. */
export function aboutField(field: Definition): string {
  return descriptionOf(field).replace(missing, '');
}

function descriptionOf(field: Definition): string {
  return field.description ?? resolve(field).description ?? '';
}

const missing = / ?When it is missing: (error|warning|info)\.$/;
