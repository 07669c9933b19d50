import type { JsonObject, JsonValue } from '../json.ts';
import { type Definition, type Field, isRequired, type ObjectDefinition } from './shape.ts';

/**
 * A JSON Schema (draft 2020-12) of one definition, with those that it refers to. Editors show its descriptions.
 *
 * It refuses what a check calls an error, and what a check warns of where that is a matter of shape: unknown fields, values
 * of another type. It says nothing about what only the parts together show, such as a secret that is not declared.
 */
export function jsonSchemaFile(root: string, title: string, definitions: readonly Definition[]): JsonObject {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const parts = new Map<string, JsonObject>();
  const pending = [root];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const definition = byName.get(name);
    if (definition === undefined || parts.has(name)) continue;
    const part = schemaOf(definition);
    parts.set(name, part);
    pending.push(...referencesIn(part));
  }
  const ordered = definitions.flatMap(({ name }) => (parts.has(name) ? [[name, parts.get(name) ?? {}]] : []));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    $ref: `#/$defs/${root}`,
    $defs: Object.fromEntries(ordered),
  };
}

function schemaOf(definition: Definition): JsonObject {
  if (definition.kind === 'alias') return { description: definition.about, ...definition.shape.schema };
  const { about, deprecated, fields, others, rules } = definition;
  return {
    description: sayDeprecated(about, deprecated),
    ...(deprecated !== undefined && { deprecated: true }),
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOfField(field)])),
    ...requiredIn(definition),
    additionalProperties: others?.shape.schema ?? false,
    ...rules,
  };
}

function requiredIn({ fields }: ObjectDefinition): { required?: string[] } {
  const names = Object.entries(fields).flatMap(([name, field]) => (isRequired(field) && !field.isRuled ? [name] : []));
  return names.length === 0 ? {} : { required: names };
}

function schemaOfField({ shape, about, deprecated, examples }: Field): JsonObject {
  return {
    description: sayDeprecated(about, deprecated),
    ...(deprecated !== undefined && { deprecated: true }),
    ...shape.schema,
    ...(examples && { examples: [...examples] }),
  };
}

function sayDeprecated(about: string, deprecated: string | undefined): string {
  return deprecated === undefined ? about : `${about} ${deprecated}`;
}

function referencesIn(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === '$ref' && typeof item === 'string' ? item.replace('#/$defs/', '') : referencesIn(item),
  );
}
