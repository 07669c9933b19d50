import { field, isDeeperThan, isPlainObject, type PlainObject } from '../../findings/plain-object.ts';

/** Keywords that providers of models refuse at the top of an input schema. */
const REFUSED_AT_TOP = ['anyOf', 'oneOf', 'allOf', 'not', 'enum'];
const PROPERTY = /^[\w.-]{1,64}$/;
/** Levels of objects in a schema take two levels of JSON. */
const MAX_DEPTH = 20;
/** Their values are no schemas. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);

/** What providers of models refuse in an input schema, as parts of a sentence. */
export function refusedInSchema(schema: PlainObject): string[] {
  const { type, properties } = { type: field(schema, 'type'), properties: field(schema, 'properties') };
  const combined = REFUSED_AT_TOP.filter((keyword) => Object.hasOwn(schema, keyword));
  const names = isPlainObject(properties) ? Object.keys(properties).filter((name) => !PROPERTY.test(name)) : [];
  const dangling = danglingRefs(schema);
  return [
    ...(type === 'object' ? [] : ['no `type: "object"` at the top']),
    ...combined.map((keyword) => `\`${keyword}\` at the top`),
    ...names.slice(0, 3).map((name) => `the parameter name \`${name}\``),
    ...dangling.slice(0, 3).map((ref) => `\`$ref\` to nothing: \`${ref}\``),
  ];
}

/** Whether a schema is nested deeper than some providers accept. */
export function isDeepSchema(schema: PlainObject): boolean {
  return isDeeperThan(schema, MAX_DEPTH);
}

/** The parameters without a description. */
export function undescribedParameters(schema: PlainObject): string[] {
  const properties = field(schema, 'properties');
  if (!isPlainObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, parameter]) => {
    const ref = field(parameter, '$ref');
    const target = typeof ref === 'string' ? pointed(schema, ref) : undefined;
    const isDescribed = [parameter, target].some((part) => hasText(field(part, 'description')));
    return isDescribed ? [] : [name];
  });
}

export function hasText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function danglingRefs(root: PlainObject): string[] {
  const refs = new Set<string>();
  const anchors = new Set<unknown>();
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) walk(item);
    if (!isPlainObject(value)) return;
    for (const [key, part] of Object.entries(value)) {
      if (key === '$ref' && typeof part === 'string') refs.add(part);
      else if (key === '$anchor' || key === '$dynamicAnchor') anchors.add(`#${String(part)}`);
      else if (!VALUES.has(key)) walk(part);
    }
  };
  walk(root);
  return [...refs].filter((ref) => !anchors.has(ref) && pointed(root, ref) === undefined);
}

/** What a JSON Pointer in the same schema points to. */
function pointed(root: PlainObject, ref: string): unknown {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  const keys = ref
    .slice(2)
    .split('/')
    .map((key) => decoded(key).replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.reduce<unknown>((value, key) => (Array.isArray(value) ? value[Number(key)] : field(value, key)), root);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
