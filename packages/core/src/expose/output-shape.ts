import { isObject, type JsonObject, type JsonValue } from '../format/json.ts';

const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/**
 * The JSON Schema of a tool's structured answer, from its `output.schema`. Undefined unless the root is an object, the only
 * root that every MCP revision takes. Nothing is required and nothing is closed: what authors write describes an answer, and
 * clients refuse a whole answer over one missing field.
 */
export function outputJsonSchema(schema: JsonObject | undefined): JsonObject | undefined {
  return schema?.type === 'object' ? shapeOf(schema, 0) : undefined;
}

function shapeOf(node: JsonObject, depth: number): JsonObject {
  const shape: JsonObject = {};
  const type = typeof node.type === 'string' && types.includes(node.type) ? node.type : undefined;
  if (type !== undefined) shape.type = node.nullable === true && depth > 0 ? [type, 'null'] : type;
  if (typeof node.description === 'string' && node.description !== '') shape.description = node.description;
  if (isObject(node.properties) && depth < maxDepth) {
    const entries = Object.entries(node.properties).filter(([, child]) => isObject(child));
    shape.properties = Object.fromEntries(
      entries.map(([key, child]) => [key, shapeOf(child as JsonObject, depth + 1)]),
    );
  }
  if (isObject(node.items) && depth < maxDepth) shape.items = shapeOf(node.items as JsonObject, depth + 1);
  return shape;
}

/** The part of an answer that has the promised shape, and the places of what was left out of it. */
export interface ShapedAnswer {
  value: Record<string, unknown>;
  omitted: string[];
}

/**
 * The structured form of an answer: itself where it has the promised shape. What has another type is left out and named,
 * because clients refuse answers that break their schema; the text of the answer stays whole.
 */
export function shapeAnswer(data: unknown, schema: JsonObject): ShapedAnswer {
  const omitted: string[] = [];
  const value = fit(data, schema, '$', omitted);
  return { value: isObject(value) ? value : {}, omitted };
}

const maxDepth = 50;

const misfit = Symbol('misfit');

function fit(value: unknown, schema: JsonObject, path: string, omitted: string[], depth = 0): unknown {
  // Deeper than `shapeOf` prints, nothing is promised.
  if (depth > maxDepth) return value;
  if (!hasType(value, schema.type)) {
    omitted.push(path);
    return misfit;
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!isObject(items)) return value;
    const fitted = value.map((item, index) => fit(item, items as JsonObject, `${path}[${index}]`, omitted, depth + 1));
    return same(fitted, value) ? value : fitted.filter((item) => item !== misfit);
  }
  if (isObject(value) && isObject(schema.properties))
    return fitProperties(value, schema.properties, { path, omitted, depth });
  return value;
}

function fitProperties(
  value: Record<string, unknown>,
  properties: Record<string, unknown>,
  { path, omitted, depth }: { path: string; omitted: string[]; depth: number },
) {
  let copy: Record<string, unknown> | undefined;
  for (const [key, child] of Object.entries(properties)) {
    if (!Object.hasOwn(value, key) || !isObject(child)) continue;
    const fitted = fit(value[key], child as JsonObject, `${path}.${key}`, omitted, depth + 1);
    if (fitted === value[key]) continue;
    copy ??= { ...value };
    if (fitted === misfit) delete copy[key];
    else copy[key] = fitted;
  }
  return copy ?? value;
}

function same(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.every((item, index) => item === right[index]);
}

function hasType(value: unknown, type: JsonValue | undefined): boolean {
  if (type === undefined) return true;
  if (Array.isArray(type)) return type.some((one) => hasType(value, one));
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}
