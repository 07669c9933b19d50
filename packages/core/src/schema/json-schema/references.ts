import { isObject } from '../json.ts';
import { keyword } from './evaluation.ts';

const KEYWORDS = ['$ref', '$recursiveRef', '$dynamicRef'];
const HOME = 'https://schema.invalid/';
/** These hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);

/** At most this many nodes are searched for names. */
const MAX_NODES = 100_000;

/** Resolves the references of a schema. References to other documents are never fetched. */
export interface References {
  /** The schemas that a schema refers to. A target that is missing allows nothing, one in another document anything. */
  referred(schema: Record<string, unknown>): unknown[];
}

/** The names in a schema: `$id`, `$anchor`, `$dynamicAnchor`. */
interface Names {
  /** The address that a schema's references are relative to. */
  bases: ReadonlyMap<object, string>;
  /** Schemas by address, and by address and anchor. */
  places: ReadonlyMap<string, unknown>;
}

export function createReferences(root: unknown): References {
  // Most schemas have no reference, so names are read when the first one is followed.
  let names: Names | undefined;

  function target(reference: string, schema: Record<string, unknown>): unknown {
    names ??= namesIn(root);
    const { bases, places } = names;
    const [address = '', fragment = ''] = resolved(reference, bases.get(schema) ?? HOME).split('#', 2);
    // The outermost scope decides about a dynamic anchor of the root; rarer ones are taken as plain anchors.
    if (keyword(root, '$dynamicAnchor') === fragment) return root;
    if (!places.has(address)) return true;
    if (fragment === '') return places.get(address);
    if (!fragment.startsWith('/')) return places.get(`${address}#${decoded(fragment)}`) ?? false;
    const steps = fragment.split('/').slice(1).map(pointerStep);
    return steps.reduce<unknown>(child, places.get(address)) ?? false;
  }

  return {
    referred: (schema) =>
      KEYWORDS.flatMap((name) => {
        const reference = keyword(schema, name);
        return typeof reference === 'string' ? [target(reference, schema)] : [];
      }),
  };
}

function namesIn(root: unknown): Names {
  const bases = new Map<object, string>();
  const places = new Map<string, unknown>([[HOME, root]]);
  const open: [schema: unknown, base: string][] = [[root, HOME]];
  for (let count = 0; count < MAX_NODES; count++) {
    const [value, outer] = open.pop() ?? [];
    if (outer === undefined) break;
    if (Array.isArray(value)) for (const item of value) open.push([item, outer]);
    if (!isObject(value)) continue;
    const id = keyword(value, '$id') ?? keyword(value, 'id');
    const base = typeof id === 'string' && !id.startsWith('#') ? withoutFragment(resolved(id, outer)) : outer;
    bases.set(value, base);
    if (base !== outer) places.set(base, value);
    for (const anchor of [keyword(value, '$anchor'), keyword(value, '$dynamicAnchor')])
      if (typeof anchor === 'string') places.set(`${base}#${anchor}`, value);
    if (typeof id === 'string' && id.startsWith('#')) places.set(base + id, value);
    for (const [name, inner] of Object.entries(value)) if (!VALUES.has(name)) open.push([inner, base]);
  }
  return { bases, places };
}

function resolved(reference: string, base: string): string {
  return URL.parse(reference, base)?.href ?? base;
}

function withoutFragment(address: string): string {
  return address.split('#', 1)[0] ?? address;
}

function child(value: unknown, name: string): unknown {
  return Array.isArray(value) ? value[Number(name)] : keyword(value, name);
}

function pointerStep(step: string): string {
  return decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
