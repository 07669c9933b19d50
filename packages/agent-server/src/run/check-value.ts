import { compilePattern, createJsonSchemaChecker, isObject, type JsonSchemaChecker } from '@schemakit/core/internal';
import type { JsonObject } from '../model/model.ts';

/** Makes the check of a JSON Schema: what does not fit, with its place, such as `$.sources[0].id`. Empty if all fits. */
export function createValueCheck(schema: JsonObject): (value: unknown) => string[] {
  const runnable = withoutOtherPatterns(schema);
  return (value) => {
    const size = sizeOf(value);
    if (size === undefined)
      return ['$ is not JSON: it contains itself, is too deep, or has a value that JSON does not have'];
    // In proportion to the value, so that every ordinary one is checked whole. A checker counts for its life, so it serves one check.
    const newChecker = () => createJsonSchemaChecker(runnable, { maxSteps: 200_000 + 4 * size });
    const fit = newChecker().check(value);
    if (fit === 'fits') return [];
    if (fit === 'unknown') return ['$ is too large or too deep to check'];
    const problems = explain(value, { schema: runnable, path: '$', checker: newChecker(), depth: 0 });
    return problems.length > 0 ? problems.slice(0, maxProblems) : ['$ does not fit the schema'];
  };
}

/** The length of its JSON; undefined if it has none. */
function sizeOf(value: unknown): number | undefined {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    return undefined;
  }
}

/** Patterns that do not run in linear time, such as those with look-ahead, are not checked: no value would ever fit. */
function withoutOtherPatterns(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === 'pattern' && typeof value === 'string' && 'problem' in compilePattern(value) ? undefined : value,
  );
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
  if (depth > maxDepth || checker.check(value, schema) !== 'misfit') return [];
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
