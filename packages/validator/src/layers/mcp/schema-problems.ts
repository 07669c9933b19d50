import { createReferences } from '@schemakit/core/internal';
import { field, isDeeperThan, isPlainObject, type PlainObject, present } from '../../findings/plain-object.ts';

/** Keywords that providers of models refuse at the top of an input schema. */
const REFUSED_AT_TOP = ['anyOf', 'oneOf', 'allOf', 'not', 'enum'];
const PROPERTY = /^[\w.-]{1,64}$/;
/** Levels of objects in a schema take two levels of JSON. */
const MAX_DEPTH = 20;
/** Their values are no schemas. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);

/** What providers of models refuse in an input schema, as parts of a sentence. */
export function refusedInSchema(schema: PlainObject): string[] {
  const names = Object.keys(propertiesOf(schema)).filter((name) => !PROPERTY.test(name));
  return [
    ...present([field(schema, 'type') !== 'object' && 'no `type: "object"` at the top']),
    ...REFUSED_AT_TOP.filter((keyword) => Object.hasOwn(schema, keyword)).map((keyword) => `\`${keyword}\` at the top`),
    ...names.slice(0, 3).map((name) => `the parameter name \`${name}\``),
    ...danglingRefs(schema).map((ref) => `\`$ref\` to nothing: \`${ref}\``),
  ];
}

/** Whether a schema is nested deeper than some providers accept. */
export function isDeepSchema(schema: PlainObject): boolean {
  return isDeeperThan(schema, MAX_DEPTH);
}

/** The parameters without a description, neither their own nor that of the schema that they refer to. */
export function undescribedParameters(schema: PlainObject): string[] {
  const references = createReferences(schema);
  return Object.entries(propertiesOf(schema)).flatMap(([name, parameter]) => {
    const parts = isPlainObject(parameter) ? [parameter, ...references.referred(parameter)] : [];
    return parts.some((part) => hasText(field(part, 'description'))) ? [] : [name];
  });
}

export function hasText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function propertiesOf(schema: PlainObject): PlainObject {
  const properties = field(schema, 'properties');
  return isPlainObject(properties) ? properties : {};
}

const MAX_DANGLING = 3;

/** References to what the schema does not have; providers fetch no other documents. */
function danglingRefs(root: PlainObject): string[] {
  const references = createReferences(root);
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (found.size === MAX_DANGLING) return;
    if (Array.isArray(value)) value.forEach(walk);
    if (!isPlainObject(value)) return;
    const ref = field(value, '$ref');
    if (typeof ref === 'string' && isDangling(ref, references.referred(value))) found.add(ref);
    for (const [key, part] of Object.entries(value)) if (!VALUES.has(key)) walk(part);
  };
  walk(root);
  return [...found];
}

function isDangling(ref: string, [target]: readonly unknown[]): boolean {
  return target === false || (target === true && !ref.startsWith('#'));
}
