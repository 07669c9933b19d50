import type { Groups, Selection } from '../offer/select-offer.ts';

const parameters = { group: 'groups', namespace: 'namespaces', tag: 'tags', tools: 'tools', tool: 'tools' } as const;

/** The part of the offer that a URL asks for: `?group=work&tools=a,b`. A group that there is not is an error. */
export function readSelection(
  query: URLSearchParams,
  groups: Groups,
): { ok: true; selection: Selection } | { ok: false; message: string } {
  const selection: { -readonly [Key in keyof Selection]: string[] } = {};
  for (const [name, key] of Object.entries(parameters)) {
    const values = query.getAll(name).flatMap((value) => value.split(',').filter((part) => part !== ''));
    if (values.length > 0) selection[key] = [...(selection[key] ?? []), ...values];
  }
  const unknown = selection.groups?.find((name) => !groups.has(name));
  if (unknown === undefined) return { ok: true, selection };
  const known = groups.size === 0 ? 'This server has no groups.' : `Groups are: ${[...groups.keys()].join(', ')}.`;
  return { ok: false, message: `There is no group ${unknown}. ${known}` };
}
