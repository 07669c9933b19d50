import { field, isPlainObject, type PlainObject, texts } from '../findings/plain-object.ts';

/** Chains of references and nested choices end here. */
const MAX_STEPS = 20;

/** A schema with its reference followed, its parts joined and its first possible choice made; `true` and what is no schema allow everything. */
export function effectiveSchema(given: unknown, root: PlainObject): PlainObject {
  let schema: PlainObject = isPlainObject(given) ? given : {};
  for (let step = 0; step < MAX_STEPS; step++) {
    const { $ref, allOf, anyOf, oneOf, ...rest } = schema;
    const part = typeof $ref === 'string' ? pointed($ref, root) : (partOf(allOf) ?? choiceOf(anyOf) ?? choiceOf(oneOf));
    if (part === undefined) return rest;
    const others =
      typeof $ref === 'string'
        ? { allOf, anyOf, oneOf }
        : Array.isArray(allOf) && allOf.length > 0
          ? { allOf: allOf.slice(1), anyOf, oneOf }
          : {};
    schema = joined(isPlainObject(part) ? part : {}, { ...rest, ...defined(others) });
  }
  return {};
}

function partOf(allOf: unknown): unknown {
  return Array.isArray(allOf) ? allOf[0] : undefined;
}

/** `null` is what nobody means by a choice. */
function choiceOf(branches: unknown): unknown {
  return Array.isArray(branches)
    ? (branches.find((branch) => field(branch, 'type') !== 'null') ?? branches[0])
    : undefined;
}

/** Both have to hold: properties and names that are required add up, and of the rest the outer schema's word counts. */
function joined(inner: PlainObject, outer: PlainObject): PlainObject {
  const properties = { ...asObject(field(inner, 'properties')), ...asObject(field(outer, 'properties')) };
  const required = [...texts(field(inner, 'required')), ...texts(field(outer, 'required'))];
  const allOf = [field(inner, 'allOf'), field(outer, 'allOf')].filter(Array.isArray).flat();
  return {
    ...inner,
    ...outer,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...(allOf.length > 0 && { allOf }),
  };
}

function asObject(value: unknown): PlainObject {
  return isPlainObject(value) ? value : {};
}

function defined(fields: PlainObject): PlainObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** What a local reference points to: `#`, `#/$defs/name` (RFC 6901). References to elsewhere are never fetched. */
function pointed(reference: string, root: PlainObject): unknown {
  if (!reference.startsWith('#')) return {};
  const steps = reference.slice(1).split('/').slice(1);
  const target = steps.reduce<unknown>((value, step) => child(value, decoded(step)), root);
  return target ?? {};
}

function child(value: unknown, name: string): unknown {
  return Array.isArray(value) ? value[Number(name)] : field(value, name);
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}
