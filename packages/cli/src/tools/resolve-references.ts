import type { Finding } from '@schemakit/core';
import type { Settings } from '../settings/read-settings.ts';
import type { IndexedTool, ToolIndex } from '../tool-index/index.ts';
import { withIndex } from './open-index.ts';
import { referenceOf, type SchemaRoot, schemaRoots } from './schema-roots.ts';

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
  const { explainReference } = await import('./explain-reference.ts');
  return explainReference(text, { index, roots, found });
}

/** A path to a file is as good as its reference, where it is in a folder of schemas. */
function asReference(text: string, roots: readonly SchemaRoot[]): string {
  const [, path, rest = ''] = /^((?:\.{1,2}[/\\]|[/\\]|[A-Za-z]:[/\\]).*?\.mjs)(::.*)?$/s.exec(text) ?? [];
  const found = path === undefined ? undefined : referenceOf(roots, path);
  return found === undefined ? text : `${found.reference}${rest}`;
}
