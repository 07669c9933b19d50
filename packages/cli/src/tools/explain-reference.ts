import { type Finding, nearestWord, parseReference } from '@schemakit/core';
import { settingsFinding } from '../settings/settings-codes.ts';
import type { FoundTools, IndexedSchema, ToolIndex } from '../tool-index/index.ts';
import type { ResolvedReferences } from './resolve-references.ts';
import type { SchemaRoot } from './schema-roots.ts';

/** What is wrong with a reference that names no tool. A file that has nothing but skills and prompts is faultless. */
export async function explainReference(
  text: string,
  { index, roots, found }: { index: ToolIndex; roots: readonly SchemaRoot[]; found: FoundTools },
): Promise<ResolvedReferences> {
  const { reference, findings } = parseReference(text);
  if (reference === null) return { references: [], findings };
  if (reference.form !== 'file' || found.outcome === 'ambiguous') {
    return { references: [], findings: found.findings.map(namingSearch) };
  }
  const { source, file, part } = reference;
  const place = `${source}/${file}`;
  const entry = await index.file(place);
  if (entry === undefined) return refused(await noFile(place, { index, roots }));
  if (!entry.schema.status) return refused(doesNotLoad(entry.schema));
  if (part === undefined) return { references: [place], findings: [] };
  const known = new Set(entry.tools.filter(({ type }) => type === part.type).map((tool) => tool.part));
  return refused(noPart(text, { ...part, known: [...known] }));
}

/** The library does not know the command with which tools are searched for. */
function namingSearch(finding: Finding): Finding {
  const isVague = finding.code === 'REF006' && finding.hint?.startsWith('Did you mean') !== true;
  return isVague ? { ...finding, hint: 'Search for it: schemakit search <words>' } : finding;
}

function refused(finding: Finding): ResolvedReferences {
  return { references: [], findings: [finding] };
}

async function noFile(
  reference: string,
  { index, roots }: { index: ToolIndex; roots: readonly SchemaRoot[] },
): Promise<Finding> {
  const known = (await index.schemas()).map(({ file }) => file);
  const meant = nearestWord(reference, known);
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
  { type, name, known }: { type: string; name: string; known: readonly string[] },
): Finding {
  const meant = nearestWord(name, known);
  const all = known.length === 0 ? `It has no ${type}.` : `It has: ${known.join(', ')}.`;
  return settingsFinding('SET009', `${text} names no ${type} of that schema`, {
    hint: meant === undefined ? all : `Did you mean ${meant}?`,
  });
}
