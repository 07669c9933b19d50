import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';

const KEYWORDS = ['$ref', '$recursiveRef', '$dynamicRef'];
const HOME = 'https://schema.invalid/';
/** These hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);

/** More nodes than this are not looked through for names. */
const MAX_NODES = 100_000;

/** What has a name in a schema. */
interface Names {
  /** The address that a schema's references are relative to. */
  bases: ReadonlyMap<object, string>;
  /** Schemas by address, and by address and anchor. */
  places: ReadonlyMap<string, PlainObject>;
}

/** Where the references of a schema lead. References to other documents are never fetched. */
export interface References {
  root: PlainObject;
  /** Found when the first reference is followed. */
  names?: Names;
}

/** Finds what has a name (`$id`, `$anchor`, `$dynamicAnchor`). */
function namesIn(root: PlainObject): Names {
  const bases = new Map<object, string>();
  const places = new Map<string, PlainObject>([[HOME, root]]);
  const open: [schema: unknown, base: string][] = [[root, HOME]];
  for (let next = open.pop(); next !== undefined && bases.size < MAX_NODES; next = open.pop()) {
    const [value, outer] = next;
    if (Array.isArray(value)) for (const item of value) open.push([item, outer]);
    if (!isPlainObject(value)) continue;
    const id = field(value, '$id') ?? field(value, 'id');
    const base = typeof id === 'string' && !id.startsWith('#') ? withoutFragment(resolved(id, outer)) : outer;
    bases.set(value, base);
    if (base !== outer) places.set(base, value);
    for (const name of [field(value, '$anchor'), field(value, '$dynamicAnchor')])
      if (typeof name === 'string') places.set(`${base}#${name}`, value);
    if (typeof id === 'string' && id.startsWith('#')) places.set(base + id, value);
    for (const [name, child] of Object.entries(value)) if (!VALUES.has(name)) open.push([child, base]);
  }
  return { bases, places };
}

/** The schemas that a schema refers to; what is not there allows nothing, what is elsewhere anything. */
export function referred(schema: PlainObject, references: References): unknown[] {
  return KEYWORDS.flatMap((keyword) => {
    const reference = field(schema, keyword);
    return typeof reference === 'string' ? [target(reference, schema, references)] : [];
  });
}

function target(reference: string, schema: PlainObject, references: References): unknown {
  references.names ??= namesIn(references.root);
  const { bases, places } = references.names;
  const [address = '', fragment = ''] = resolved(reference, bases.get(schema) ?? HOME).split('#', 2);
  // A dynamic anchor of the whole schema is what the outermost scope has; others are rare enough to be taken as plain anchors.
  if (field(references.root, '$dynamicAnchor') === fragment) return references.root;
  const resource = places.get(address);
  if (resource === undefined) return true;
  if (fragment === '') return resource;
  if (!fragment.startsWith('/')) return places.get(`${address}#${decoded(fragment)}`) ?? false;
  return (
    fragment
      .split('/')
      .slice(1)
      .reduce<unknown>((value, step) => child(value, pointerStep(step)), resource) ?? false
  );
}

function resolved(reference: string, base: string): string {
  try {
    return new URL(reference, base).href;
  } catch {
    return base;
  }
}

function withoutFragment(address: string): string {
  return address.split('#', 1)[0] ?? address;
}

function child(value: unknown, name: string): unknown {
  return Array.isArray(value) ? value[Number(name)] : field(value, name);
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
