import type { ParsedHandlers } from '../../module/parse-handlers.ts';
import { childPath, type Finding } from '../../schema/finding.ts';
import { ruleFinding } from '../../schema/finding-codes.ts';
import { resolveInputs, resolveMembers } from '../../schema/input/enum-members.ts';
import { isObject } from '../../schema/json.ts';
import { nearestWord } from '../../schema/nearest-word.ts';
import type { Input, Resource, Schema, SharedListReference, SharedLists } from '../../schema/schema.ts';
import { enumMembersOf } from '../../schema/z/z-expression.ts';

type Add = (finding: Finding) => void;

/** Resolves shared lists in the enums of tools and queries. */
export function withListValues(schema: Schema, lists: SharedLists, add: Add): Schema {
  if (!allInputs(schema).some(takesListValues)) return schema;
  const resolved = <Owner extends { inputs: readonly Input[] }>(owner: Owner, name: string, path: string): Owner => {
    reportMissing(owner.inputs, { schema, lists, name, path, add });
    return { ...owner, inputs: resolveInputs(owner.inputs, lists) };
  };
  return {
    ...schema,
    tools: mapValues(schema.tools, (tool, name) => resolved(tool, name, childPath(schema.toolsPath, name))),
    resources: mapValues(schema.resources, (resource): Resource => {
      if (resource.kind !== 'sqlite') return resource;
      const path = `${childPath('main.resources', resource.name)}.queries`;
      const queries = mapValues(resource.queries, (query, name) => resolved(query, name, childPath(path, name)));
      return { ...resource, queries };
    }),
  };
}

function allInputs({ tools, resources }: Schema): Input[] {
  const queries = [...resources.values()].flatMap((resource) => [...resource.queries.values()]);
  return [...tools.values(), ...queries].flatMap(({ inputs }: { inputs: readonly Input[] }) => inputs);
}

/** Whether an input is an enum that takes values of a shared list. */
export function takesListValues({ z }: Input): boolean {
  return enumMembersOf(z).some((member) => typeof member === 'object');
}

function mapValues<Value, Result>(
  map: ReadonlyMap<string, Value>,
  change: (value: Value, key: string) => Result,
): Map<string, Result> {
  return new Map([...map].map(([key, value]) => [key, change(value, key)]));
}

interface Place {
  schema: Schema;
  lists: SharedLists;
  /** Name of the tool or the query. */
  name: string;
  path: string;
  add: Add;
}

function reportMissing(inputs: readonly Input[], place: Place): void {
  for (const input of inputs) {
    if (!takesListValues(input)) continue;
    const { name, z } = input;
    for (const missing of resolveMembers(enumMembersOf(z), place.lists).missing) {
      reportMissingValues({ ...missing, place: `enum of ${name} in ${place.name}` }, place);
    }
  }
}

function reportMissingValues(
  { list, field, place }: { list: string; field: string; place: string },
  { schema, lists, path, add }: Place,
): void {
  const declared = schema.sharedLists.some(({ ref }) => ref === list);
  const entries = Object.hasOwn(lists, list) ? lists[list] : undefined;
  // A missing list was already reported.
  if (declared && entries === undefined) return;
  if (declared && entries?.length === 0) {
    const index = schema.sharedLists.findLastIndex(({ ref, filter }) => ref === list && filter !== undefined);
    if (index !== -1) {
      const message = `shared list '${list}' has no values for ${field}: its filter matches no entry (${place})`;
      const hint = `See the filter in main.sharedLists[${index}].`;
      add(ruleFinding('VAL049', `${path}.parameters`, message, hint));
      return;
    }
  }
  const known = entries ? Object.keys(Object(entries[0])) : schema.sharedLists.map(({ ref }) => ref);
  const problem = entries
    ? `shared list '${list}' has no values for ${field}`
    : `shared list '${list}' is not declared`;
  const hint = entries ? fieldHint(field, { known, entries }) : listHint(list, known);
  add(ruleFinding(entries ? 'VAL049' : 'VAL048', `${path}.parameters`, `${problem} (${place})`, hint));
}

function listHint(list: string, known: readonly string[]): string {
  const meant = nearestWord(list, known);
  return meant === undefined ? 'Declare it in main.sharedLists.' : `Did you mean ${meant}?`;
}

function fieldHint(
  field: string,
  { known, entries }: { known: readonly string[]; entries: readonly unknown[] },
): string {
  const values = entries.flatMap((entry) => (isObject(entry) && Object.hasOwn(entry, field) ? [entry[field]] : []));
  if (values.length > 0) {
    const isNested = values.some((value) => typeof value === 'object' && value !== null);
    return isNested
      ? `Its values are lists or objects; an enum takes a field with text, numbers, or true and false.`
      : 'All of its values are null.';
  }
  const meant = nearestWord(field, known);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  return known.length > 0 ? `Its fields are: ${known.join(', ')}.` : 'Its entries have no fields.';
}

/** Reports shared lists that no enum uses and no handler names, unless handlers use `sharedLists` as a whole. */
export function unusedLists(
  schema: Schema,
  { handlers, found }: { handlers: ParsedHandlers | undefined; found: SharedLists },
): Finding[] {
  if (schema.sharedLists.length === 0) return [];
  const named = listsInEnums(schema);
  const isLeft = ({ ref }: SharedListReference) => !named.has(ref) && Object.hasOwn(found, ref);
  if (!schema.sharedLists.some(isLeft)) return [];
  const code = handlers?.source() ?? '';
  if (usesAllLists(code)) return [];
  return schema.sharedLists.flatMap((reference, index) => {
    const { ref } = reference;
    if (!isLeft(reference) || code.includes(ref)) return [];
    const path = `main.sharedLists[${index}]`;
    const hint = `Name a field of it in an enum, enum({{${ref}:field}}), use it in a handler, or leave the reference out.`;
    return [ruleFinding('VAL075', path, `shared list '${ref}' is not used (${path})`, hint)];
  });
}

/** Names of the lists that enums use. */
export function listsInEnums(schema: Schema): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { z } of allInputs(schema)) {
    for (const member of enumMembersOf(z)) if (typeof member === 'object') names.add(member.list);
  }
  return names;
}

/** Many factories destructure `{ sharedLists, libraries }` by habit; that alone is not a use. */
function usesAllLists(code: string): boolean {
  const uses = code.split('sharedLists').length - 1;
  return uses > 1 || (uses === 1 && !/[{,]\s*sharedLists\s*[,}]/.test(code));
}
