import { createJsonSchemaChecker, isObject, type JsonSchemaChecker } from '@schemakit/core/internal';
import type { JsonObject } from '../model/model.ts';

/** Makes the check of a JSON Schema: what does not fit, with its place, such as `$.sources[0].id`. Empty if all fits. */
export function createValueCheck(schema: JsonObject): (value: unknown) => string[] {
  return (value) => {
    // The steps of a checker are limited for all of its checks.
    const checker = createJsonSchemaChecker(schema);
    if (checker.check(value) === 'fits') return [];
    const problems = explain(value, { schema, path: '$', checker, depth: 0 });
    return problems.length > 0 ? problems.slice(0, maxProblems) : ['$ does not fit the schema'];
  };
}

const maxProblems = 20;
const maxDepth = 20;

interface Place {
  schema: unknown;
  path: string;
  checker: JsonSchemaChecker;
  depth: number;
}

/** Finds the parts that do not fit. Keywords that combine schemas, such as `anyOf`, are reported as a whole. */
function explain(value: unknown, { schema, path, checker, depth }: Place): string[] {
  if (depth > maxDepth || checker.check(value, schema) === 'fits') return [];
  if (!isObject(schema)) return [`${path} is not allowed`];
  const within = (part: unknown, partSchema: unknown, key: string) =>
    explain(part, { schema: partSchema, path: `${path}${key}`, checker, depth: depth + 1 });
  const problems: string[] = [];
  const { type, required, properties, items, additionalProperties } = schema;
  if (type !== undefined && checker.check(value, { type }) === 'misfit') {
    return [`${path} must be ${[type].flat().join(' or ')}, and is ${kindOf(value)}`];
  }
  if (schema.enum !== undefined && checker.check(value, { enum: schema.enum }) === 'misfit')
    return [`${path} must be one of ${JSON.stringify(schema.enum)}, and is ${shown(value)}`];
  if (isObject(value)) {
    for (const key of Array.isArray(required) ? required.map(String) : [])
      if (!Object.hasOwn(value, key)) problems.push(`${path}.${key} is required`);
    const known = isObject(properties) ? properties : {};
    for (const [key, part] of Object.entries(value)) {
      if (Object.hasOwn(known, key)) problems.push(...within(part, known[key], `.${key}`));
      else if (additionalProperties === false) problems.push(`${path}.${key} is not allowed`);
      else if (isObject(additionalProperties)) problems.push(...within(part, additionalProperties, `.${key}`));
    }
  }
  if (Array.isArray(value) && isObject(items))
    for (const [index, item] of value.entries()) problems.push(...within(item, items, `[${index}]`));
  return problems.length > 0 ? problems : [`${path} does not fit ${shown(schema)}`];
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
