import type { Finding } from '@schemakit/core';
import type { IndexedSchema, IndexedTool } from '../index/indexed-tool.ts';
import type { FoundTools, ToolIndex } from '../index/tool-index.ts';
import { didYouMean } from '../output/nearest-word.ts';
import { shownPath } from '../output/print-findings.ts';
import type { Settings } from '../settings/read-settings.ts';
import { settingsFinding } from '../settings/settings-codes.ts';
import { referenceOf, type SchemaRoot, schemaRoots } from './schema-roots.ts';

export interface GroupReference {
  /** `<source>/<file>.mjs`. */
  file: string;
  /** Absent for the whole file. */
  part?: { type: string; name: string };
}

/** Parses a reference of a group: `<source>/<file>.mjs`, optionally followed by `::<type>::<name>` or `::<name>`. Undefined for other text. */
export function readGroupReference(text: string): GroupReference | undefined {
  const [, file, rest] = /^(.*?\.mjs)(?:::(.+))?$/s.exec(text.trim()) ?? [];
  if (file === undefined) return undefined;
  if (rest === undefined) return { file };
  const [, type = 'tool', name = rest] = /^(\w*)::(.+)$/s.exec(rest) ?? [];
  return { file, part: { type, name } };
}

/** `<file>::<name>` and `<file>::tool::<name>` are the same reference. */
export function normalReference(text: string): string {
  const { file, part } = readGroupReference(text) ?? { file: text.trim() };
  return part === undefined ? file : `${file}::${part.type}::${part.name}`;
}

/** The reference of a tool, or of the whole resource that a query belongs to. */
export function resourceReference({ file, type, part }: Pick<IndexedTool, 'file' | 'type' | 'part'>): string {
  return `${file}::${type}::${part}`;
}

/** A reference and those that include it: the resource of a query, the whole file. */
export function includingReferences(text: string, index: ToolIndex): string[] {
  const reference = normalReference(text);
  const [file = ''] = reference.split('::', 1);
  const tool = index.file(file)?.tools.find((candidate) => candidate.reference === reference);
  return [reference, ...(tool === undefined ? [] : [resourceReference(tool)]), file];
}

export interface ResolvedReferences {
  /** As in groups: `<source>/<file>.mjs`, optionally with `::tool::<name>` and the like. In the order of the input. */
  references: string[];
  findings: Finding[];
}

/** Resolves names of tools and references in every form; see docs/command.md, "References". */
export async function resolveInIndex(
  texts: readonly string[],
  { index, settings }: { index: ToolIndex; settings: Settings },
): Promise<ResolvedReferences> {
  const roots = schemaRoots(settings);
  const resolved: ResolvedReferences[] = [];
  for (const text of texts) resolved.push(await resolveReference(asReference(text.trim(), roots), { index, roots }));
  const references = new Set(resolved.flatMap((part) => part.references));
  return { references: [...references], findings: resolved.flatMap(({ findings }) => findings) };
}

/** Finds what a text names, in any form, also as the path of a file in a folder of schemas. Every command uses this. */
export function resolveInSources(
  text: string,
  { index, settings }: { index: ToolIndex; settings: Settings },
): Promise<FoundTools> {
  return index.find(asReference(text.trim(), schemaRoots(settings)));
}

async function resolveReference(
  text: string,
  { index, roots }: { index: ToolIndex; roots: readonly SchemaRoot[] },
): Promise<ResolvedReferences> {
  const found = await index.find(text);
  if (found.outcome === 'match') {
    return { references: found.tools.map((tool) => referenceTo(tool, text)), findings: [] };
  }
  return explainReference(text, { index, roots, found });
}

/** Refers to what the text names: a file, a resource with all its queries, or one tool. */
function referenceTo(tool: IndexedTool, text: string): string {
  if (text.endsWith('.mjs')) return tool.file;
  const isPart = text.endsWith(`::${tool.part}`) || text.endsWith(`/${tool.part}`);
  return isPart ? resourceReference(tool) : tool.reference;
}

/** Turns a path to a file in a folder of schemas into its reference. */
function asReference(text: string, roots: readonly SchemaRoot[]): string {
  const [, path, rest = ''] = /^((?:\.{1,2}[/\\]|[/\\]|[A-Za-z]:[/\\]).*?\.mjs)(::.*)?$/s.exec(text) ?? [];
  const found = path === undefined ? undefined : referenceOf(roots, path);
  return found === undefined ? text : `${found.reference}${rest}`;
}

/** Explains why a reference names no tool. A file with only skills and prompts is valid. */
async function explainReference(
  text: string,
  { index, roots, found }: { index: ToolIndex; roots: readonly SchemaRoot[]; found: FoundTools },
): Promise<ResolvedReferences> {
  const { parseReference } = await import('@schemakit/core');
  const { reference, findings } = parseReference(text);
  if (reference === null) return { references: [], findings };
  const named = index.schemas().filter(({ namespace }) => namespace === text);
  const [only] = named;
  if (only !== undefined && found.outcome !== 'ambiguous') {
    if (named.length === 1) return resolveReference(only.file, { index, roots });
    const files = named.map(({ file }) => file).join(', ');
    return refused(
      settingsFinding('SET009', `${text} has ${named.length} schemas`, { hint: `Write one of ${files}.` }),
    );
  }
  if (reference.form !== 'file' || found.outcome === 'ambiguous') {
    return { references: [], findings: found.findings.map(namingSearch) };
  }
  const { source, file, part } = reference;
  const place = `${source}/${file}`;
  const entry = index.file(place);
  if (entry === undefined) {
    const known = index.schemas().map(({ file: other }) => other);
    return refused(unknownFile(place, { known, roots }));
  }
  if (!entry.schema.status) return refused(doesNotLoad(entry.schema));
  if (part === undefined) return { references: [place], findings: [] };
  const known = [...new Set(entry.tools.filter(({ type }) => type === part.type).map((tool) => tool.part))];
  const all = known.length === 0 ? `It has no ${part.type}.` : `It has: ${known.join(', ')}.`;
  const message = `the schema has no such ${part.type}: ${text}`;
  return refused(settingsFinding('SET009', message, { hint: didYouMean(part.name, known, all) }));
}

/** Adds the command to search with, which the library does not know. */
function namingSearch(finding: Finding): Finding {
  const isVague = finding.code === 'REF006' && finding.hint?.startsWith('Did you mean') !== true;
  return isVague ? { ...finding, hint: 'Search for it: schemakit search <words>' } : finding;
}

function refused(finding: Finding): ResolvedReferences {
  return { references: [], findings: [finding] };
}

function unknownFile(
  reference: string,
  { known, roots }: { known: readonly string[]; roots: readonly SchemaRoot[] },
): Finding {
  const sources = roots.map(({ source }) => source);
  const hint =
    sources.length === 0
      ? 'There are no schemas yet. Run: schemakit init'
      : `Sources: ${sources.join(', ')}. A project's own schemas are in its folder schemas.`;
  return settingsFinding('SET009', `no schema ${reference}`, { hint: didYouMean(reference, known, hint) });
}

function doesNotLoad({ file, path, findings: [first] }: IndexedSchema): Finding {
  const reason = first === undefined ? '' : `: ${first.message}`;
  return settingsFinding('SET009', `${file} does not load${reason}`, {
    hint: `Run: schemakit validate ${shownPath(path)}`,
  });
}
