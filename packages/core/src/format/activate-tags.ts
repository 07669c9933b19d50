import { filterFinding } from './filter-codes.ts';
import type { Finding, Report } from './finding.ts';
import { nearestWord } from './nearest-word.ts';

/** Which tools of a namespace pass. Names in lower case. */
export interface ToolChoice {
  /** If there are any, no others pass. */
  included: ReadonlySet<string>;
  /** Never pass, even where they are included. */
  excluded: ReadonlySet<string>;
}

/** What `activateTags` asks for. Everything in lower case. */
export interface ActivateTags {
  tags: ReadonlySet<string>;
  /** By namespace. */
  choices: ReadonlyMap<string, ToolChoice>;
}

/** What schemas have to offer: their tags, and the names of their tools by namespace. Everything in lower case. */
export interface FilterVocabulary {
  tags: ReadonlySet<string>;
  tools: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Reads `activateTags` (specification 4.4): `<tag>`, `<namespace>.<tool>` and `<namespace>.!<tool>`, case-insensitive.
 * What the schemas do not have is reported once, however often it is asked for.
 */
export function readActivateTags(entries: readonly string[], known: FilterVocabulary, report: Report): ActivateTags {
  const tags = new Set<string>();
  const choices = new Map<string, { included: Set<string>; excluded: Set<string> }>();
  const said = new Set<string>();
  const reportOnce = (finding: Finding) => {
    if (!said.has(finding.message)) report(finding);
    said.add(finding.message);
  };
  for (const [index, entry] of entries.entries()) {
    const path = `activateTags[${index}]`;
    if (!entry.includes('.')) {
      if (known.tags.has(entry.toLowerCase())) tags.add(entry.toLowerCase());
      else reportOnce(unknownTag(entry, path, known));
      continue;
    }
    const filter = readToolFilter(entry, path, known, reportOnce);
    if (filter === undefined) continue;
    const choice = choices.get(filter.namespace) ?? { included: new Set(), excluded: new Set() };
    choices.set(filter.namespace, choice);
    (filter.excludes ? choice.excluded : choice.included).add(filter.tool);
  }
  return { tags, choices };
}

function readToolFilter(
  entry: string,
  path: string,
  { tools }: FilterVocabulary,
  report: Report,
): { namespace: string; tool: string; excludes: boolean } | undefined {
  const [namespace = '', route = '', ...rest] = entry.split('.');
  const excludes = route.startsWith('!');
  const tool = (excludes ? route.slice(1) : route).toLowerCase();
  if (namespace === '' || tool === '' || rest.length > 0) {
    const hint = 'Write a tag, <namespace>.<tool>, or <namespace>.!<tool> to leave one out.';
    report(filterFinding('FLT004', path, `Invalid activateTags syntax: '${entry}'`, hint));
    return undefined;
  }
  const known = tools.get(namespace.toLowerCase());
  if (known === undefined) {
    const message = `Namespace '${namespace}' not found in schemas`;
    report(filterFinding('FLT006', path, message, suggestion(namespace, tools.keys())));
    return undefined;
  }
  if (!known.has(tool)) {
    const message = `Route '${tool}' not found in namespace '${namespace}'`;
    report(filterFinding('FLT007', path, message, suggestion(tool, known)));
    return undefined;
  }
  return { namespace: namespace.toLowerCase(), tool, excludes };
}

function unknownTag(tag: string, path: string, { tags, tools }: FilterVocabulary): Finding {
  const hint = tools.has(tag.toLowerCase())
    ? `It is a namespace: pass includeNamespaces: [${JSON.stringify(tag)}].`
    : suggestion(tag, tags);
  return filterFinding('FLT005', path, `Tag '${tag}' not found in any schema`, hint);
}

function suggestion(word: string, known: Iterable<string>): string | undefined {
  const nearest = nearestWord(word, known);
  return nearest === undefined ? undefined : `Did you mean ${nearest}?`;
}
