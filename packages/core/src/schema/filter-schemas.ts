import { type CheckResult, checkResult } from './check-result.ts';
import { type Finding, findingMaker, hasNoErrors, type MakeFinding, type Report } from './finding.ts';
import { isObject } from './json.ts';
import { holdsMain, mainOf } from './main-of.ts';
import { suggestWord } from './nearest-word.ts';
import { hasOtherPrimitives, toolsKey } from './rules/tools.ts';

/** Rules about filters of schemas, by code: how severe a breach is, and what the rule asks for. */
export const filterCodes = {
  FLT001: ['error', '`arrayOfSchemas` is an array with at least one schema.'],
  FLT002: ['error', '`arrayOfSchemas` holds objects.'],
  FLT003: ['error', '`includeNamespaces`, `excludeNamespaces` and `activateTags` are arrays of text.'],
  FLT004: ['error', 'An activate tag is `<tag>`, `<namespace>.<tool>` or `<namespace>.!<tool>`.'],
  FLT005: ['error', 'A tag in `activateTags` is a tag of a schema.'],
  FLT006: ['error', 'A namespace in `activateTags` is that of a schema.'],
  FLT007: ['error', 'A tool in `activateTags` is one of its namespace.'],
  FLT008: ['warning', 'A schema that is filtered was loaded.'],
  FLT009: ['warning', 'A namespace that is included or excluded is that of a schema.'],
  FLT010: ['warning', 'Something passes the filter.'],
} as const;

export type FilterCode = keyof typeof filterCodes;

/** Makes a finding of a rule about filters. */
export const filterFinding: MakeFinding<FilterCode> = findingMaker(filterCodes);

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
  tools: Record<string, unknown>;
  namespace: string;
  tags: readonly string[];
}

/**
 * Filters schemas by namespace, tag and tool. Case does not matter. Nothing that is passed is changed:
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
  const isIncluding = includeNamespaces.length > 0;
  const named = new Set((isIncluding ? includeNamespaces : excludeNamespaces).map((name) => name.toLowerCase()));
  const filtered = entries.flatMap((entry) => {
    if (named.has(entry.namespace) !== isIncluding) return [];
    const names = namesToKeep(entry, wanted);
    return names === undefined ? [] : [keepTools(entry, names, options.onReduced)];
  });
  if (filtered.length === 0) {
    const hint = 'A schema has to pass both the namespaces and the tags.';
    report(filterFinding('FLT010', '', 'no schema passes the filter', hint));
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
  const tools = main[toolsKey(main)];
  const words = Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
  return {
    source,
    main,
    tools: isObject(tools) ? tools : {},
    namespace: typeof namespace === 'string' ? namespace.toLowerCase() : '',
    tags: words.map((tag) => tag.toLowerCase()),
  };
}

function vocabularyOf(entries: readonly Entry<unknown>[]): FilterVocabulary {
  const tools = new Map<string, Set<string>>();
  for (const entry of entries) {
    const names = Object.keys(entry.tools).map((name) => name.toLowerCase());
    tools.set(entry.namespace, new Set([...(tools.get(entry.namespace) ?? []), ...names]));
  }
  return { tags: new Set(entries.flatMap(({ tags }) => tags)), tools };
}

function reportUnknownNamespaces(
  lists: Readonly<Record<string, readonly string[]>>,
  { tools }: FilterVocabulary,
  report: Report,
): void {
  for (const [name, list] of Object.entries(lists)) {
    for (const [index, namespace] of list.entries()) {
      if (tools.has(namespace.toLowerCase())) continue;
      const message = `Namespace '${namespace}' not found in schemas`;
      report(filterFinding('FLT009', `${name}[${index}]`, message, suggestWord(namespace, tools.keys())));
    }
  }
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

function keepTools<T>(
  { source, main, tools }: Entry<T>,
  names: readonly string[],
  onReduced: FilterSchemasOptions<T>['onReduced'],
): T {
  const dropped = new Set(Object.keys(tools).filter((name) => !names.includes(name)));
  if (dropped.size === 0) return source;
  const reduced = { ...main, [toolsKey(main)]: without(tools, dropped) };
  onReduced?.(reduced, main);
  if (!isObject(source)) return reduced as T;
  const { handlerMap, handlers } = source as { handlerMap?: unknown; handlers?: unknown };
  return {
    ...(holdsMain(source) ? { ...source, main: reduced } : reduced),
    ...(isObject(handlerMap) && { handlerMap: without(handlerMap, dropped) }),
    ...(typeof handlers === 'function' && { handlers: withoutTools(handlers as Factory, dropped) }),
  } as T;
}

type Factory = (injected: unknown) => unknown;

/** A handlers factory for fewer tools. */
function withoutTools(factory: Factory, dropped: ReadonlySet<string>): Factory {
  return (injected) => {
    const made = factory(injected);
    return isObject(made) ? without(made, dropped) : made;
  };
}

function without(values: Record<string, unknown>, keys: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !keys.has(key)));
}

/** Which tools of a namespace pass, in lower case. If any is included, no other passes; an excluded one never does. */
interface ToolChoice {
  included: Set<string>;
  excluded: Set<string>;
}

/** What `activateTags` asks for, in lower case: tags, and choices of tools by namespace. */
interface ActivateTags {
  tags: ReadonlySet<string>;
  choices: ReadonlyMap<string, ToolChoice>;
}

/** The tags of the schemas, and the names of their tools by namespace, in lower case. */
interface FilterVocabulary {
  tags: ReadonlySet<string>;
  tools: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Reads `activateTags`: `<tag>`, `<namespace>.<tool>` and `<namespace>.!<tool>`, case-insensitive.
 * What the schemas do not have is reported once, however often it is asked for.
 */
function readActivateTags(entries: readonly string[], known: FilterVocabulary, report: Report): ActivateTags {
  const tags = new Set<string>();
  const choices = new Map<string, ToolChoice>();
  const said = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const finding = addEntry(entry, `activateTags[${index}]`, { known, tags, choices });
    if (finding === undefined || said.has(finding.message)) continue;
    said.add(finding.message);
    report(finding);
  }
  return { tags, choices };
}

/** Adds one entry to what is asked for, or says why it cannot be. */
function addEntry(
  entry: string,
  path: string,
  { known, tags, choices }: { known: FilterVocabulary; tags: Set<string>; choices: Map<string, ToolChoice> },
): Finding | undefined {
  const [namespace = '', route, ...rest] = entry.split('.');
  const owner = namespace.toLowerCase();
  if (route === undefined) {
    if (!known.tags.has(owner)) return unknownTag(entry, path, known);
    tags.add(owner);
    return undefined;
  }
  const excludes = route.startsWith('!');
  const tool = (excludes ? route.slice(1) : route).toLowerCase();
  if (namespace === '' || tool === '' || rest.length > 0) {
    const hint = 'Write a tag, <namespace>.<tool>, or <namespace>.!<tool> to leave one out.';
    return filterFinding('FLT004', path, `Invalid activateTags syntax: '${entry}'`, hint);
  }
  const names = known.tools.get(owner);
  if (names === undefined) {
    const message = `Namespace '${namespace}' not found in schemas`;
    return filterFinding('FLT006', path, message, suggestWord(namespace, known.tools.keys()));
  }
  if (!names.has(tool)) {
    const message = `Route '${tool}' not found in namespace '${namespace}'`;
    return filterFinding('FLT007', path, message, suggestWord(tool, names));
  }
  const choice = choices.get(owner) ?? { included: new Set(), excluded: new Set() };
  choices.set(owner, choice);
  choice[excludes ? 'excluded' : 'included'].add(tool);
  return undefined;
}

function unknownTag(tag: string, path: string, { tags, tools }: FilterVocabulary): Finding {
  const hint = tools.has(tag.toLowerCase())
    ? `It is a namespace: pass includeNamespaces: [${JSON.stringify(tag)}].`
    : suggestWord(tag, tags);
  return filterFinding('FLT005', path, `Tag '${tag}' not found in any schema`, hint);
}
