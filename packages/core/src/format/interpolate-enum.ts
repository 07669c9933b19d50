import { parseCall, splitList, unquote } from './call-syntax.ts';
import { resolveMembers } from './enum-members.ts';

type Lists = Readonly<Record<string, readonly unknown[]>>;

/**
 * Replaces list references in a template by their values (specification 4.4): `$listName` stands for the values of a whole
 * list, `{{listName:field}}` for one field of its entries; other words, separated by commas, stand for themselves. Of an
 * `enum(…)` the members are given. A list that is not there is left as it is written.
 */
export function interpolateEnum(template: string, sharedLists: Lists): string[] {
  if (typeof template !== 'string') return [];
  const call = parseCall(template);
  const words = splitList(call?.name === 'enum' && call.args !== undefined ? call.args : template);
  return words.map(unquote).flatMap((word) => valuesOf(word.trim(), sharedLists ?? {}));
}

function valuesOf(word: string, lists: Lists): string[] {
  if (word === '') return [];
  const [, whole, list, field = ''] = /^(?:\$(\w+)|\{\{\s*(\w+)\s*:\s*(\w+)\s*\}\})$/.exec(word) ?? [];
  const name = whole ?? list;
  if (name !== undefined) return listValues(name, field, lists) ?? [word];
  // Within other text the values stand with commas between them, and the text is cut there.
  const replaced = word.replace(/\{\{\s*(\w+)\s*:\s*(\w+)\s*\}\}/g, (reference, inner: string, key: string) => {
    return listValues(inner, key, lists)?.join(',') ?? reference;
  });
  return replaced === word ? [word] : replaced.split(',');
}

/** Undefined where the list is not there, or no entry has the field. */
function listValues(list: string, field: string, lists: Lists): string[] | undefined {
  const { values, missing } = resolveMembers([{ list, field }], lists);
  return missing.length > 0 ? undefined : values;
}
