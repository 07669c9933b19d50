import { isObject, type JsonObject } from './json.ts';

/** A value that is not what its node of an output schema says. */
export interface Misfit {
  /** Where the value stands, from the root. Only valid during the call: it is one array for the whole walk. */
  keys: readonly (string | number)[];
  value: unknown;
  node: Readonly<Record<string, unknown>>;
}

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

  function fit(value: unknown, node: Readonly<Record<string, unknown>>): unknown {
    if (!hasTypeOf(node, value)) {
      onMisfit({ keys, value, node });
      return misfit;
    }
    if (keys.length >= maxDepth) return value;
    if (Array.isArray(value)) return isObject(node.items) ? fitItems(value, node.items) : value;
    return isObject(value) && isObject(node.properties) ? fitProperties(value, node.properties) : value;
  }

  function fitChild(value: unknown, key: string | number, node: Readonly<Record<string, unknown>>): unknown {
    keys.push(key);
    const fitted = fit(value, node);
    keys.pop();
    return fitted;
  }

  function fitItems(items: readonly unknown[], node: Readonly<Record<string, unknown>>): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (const [index, item] of items.entries()) {
      const fitted = fitChild(item, index, node);
      if (fitted !== item) copy ??= items.slice(0, index);
      if (fitted !== misfit) copy?.push(fitted);
    }
    return copy ?? items;
  }

  function fitProperties(value: Record<string, unknown>, properties: Record<string, unknown>): Record<string, unknown> {
    let copy: Record<string, unknown> | undefined;
    for (const [key, node] of Object.entries(properties)) {
      if (!Object.hasOwn(value, key) || !isObject(node)) continue;
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

/** The types that a node allows; undefined where it allows all. Words that are no type allow all. */
export function typesOf({ type, nullable }: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const known = types.filter((name) => typeof name === 'string' && tests.has(name)) as string[];
  if (known.length < types.length) return undefined;
  return nullable === true && !known.includes('null') ? [...known, 'null'] : known;
}

const tests = new Map<string, (value: unknown) => boolean>([
  ['object', isObject],
  ['array', Array.isArray],
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => typeof value === 'number' || typeof value === 'bigint'],
  ['integer', (value) => Number.isInteger(value) || typeof value === 'bigint'],
  ['boolean', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
]);

function hasTypeOf(node: Readonly<Record<string, unknown>>, value: unknown): boolean {
  return typesOf(node)?.some((type) => tests.get(type)?.(value)) ?? true;
}
