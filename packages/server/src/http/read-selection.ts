import { nearestWord } from '@schemakit/core';
import type { Offer } from '../catalog/offer.ts';
import type { Groups, Selection } from '../catalog/select-offer.ts';

const parameters = { group: 'groups', namespace: 'namespaces', tag: 'tags', tools: 'tools', tool: 'tools' } as const;

/**
 * The part of the offer that a URL asks for: `?group=work&tools=a,b`. What there is not is an error: a list that lacks tools, or has
 * more than was meant, would say nothing of the reason.
 */
export function readSelection(
  query: URLSearchParams,
  groups: Groups,
  offer: Offer,
): { ok: true; selection: Selection } | { ok: false; message: string } {
  // Most URLs ask for nothing.
  if (query.size === 0) return { ok: true, selection: {} };
  const misspelt = misspeltParameter(query);
  if (misspelt !== undefined) return { ok: false, message: misspelt };
  const selection: { -readonly [Key in keyof Selection]: string[] } = {};
  for (const [name, key] of Object.entries(parameters)) {
    if (!query.has(name)) continue;
    const texts = query.getAll(name).flatMap((value) => value.split(','));
    const values = texts.map((text) => text.trim()).filter((text) => text !== '');
    if (values.length === 0) return { ok: false, message: `${name} is empty. Name what is wanted, or leave it out.` };
    selection[key] = [...(selection[key] ?? []), ...values];
  }
  const message = unknownGroup(selection, groups) ?? unknownPart(selection, offer);
  return message === undefined ? { ok: true, selection } : { ok: false, message };
}

/** A URL may have parameters that are for others, but one that nearly is ours would leave out nothing, without a word. */
function misspeltParameter(query: URLSearchParams): string | undefined {
  const known = Object.keys(parameters);
  for (const name of query.keys()) {
    const meant = known.includes(name) ? undefined : nearestWord(name, known);
    if (meant !== undefined) return `There is no parameter ${name}. Did you mean ${meant}?`;
  }
  return undefined;
}

function unknownGroup({ groups: named }: Selection, groups: Groups): string | undefined {
  const unknown = named?.find((name) => !groups.has(name));
  if (unknown === undefined) return undefined;
  const known = groups.size === 0 ? 'This server has no groups.' : `Groups are: ${[...groups.keys()].join(', ')}.`;
  return `There is no group ${unknown}. ${known}`;
}

function unknownPart({ namespaces, tags, tools }: Selection, offer: Offer): string | undefined {
  const { all } = offer.tools;
  const tool = tools?.find((name) => !all.some(({ listing, toolName }) => name === listing.name || name === toolName));
  if (tool !== undefined) return `There is no tool ${tool}. Names are as tools/list gives them.`;
  const namespace = namespaces?.find((name) => !all.some((candidate) => candidate.namespace === name));
  if (namespace !== undefined) return `There is no namespace ${namespace}.`;
  const tag = tags?.find((name) => !all.some((one) => one.tags.some((known) => isSameTag(known, name))));
  return tag === undefined ? undefined : `There is no tag ${tag}.`;
}

function isSameTag(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
