import { isObject, type JsonObject } from './json.ts';

/** A value that is not what its node of an output schema says. */
export interface Misfit {
  /** Where the value stands, from the root. Only valid during the call: it is one array for the whole walk. */
  keys: readonly (string | number)[];
  value: unknown;
  /** What the node allows, such as `['number', 'null']`. */
  types: readonly OutputType[];
}

/** A type that a node of an output schema can name. */
export type OutputType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';

// Deeper nodes than real schemas have; a `schema` that a program builds could contain itself.
const maxDepth = 50;

const misfit = Symbol('misfit');

/**
 * Holds an answer against an output schema (specification 2.2) and gives the part of it that fits: itself where all of it
 * does. What the schema does not name fits; so does null where a node says `nullable` or has null among its types. Nothing
 * is required. Undefined where the root does not fit.
 */
export function fitOutput(data: unknown, schema: JsonObject, onMisfit: (misfit: Misfit) => void): unknown {
  const keys: (string | number)[] = [];
  const nodes = new Map<SourceNode, OutputNode>();

  function fit(value: unknown, source: SourceNode): unknown {
    const { types, properties, items } = nodeFor(source);
    if (types !== undefined && !types.some((type) => hasType(value, type))) {
      onMisfit({ keys, value, types });
      return misfit;
    }
    if (typeof value !== 'object' || value === null || keys.length >= maxDepth) return value;
    if (Array.isArray(value)) return items === undefined ? value : fitItems(value, items);
    return properties.length === 0 ? value : fitProperties(value as Record<string, unknown>, properties);
  }

  function nodeFor(source: SourceNode): OutputNode {
    const known = nodes.get(source);
    if (known !== undefined) return known;
    const node = readNode(source);
    nodes.set(source, node);
    return node;
  }

  function fitChild(value: unknown, key: string | number, node: SourceNode): unknown {
    keys.push(key);
    const fitted = fit(value, node);
    keys.pop();
    return fitted;
  }

  function fitItems(items: readonly unknown[], node: SourceNode): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (const [index, item] of items.entries()) {
      const fitted = fitChild(item, index, node);
      if (fitted !== item) copy ??= items.slice(0, index);
      if (fitted !== misfit) copy?.push(fitted);
    }
    return copy ?? items;
  }

  function fitProperties(
    value: Record<string, unknown>,
    properties: OutputNode['properties'],
  ): Record<string, unknown> {
    let copy: Record<string, unknown> | undefined;
    for (const [key, node] of properties) {
      if (!Object.hasOwn(value, key)) continue;
      const fitted = fitChild(value[key], key, node);
      if (fitted === value[key]) continue;
      copy ??= { ...value };
      if (fitted === misfit) delete copy[key];
      else copy[key] = fitted;
    }
    return copy ?? value;
  }

  const fitted = fit(data, schema);
  return fitted === misfit ? undefined : fitted;
}

type SourceNode = Readonly<Record<string, unknown>>;

/** A node of an output schema, read once for all values that stand at its place. */
interface OutputNode {
  /** Undefined where the node allows all. */
  types: readonly OutputType[] | undefined;
  properties: readonly (readonly [string, SourceNode])[];
  items: SourceNode | undefined;
}

function readNode({ type, nullable, properties, items }: SourceNode): OutputNode {
  const entries = isObject(properties) ? Object.entries(properties) : [];
  return {
    types: readTypes(type, nullable),
    properties: entries.flatMap(([key, child]) => (isObject(child) ? [[key, child] as const] : [])),
    items: isObject(items) ? items : undefined,
  };
}

/** Words that are no type allow all. */
function readTypes(type: unknown, nullable: unknown): readonly OutputType[] | undefined {
  const words: readonly unknown[] = Array.isArray(type) ? type : [type];
  const types = words.filter(isOutputType);
  if (types.length < words.length) return undefined;
  return nullable === true && !types.includes('null') ? [...types, 'null'] : types;
}

function isOutputType(word: unknown): word is OutputType {
  return ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'].includes(word as string);
}

function hasType(value: unknown, type: OutputType): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value) || typeof value === 'bigint';
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint';
    default:
      return typeof value === type;
  }
}
