import { field, isPlainObject, type PlainObject, texts } from '../findings/plain-object.ts';
import { effectiveSchema } from './effective-schema.ts';
import { sampleNumber } from './sample-number.ts';
import { sampleText } from './sample-text.ts';

/** Schemas that refer to themselves, or are made to be large, must come to an end. */
const MAX_DEPTH = 12;
const MAX_VALUES = 500;
const MAX_ITEMS = 20;

interface Walk {
  root: PlainObject;
  depth: number;
  /** Values that may still be made. */
  budget: { left: number };
}

/**
 * Arguments that a tool's input schema accepts, as few as possible: servers check arguments before they ask for payment. Schemas that no simple value
 * satisfies (`not`, `if`, `contains`) are not solved; the server then refuses the call.
 */
export function sampleArguments(inputSchema: PlainObject): PlainObject {
  const value = sample(
    { ...inputSchema, type: 'object' },
    { root: inputSchema, depth: 0, budget: { left: MAX_VALUES } },
  );
  return isPlainObject(value) ? value : {};
}

function sample(given: unknown, walk: Walk): unknown {
  if (walk.depth > MAX_DEPTH || walk.budget.left-- <= 0) return null;
  const schema = effectiveSchema(given, walk.root);
  const examples = field(schema, 'examples');
  const enumeration = field(schema, 'enum');
  if (Object.hasOwn(schema, 'const')) return schema.const;
  if (Array.isArray(enumeration) && enumeration.length > 0) return enumeration[0];
  if (Object.hasOwn(schema, 'default')) return schema.default;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(schema, walk);
    case 'array':
      return sampleArray(schema, walk);
    case 'integer':
      return sampleNumber(schema, { isInteger: true });
    case 'number':
      return sampleNumber(schema, { isInteger: false });
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return sampleText(schema);
  }
}

/** The first type that is not null; without one, what the other keywords are about. */
function typeOf(schema: PlainObject): unknown {
  const type = field(schema, 'type');
  if (typeof type === 'string') return type;
  if (Array.isArray(type) && type.length > 0) return type.find((name) => name !== 'null') ?? 'null';
  if ('properties' in schema || 'required' in schema) return 'object';
  if ('items' in schema || 'prefixItems' in schema) return 'array';
  return 'minimum' in schema || 'maximum' in schema || 'multipleOf' in schema ? 'number' : 'string';
}

function sampleObject(schema: PlainObject, walk: Walk): PlainObject {
  const properties = field(schema, 'properties');
  const names = new Set(texts(field(schema, 'required')));
  for (const name of names)
    for (const needed of texts(field(field(schema, 'dependentRequired'), name))) names.add(needed);
  const wanted = Number(field(schema, 'minProperties') ?? 0);
  for (const name of isPlainObject(properties) ? Object.keys(properties) : []) if (names.size < wanted) names.add(name);
  const schemaFor = (name: string): unknown => field(properties, name) ?? field(schema, 'additionalProperties') ?? {};
  // Built from entries: a property may be called `__proto__`.
  return Object.fromEntries([...names].slice(0, 200).map((name) => [name, sample(schemaFor(name), deeper(walk))]));
}

function sampleArray(schema: PlainObject, walk: Walk): unknown[] {
  const least = Math.min(Math.max(0, Number(field(schema, 'minItems') ?? 0) || 0), MAX_ITEMS);
  const tuple = field(schema, 'prefixItems');
  const schemaAt = (index: number): unknown =>
    (Array.isArray(tuple) ? tuple[index] : undefined) ?? field(schema, 'items') ?? {};
  const items = Array.from({ length: least }, (_, index) => sample(schemaAt(index), deeper(walk)));
  return field(schema, 'uniqueItems') === true ? items.map(differing) : items;
}

/** Makes equal items differ, where that is simple. */
function differing(item: unknown, index: number): unknown {
  if (index === 0) return item;
  if (typeof item === 'number') return item + index;
  return typeof item === 'string' ? `${item}${index}` : item;
}

function deeper({ root, depth, budget }: Walk): Walk {
  return { root, depth: depth + 1, budget };
}
