import { resolveMembers } from './enum-members.ts';

/**
 * Replaces list references in a template by their values (specification 4.4): `$listName` stands for the values of a whole
 * list, `{{listName:field}}` for one field of its entries; other words, separated by commas, stand for themselves.
 * A list that is not there is left as it is written.
 */
export function interpolateEnum(template: string, sharedLists: Readonly<Record<string, readonly unknown[]>>): string[] {
  if (typeof template !== 'string') return [];
  const members = template
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  return members.flatMap((word) => {
    const whole = /^\$(\w+)$/.exec(word)?.[1];
    const [, list, field = ''] = /^\{\{(\w+):(\w+)\}\}$/.exec(word) ?? [];
    const name = whole ?? list;
    if (name === undefined) return [word];
    const { values, missing } = resolveMembers([{ list: name, field }], sharedLists ?? {});
    return missing.length > 0 ? [word] : values;
  });
}
