import { field, isPlainObject, type PlainObject, texts } from '../findings/plain-object.ts';
import { type Check, isMatch } from './check.ts';
import type { CheckPart, Spoken } from './check-value.ts';
import { numberAt } from './number-at.ts';
import { spend } from './work.ts';

interface Inside {
  spoken: Spoken;
  part: CheckPart;
  check: Check;
}

/** Checks what a schema says of an object's properties. */
export function checkObject(
  schema: PlainObject,
  value: PlainObject,
  { spoken, part, check }: Inside,
): Spoken | undefined {
  const names = Object.keys(value);
  if (names.length < numberAt(schema, 'minProperties', 0)) return undefined;
  if (names.length > numberAt(schema, 'maxProperties', Infinity)) return undefined;
  if (!requiredNames(schema, names, check).every((name) => Object.hasOwn(value, name))) return undefined;
  for (const name of names) {
    const propertyNames = field(schema, 'propertyNames');
    if (propertyNames !== undefined && part(propertyNames, name) === undefined) return undefined;
    const schemas = propertySchemas(schema, name, check);
    if (!schemas.every((inner) => part(inner, value[name]) !== undefined)) return undefined;
    if (schemas.length > 0) spoken.names.add(name);
  }
  const unevaluated = field(schema, 'unevaluatedProperties');
  if (unevaluated === undefined) return spoken;
  const rest = names.filter((name) => !spoken.names.has(name));
  if (!rest.every((name) => part(unevaluated, value[name]) !== undefined)) return undefined;
  for (const name of rest) spoken.names.add(name);
  return spoken;
}

/** What one schema says of the property of a name. */
export function propertySchemas(schema: PlainObject, name: string, check: Check): unknown[] {
  const declared = field(field(schema, 'properties'), name);
  const byPattern = field(schema, 'patternProperties');
  const schemas: unknown[] = declared === undefined ? [] : [declared];
  for (const [pattern, inner] of isPlainObject(byPattern) ? Object.entries(byPattern) : [])
    if (spend(check.work) && isMatch(name, pattern, check)) schemas.push(inner);
  const others = field(schema, 'additionalProperties');
  return schemas.length === 0 && others !== undefined ? [others] : schemas;
}

/** The names that an object must have, if it has some. */
export function requiredNames(schema: PlainObject, present: readonly string[], { work }: Check): string[] {
  const required = texts(field(schema, 'required'));
  spend(work, required.length / 20);
  const dependent = ['dependentRequired', 'dependencies'].flatMap((keyword) => {
    const byName = field(schema, keyword);
    return byName === undefined ? [] : present.flatMap((name) => texts(field(byName, name)));
  });
  return [...required, ...dependent];
}
