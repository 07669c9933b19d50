import { type ActivateTags, type FilterVocabulary, readActivateTags } from './activate-tags.ts';
import { type CheckResult, checkResult } from './check-result.ts';
import { filterFinding } from './filter-codes.ts';
import { type Finding, hasNoErrors, type Report } from './finding.ts';
import { isObject } from './json.ts';
import { isLoaded, mainOf } from './main-of.ts';
import { nearestWord } from './nearest-word.ts';

export interface FilterSchemasOptions<T> {
  /** `main` objects of format 3, 2 or 1, or what `loadSchema` returned. */
  arrayOfSchemas: readonly T[];
  /** Keeps only these. If there are any, `excludeNamespaces` is not looked at. Default none. */
  includeNamespaces?: readonly string[];
  /** Leaves these out. Default none. */
  excludeNamespaces?: readonly string[];
  /**
   * Keeps schemas that have one of the tags, and of the namespaces that are named the tools that are: `<tag>`,
   * `<namespace>.<tool>`, `<namespace>.!<tool>`. Default: everything is kept.
   */
  activateTags?: readonly string[];
  /** Told of each `main` that was made because tools were left out, so that what is known of the first can follow it. */
  onReduced?: (reduced: Record<string, unknown>, original: Record<string, unknown>) => void;
}

export interface FilteredSchemas<T> extends CheckResult {
  /** Of the same kind and in the same order as those given; empty where `status` is false. */
  filteredArrayOfSchemas: T[];
}

/** A schema that is filtered: what the caller passed, and what the filter looks at. Words in lower case. */
interface Entry<T> {
  source: T;
  main: Record<string, unknown>;
  /** Under which name the tools stand. */
  toolsKey: 'tools' | 'routes';
  tools: Record<string, unknown>;
  namespace: string;
  tags: readonly string[];
}

/**
 * Filters schemas by namespace, tag and tool (specification 4.4). Case does not matter. Nothing that is passed is changed:
 * a schema that loses tools is copied, others are given back as they are. A schema that has no tool left is dropped.
 * A tag, namespace or tool that no schema has is an error, so that a misspelt filter does not let everything pass.
 */
export function filterSchemas<T>(options: FilterSchemasOptions<T>): FilteredSchemas<T> {
  const { arrayOfSchemas, includeNamespaces = [], excludeNamespaces = [], activateTags = [] } = options ?? {};
  const findings: Finding[] = [];
  const report: Report = (finding) => void findings.push(finding);
  checkSchemas(arrayOfSchemas, report);
  for (const [name, list] of Object.entries({ includeNamespaces, excludeNamespaces, activateTags })) {
    checkList(name, list, report);
  }
  if (!hasNoErrors(findings)) return { ...checkResult(findings), filteredArrayOfSchemas: [] };
  const entries = arrayOfSchemas.flatMap((source, index) => readEntry(source, index, report) ?? []);
  const vocabulary = vocabularyOf(entries);
  const wanted = readActivateTags(activateTags, vocabulary, report);
  reportUnknownNamespaces({ includeNamespaces, excludeNamespaces }, vocabulary, report);
  if (!hasNoErrors(findings)) return { ...checkResult(findings), filteredArrayOfSchemas: [] };
  const passing = namespaceTest(includeNamespaces, excludeNamespaces);
  const filtered = entries.flatMap((entry) => {
    if (!passing(entry.namespace)) return [];
    const names = namesToKeep(entry, wanted);
    return names === undefined ? [] : [keepTools(entry, names, options.onReduced)];
  });
  if (filtered.length === 0) {
    report(
      filterFinding(
        'FLT010',
        '',
        'no schema passes the filter',
        'A schema has to pass both the namespaces and the tags.',
      ),
    );
  }
  return { ...checkResult(findings), filteredArrayOfSchemas: filtered };
}

function checkSchemas(value: unknown, report: Report): void {
  if (!Array.isArray(value) || value.length === 0) {
    report(filterFinding('FLT001', 'arrayOfSchemas', 'Missing or invalid arrayOfSchemas'));
  } else if (![...value].every(isObject)) {
    report(filterFinding('FLT002', 'arrayOfSchemas', 'arrayOfSchemas must be an array of objects'));
  }
}

function checkList(name: string, value: unknown, report: Report): void {
  if (!Array.isArray(value)) {
    report(filterFinding('FLT003', name, `${name}: Must be an array`));
    return;
  }
  for (const [index, item] of value.entries()) {
    if (typeof item === 'string' && item.trim() !== '') continue;
    report(filterFinding('FLT003', `${name}[${index}]`, `${name}[${index}]: Must be a non-empty string`));
  }
}

function readEntry<T>(source: T, index: number, report: Report): Entry<T> | undefined {
  const main = mainOf(source);
  if (!isObject(main)) {
    const path = `arrayOfSchemas[${index}]`;
    report(filterFinding('FLT008', path, `${path} did not load and is left out`, 'Its own findings say why.'));
    return undefined;
  }
  const { namespace, tags } = main;
  const toolsKey = main.tools === undefined && main.routes !== undefined ? 'routes' : 'tools';
  const tools = main[toolsKey];
  const words = Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
  return {
    source,
    main,
    toolsKey,
    tools: isObject(tools) ? tools : {},
    namespace: typeof namespace === 'string' ? namespace.toLowerCase() : '',
    tags: words.map((tag) => tag.toLowerCase()),
  };
}

function vocabularyOf(entries: readonly Entry<unknown>[]): FilterVocabulary {
  const tags = new Set(entries.flatMap((entry) => entry.tags));
  const tools = new Map<string, Set<string>>();
  for (const entry of entries) {
    const names = tools.get(entry.namespace) ?? new Set();
    tools.set(entry.namespace, names);
    for (const name of Object.keys(entry.tools)) names.add(name.toLowerCase());
  }
  return { tags, tools };
}

function reportUnknownNamespaces(
  lists: Readonly<Record<string, readonly string[]>>,
  { tools }: FilterVocabulary,
  report: Report,
): void {
  for (const [name, list] of Object.entries(lists)) {
    for (const [index, namespace] of list.entries()) {
      if (tools.has(namespace.toLowerCase())) continue;
      const meant = nearestWord(namespace, tools.keys());
      const hint = meant === undefined ? undefined : `Did you mean ${meant}?`;
      report(filterFinding('FLT009', `${name}[${index}]`, `Namespace '${namespace}' not found in schemas`, hint));
    }
  }
}

function namespaceTest(include: readonly string[], exclude: readonly string[]): (namespace: string) => boolean {
  const named = new Set((include.length > 0 ? include : exclude).map((namespace) => namespace.toLowerCase()));
  return (namespace) => named.has(namespace) === include.length > 0;
}

/** The tools of a schema that pass; undefined where the schema does not. */
function namesToKeep({ namespace, tags, tools, main }: Entry<unknown>, wanted: ActivateTags): string[] | undefined {
  const names = Object.keys(tools);
  const choice = wanted.choices.get(namespace);
  const asksForNothing = wanted.tags.size === 0 && wanted.choices.size === 0;
  if (!asksForNothing && choice === undefined && !tags.some((tag) => wanted.tags.has(tag))) return undefined;
  const kept = names.filter((name) => {
    const word = name.toLowerCase();
    if (choice?.excluded.has(word)) return false;
    return choice === undefined || choice.included.size === 0 || choice.included.has(word);
  });
  // Schemas of resources, prompts or skills have no tool to lose; only a choice of tools leaves them out.
  const neverHadTools = names.length === 0 && (choice?.included.size ?? 0) === 0 && hasOtherPrimitives(main);
  return kept.length > 0 || neverHadTools ? kept : undefined;
}

function hasOtherPrimitives(main: Record<string, unknown>): boolean {
  return ['resources', 'prompts', 'skills'].some((key) => Object.keys(Object(main[key])).length > 0);
}

function keepTools<T>(
  { source, main, toolsKey, tools }: Entry<T>,
  names: readonly string[],
  onReduced: FilterSchemasOptions<T>['onReduced'],
): T {
  const dropped = new Set(Object.keys(tools).filter((name) => !names.includes(name)));
  if (dropped.size === 0) return source;
  const reduced = { ...main, [toolsKey]: without(tools, dropped) };
  onReduced?.(reduced, main);
  if (!isLoaded(source)) return reduced as T;
  const { handlerMap } = source;
  return { ...source, main: reduced, ...(isObject(handlerMap) && { handlerMap: without(handlerMap, dropped) }) };
}

function without(values: Record<string, unknown>, keys: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !keys.has(key)));
}
