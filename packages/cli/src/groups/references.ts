import type { Finding } from '@schemakit/core';
import type { IndexedSchema, IndexedTool } from '../index/indexed-tool.ts';
import { withIndex } from '../index/open-index.ts';
import type { FoundTools, ToolIndex } from '../index/tool-index.ts';
import type { Settings } from '../settings/read-settings.ts';
import { settingsFinding } from '../settings/settings-codes.ts';
import { referenceOf, type SchemaRoot, schemaRoots } from './schema-roots.ts';

/** What a reference in a group names. */
export interface GroupReference {
  /** `<source>/<file>.mjs`. */
  file: string;
  /** Absent where all of the file is meant. */
  part?: { type: string; name: string };
}

/**
 * Reads a reference as groups keep them: `<source>/<file>.mjs`, alone or with `::<type>::<name>` or `::<name>` after it. Undefined
 * for any other text, which leads nowhere in a group.
 */
export function readGroupReference(text: string): GroupReference | undefined {
  const [, file, rest] = /^(.*?\.mjs)(?:::(.+))?$/s.exec(text.trim()) ?? [];
  if (file === undefined) return undefined;
  if (rest === undefined) return { file };
  const [, type = 'tool', name = rest] = /^(\w*)::(.+)$/s.exec(rest) ?? [];
  return { file, part: { type, name } };
}

export interface ResolvedReferences {
  /** As groups keep them: `<source>/<file>.mjs`, alone or with `::tool::<name>` and the like. In the order of the texts. */
  references: string[];
  /** An error for each text that leads nowhere. */
  findings: Finding[];
}

/** Finds what texts mean, in every form of a reference (specification 2.11) and by the names of tools. */
export function resolveReferences(texts: readonly string[], settings: Settings): Promise<ResolvedReferences> {
  return withIndex(settings, (index) => resolveInIndex(texts, { index, settings }));
}

/** The same, in an index that is open. */
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

/** How groups keep a tool. */
export function groupReference({ file, type, part }: Pick<IndexedTool, 'file' | 'type' | 'part'>): string {
  return `${file}::${type}::${part}`;
}

async function resolveReference(
  text: string,
  { index, roots }: { index: ToolIndex; roots: readonly SchemaRoot[] },
): Promise<ResolvedReferences> {
  const found = await index.find(text);
  if (found.outcome === 'match') {
    const isFile = text.endsWith('.mjs');
    return { references: found.tools.map((tool) => (isFile ? tool.file : groupReference(tool))), findings: [] };
  }
  return explainReference(text, { index, roots, found });
}

/** A path to a file is as good as its reference, where it is in a folder of schemas. */
function asReference(text: string, roots: readonly SchemaRoot[]): string {
  const [, path, rest = ''] = /^((?:\.{1,2}[/\\]|[/\\]|[A-Za-z]:[/\\]).*?\.mjs)(::.*)?$/s.exec(text) ?? [];
  const found = path === undefined ? undefined : referenceOf(roots, path);
  return found === undefined ? text : `${found.reference}${rest}`;
}

/** What is wrong with a reference that names no tool. A file that has nothing but skills and prompts is faultless. */
async function explainReference(
  text: string,
  { index, roots, found }: { index: ToolIndex; roots: readonly SchemaRoot[]; found: FoundTools },
): Promise<ResolvedReferences> {
  const { nearestWord, parseReference } = await import('@schemakit/core');
  const { reference, findings } = parseReference(text);
  if (reference === null) return { references: [], findings };
  if (reference.form !== 'file' || found.outcome === 'ambiguous') {
    return { references: [], findings: found.findings.map(namingSearch) };
  }
  const { source, file, part } = reference;
  const place = `${source}/${file}`;
  const entry = index.file(place);
  if (entry === undefined) {
    const meant = nearestWord(
      place,
      index.schemas().map(({ file: known }) => known),
    );
    return refused(noFile(place, { meant, roots }));
  }
  if (!entry.schema.status) return refused(doesNotLoad(entry.schema));
  if (part === undefined) return { references: [place], findings: [] };
  const known = [...new Set(entry.tools.filter(({ type }) => type === part.type).map((tool) => tool.part))];
  return refused(noPart(text, { type: part.type, known, meant: nearestWord(part.name, known) }));
}

/** The library does not know the command with which tools are searched for. */
function namingSearch(finding: Finding): Finding {
  const isVague = finding.code === 'REF006' && finding.hint?.startsWith('Did you mean') !== true;
  return isVague ? { ...finding, hint: 'Search for it: schemakit search <words>' } : finding;
}

function refused(finding: Finding): ResolvedReferences {
  return { references: [], findings: [finding] };
}

function noFile(
  reference: string,
  { meant, roots }: { meant: string | undefined; roots: readonly SchemaRoot[] },
): Finding {
  const sources = roots.map(({ source }) => source);
  const hint =
    sources.length === 0
      ? 'There are no schemas yet. Run: schemakit init'
      : `Sources are: ${sources.join(', ')}. A project has its own schemas in the folder schemas.`;
  return settingsFinding('SET009', `there is no schema ${reference}`, {
    hint: meant === undefined ? hint : `Did you mean ${meant}?`,
  });
}

function doesNotLoad({ file, path, findings: [first] }: IndexedSchema): Finding {
  const reason = first === undefined ? '' : `: ${first.message}`;
  return settingsFinding('SET009', `${file} does not load${reason}`, { hint: `Run: schemakit validate ${path}` });
}

function noPart(
  text: string,
  { type, known, meant }: { type: string; known: readonly string[]; meant: string | undefined },
): Finding {
  const all = known.length === 0 ? `It has no ${type}.` : `It has: ${known.join(', ')}.`;
  return settingsFinding('SET009', `${text} names no ${type} of that schema`, {
    hint: meant === undefined ? all : `Did you mean ${meant}?`,
  });
}
