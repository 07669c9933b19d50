import { childPath } from '../schema/finding.ts';
import { isObject, type JsonObject } from '../schema/json.ts';
import { outputFitter } from '../schema/output/check-output.ts';

const maxDepth = 50;
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
 * Makes the function that gives the structured form of an answer: itself where it has the promised shape. What has another type is left out and named,
 * because clients refuse answers that break their schema; the text of the answer stays whole.
 */
export function answerShaper(schema: JsonObject): (data: unknown) => ShapedAnswer {
  const fit = outputFitter(schema);
  return (data) => {
    const omitted: string[] = [];
    const value = fit(data, ({ keys }) => void omitted.push(keys.reduce<string>(childPath, '$')));
    return { value: isObject(value) ? value : {}, omitted };
  };
}
