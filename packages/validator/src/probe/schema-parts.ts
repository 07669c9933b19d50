import { field, isPlainObject, type PlainObject, texts } from '../findings/plain-object.ts';
import type { Check } from '../json-schema/check.ts';
import { referred } from '../json-schema/references.ts';
import { spend } from '../json-schema/work.ts';

/** More parts than this no schema has that somebody wrote. */
const MAX_PARTS = 100;
const MAX_CHOICES = 30;

/** Schemas of which all have to hold for a value. */
export type Parts = readonly PlainObject[];

/** One of several ways to be valid: schemas that then hold. */
type Way = readonly unknown[];

/**
 * The ways in which a value can be valid by a schema: each a list of schemas that have to hold together, with references followed and one branch taken of
 * each choice. What such a list leaves out (`not`, that only one branch of `oneOf` holds) is for the check.
 */
export function* waysToBeValid(schema: unknown, check: Check): Generator<Parts> {
  yield* waysOf([schema], [], [], check);
}

function* waysOf(open: Way, known: Parts, choices: readonly (readonly Way[])[], check: Check): Generator<Parts> {
  const parts = [...known];
  const left = [...choices];
  const queue = [...open];
  for (let next = queue.shift(); next !== undefined; next = queue.shift() ?? dependent(parts)) {
    if (next === false || parts.length > MAX_PARTS || !spend(check.work, 1 + parts.length)) return;
    if (!isPlainObject(next) || parts.includes(next)) continue;
    parts.push(next);
    queue.push(...referred(next, check.references), ...list(next, 'allOf'));
    left.push(...choicesOf(next));
  }
  const [choice, ...others] = left;
  if (choice === undefined) yield parts;
  else for (const way of choice) yield* waysOf(way, parts, others, check);
}

function choicesOf(schema: PlainObject): (readonly Way[])[] {
  const branches = ['anyOf', 'oneOf'].map((keyword) => list(schema, keyword)).filter(({ length }) => length > 0);
  const choices: (readonly Way[])[] = branches.map((of) =>
    nullLast(of)
      .slice(0, MAX_CHOICES)
      .map((branch) => [branch]),
  );
  if (!Object.hasOwn(schema, 'if')) return choices;
  return [
    ...choices,
    [
      [schema.if, field(schema, 'then') ?? true],
      [{ not: schema.if }, field(schema, 'else') ?? true],
    ],
  ];
}

/** `null` is what nobody means by a choice. */
function nullLast(branches: readonly unknown[]): unknown[] {
  const isNull = (branch: unknown): boolean => field(branch, 'type') === 'null';
  return [...branches.filter((branch) => !isNull(branch)), ...branches.filter(isNull)];
}

/** A schema that holds because of a name that is required, and is not yet among the parts. */
function dependent(parts: Parts): unknown {
  const names = new Set(parts.flatMap((part) => texts(field(part, 'required')).slice(0, MAX_PARTS)));
  return parts
    .flatMap((part) => [field(part, 'dependentSchemas'), field(part, 'dependencies')])
    .flatMap((byName) => [...names].map((name) => field(byName, name)))
    .find((schema) => (schema === false || isPlainObject(schema)) && !parts.includes(schema as PlainObject));
}

function list(schema: PlainObject, keyword: string): unknown[] {
  const value = field(schema, keyword);
  return Array.isArray(value) ? value.slice(0, MAX_PARTS + 1) : [];
}
