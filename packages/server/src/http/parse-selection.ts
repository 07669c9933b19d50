import { nearestWord } from '@schemakit/core/internal';
import { type Groups, isSameTag, type ToolSelection } from '../catalog/select-catalog.ts';
import type { ToolCatalog } from '../catalog/tool-catalog.ts';

const parameters = { group: 'groups', namespace: 'namespaces', tag: 'tags', tools: 'tools', tool: 'tools' } as const;

/** The selection in a URL: `?group=work&tools=a,b`. Unknown names are errors: the list would not show why it differs. */
export function parseSelection(
  query: URLSearchParams,
  groups: Groups,
  catalog: ToolCatalog,
): { ok: true; selection: ToolSelection } | { ok: false; message: string } {
  if (query.size === 0) return { ok: true, selection: {} };
  const misspelt = misspeltParameter(query);
  if (misspelt !== undefined) return { ok: false, message: misspelt };
  const selection: { -readonly [Key in keyof ToolSelection]: string[] } = {};
  for (const [name, key] of Object.entries(parameters)) {
    if (!query.has(name)) continue;
    const texts = query.getAll(name).flatMap((value) => value.split(','));
    const values = texts.map((text) => text.trim()).filter((text) => text !== '');
    if (values.length === 0) return { ok: false, message: `${name} is empty. Give it a value, or omit it.` };
    selection[key] = [...(selection[key] ?? []), ...values];
  }
  const message = unknownGroup(selection, groups) ?? unknownName(selection, catalog);
  return message === undefined ? { ok: true, selection } : { ok: false, message };
}

/** Unknown parameters may belong to a proxy or a client, but a misspelt one would be ignored silently. */
function misspeltParameter(query: URLSearchParams): string | undefined {
  const known = Object.keys(parameters);
  for (const name of query.keys()) {
    const meant = known.includes(name) ? undefined : nearestWord(name, known);
    if (meant !== undefined) return `There is no parameter ${name}. Did you mean ${meant}?`;
  }
  return undefined;
}

function unknownGroup({ groups: named }: ToolSelection, groups: Groups): string | undefined {
  const unknown = named?.find((name) => !groups.has(name));
  if (unknown === undefined) return undefined;
  const known = groups.size === 0 ? 'This server has no groups.' : `Groups are: ${[...groups.keys()].join(', ')}.`;
  return `There is no group ${unknown}. ${known}`;
}

function unknownName({ namespaces, tags, tools }: ToolSelection, catalog: ToolCatalog): string | undefined {
  const { all } = catalog.tools;
  const tool = tools?.find((name) => !all.some(({ listing, toolName }) => name === listing.name || name === toolName));
  if (tool !== undefined) return `There is no tool ${tool}. Use the names in tools/list.`;
  const namespace = namespaces?.find((name) => !all.some((candidate) => candidate.namespace === name));
  if (namespace !== undefined) return `There is no namespace ${namespace}.`;
  const tag = tags?.find((name) => !all.some((one) => one.tags.some((known) => isSameTag(known, name))));
  return tag === undefined ? undefined : `There is no tag ${tag}.`;
}
