import { isObject } from '../json.ts';
import type { Input } from '../schema.ts';
import { parseCall, splitList, unquote } from '../z/call-syntax.ts';
import { type EnumMember, enumMembersOf, type ZExpression } from '../z/z-expression.ts';

/** Entries of the shared lists by list name, filtered as the schema asks. */
export type ListEntries = Readonly<Record<string, readonly unknown[]>>;

/** The values of an enum, and the references without values: an unknown list, or a field that no entry has. */
export interface ResolvedMembers {
  values: string[];
  missing: { list: string; field: string }[];
}

/** Replaces list references by their values, as text without empty entries and duplicates. An object stands for its `alias` or first field. */
export function resolveMembers(members: readonly EnumMember[], lists: ListEntries): ResolvedMembers {
  const missing: ResolvedMembers['missing'] = [];
  const values = members.flatMap((member) => {
    if (typeof member === 'string') return member;
    const found = fieldValues(member, lists);
    if (found.length === 0) missing.push(member);
    return found;
  });
  return { values: [...new Set(values)], missing };
}

/** Replaces the list references of inputs. An enum with a reference without values stays: it then accepts any text. */
export function resolveInputs(inputs: readonly Input[], lists: ListEntries): Input[] {
  return inputs.map((input) => {
    const isPlain = enumMembersOf(input.z).every((member) => typeof member === 'string');
    return isPlain ? input : { ...input, z: resolveExpression(input.z, lists) };
  });
}

function resolveExpression(z: ZExpression, lists: ListEntries): ZExpression {
  const inner = (part: ZExpression): ZExpression => resolveExpression(part, lists);
  const { values, missing } = resolveMembers(z.members ?? [], lists);
  return {
    ...z,
    ...(z.members && missing.length === 0 && { members: values }),
    ...(z.items && { items: inner(z.items) }),
    ...(z.values && { values: inner(z.values) }),
    ...(z.variants && { variants: z.variants.map(inner) }),
    ...(z.properties && {
      properties: Object.fromEntries(Object.entries(z.properties).map(([name, part]) => [name, inner(part)])),
    }),
  };
}

function fieldValues({ list, field }: { list: string; field: string }, lists: ListEntries): string[] {
  const entries = Object.hasOwn(lists, list) ? (lists[list] ?? []) : [];
  return entries
    .map((entry) => fieldValue(entry, field))
    .filter((value) => value !== undefined && value !== null && typeof value !== 'object')
    .map(String);
}

function fieldValue(entry: unknown, field: string): unknown {
  if (!isObject(entry)) return field === '' ? entry : undefined;
  const key = field === '' && Object.hasOwn(entry, 'alias') ? 'alias' : field || Object.keys(entry)[0];
  return key !== undefined && Object.hasOwn(entry, key) ? entry[key] : undefined;
}

/**
 * Replaces list references in a template: `$listName` by the values of a whole list, `{{listName:field}}` by one field
 * of its entries. Other comma-separated words are literal values. For `enum(…)`, returns its members. References to
 * unknown lists stay unchanged.
 */
export function interpolateEnum(template: string, sharedLists: ListEntries): string[] {
  if (typeof template !== 'string') return [];
  const call = parseCall(template);
  const words = splitList(call?.name === 'enum' && call.args !== undefined ? call.args : template);
  return words.map(unquote).flatMap((word) => valuesOf(word.trim(), sharedLists ?? {}));
}

function valuesOf(word: string, lists: ListEntries): string[] {
  if (word === '') return [];
  const [, whole, list, field = ''] = /^(?:\$(\w+)|\{\{\s*(\w+)\s*:\s*(\w+)\s*\}\})$/.exec(word) ?? [];
  const name = whole ?? list;
  if (name !== undefined) return listValues(name, field, lists) ?? [word];
  // Within other text, the values are joined with commas and split again.
  const replaced = word.replace(/\{\{\s*(\w+)\s*:\s*(\w+)\s*\}\}/g, (reference, inner: string, key: string) => {
    return listValues(inner, key, lists)?.join(',') ?? reference;
  });
  return replaced === word ? [word] : replaced.split(',');
}

/** Undefined if the list is missing, or no entry has the field. */
function listValues(list: string, field: string, lists: ListEntries): string[] | undefined {
  const { values, missing } = resolveMembers([{ list, field }], lists);
  return missing.length > 0 ? undefined : values;
}
