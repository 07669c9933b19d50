import { type CheckResult, checkResult, type Finding, hasNoErrors, makeFinding, type Report } from './finding.ts';
import { type Fields, isObject } from './json.ts';
import { holdsMain, mainOf } from './main-of.ts';
import { suggestWord } from './nearest-word.ts';
import { hasOtherPrimitives, toolsKey } from './rules/tools.ts';

/** Rules about filters, by code: how severe a breach is, and what the rule asks for. */
export const filterCodes = {
  FLT001: ['error', '`arrayOfSchemas` is an array with at least one schema.'],
  FLT002: ['error', '`arrayOfSchemas` contains only objects.'],
  FLT003: ['error', '`includeNamespaces`, `excludeNamespaces` and `activateTags` are arrays of text.'],
  FLT004: ['error', 'An activate tag is `<tag>`, `<namespace>.<tool>` or `<namespace>.!<tool>`.'],
  FLT005: ['error', 'Each tag in `activateTags` exists in a schema.'],
  FLT006: ['error', 'Each namespace in `activateTags` exists in a schema.'],
  FLT007: ['error', 'Each tool in `activateTags` exists in its namespace.'],
  FLT008: ['warning', 'Each schema to filter has loaded.'],
  FLT009: ['warning', 'Each included or excluded namespace exists in a schema.'],
  FLT010: ['warning', 'At least one schema matches the filter.'],
} as const;

export function filterFinding(code: keyof typeof filterCodes, path: string, message: string, hint?: string): Finding {
  return makeFinding(filterCodes, code, path, message, hint);
}

export interface FilterSchemasOptions<T> {
  /** `main` objects of format 3, 2 or 1, or results of `loadSchema`. */
  arrayOfSchemas: readonly T[];
  /** Keeps only these, and ignores `excludeNamespaces`. Default none. */
  includeNamespaces?: readonly string[];
  /** Removes these. Default none. */
  excludeNamespaces?: readonly string[];
  /**
   * Keeps schemas with one of the tags, and of the named namespaces the named tools: `<tag>`, `<namespace>.<tool>`,
   * `<namespace>.!<tool>`. Default: keeps everything.
   */
  activateTags?: readonly string[];
  /** Called for each copy of a `main` without its filtered tools. */
  onReduced?: (reduced: Fields, original: Fields) => void;
}

export interface FilteredSchemas<T> extends CheckResult {
  /** The remaining schemas in order; empty if `status` is false. */
  filteredArrayOfSchemas: T[];
}

/** A schema to filter. Words are in lower case. */
interface Entry<T> {
  source: T;
  main: Fields;
  tools: Fields;
  namespace: string;
  tags: readonly string[];
}

/**
 * Filters schemas by namespace, tag and tool, ignoring case. The arguments are not changed: a schema that loses tools
 * is copied. Schemas without remaining tools are removed. An unknown tag, namespace or tool in `activateTags` is an
 * error, so that a misspelt filter does not match everything.
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
  const entries = arrayOfSchemas.flatMap((source, index) => parseEntry(source, index, report) ?? []);
  const vocabulary = vocabularyOf(entries);
  const activated = parseActivateTags(activateTags, vocabulary, report);
  reportUnknownNamespaces({ includeNamespaces, excludeNamespaces }, vocabulary, report);
  if (!hasNoErrors(findings)) return { ...checkResult(findings), filteredArrayOfSchemas: [] };
  const isIncluding = includeNamespaces.length > 0;
  const named = new Set((isIncluding ? includeNamespaces : excludeNamespaces).map((name) => name.toLowerCase()));
  const filtered = entries.flatMap((entry) => {
    if (named.has(entry.namespace) !== isIncluding) return [];
    const names = namesToKeep(entry, activated);
    return names === undefined ? [] : [keepTools(entry, names, options.onReduced)];
  });
  if (filtered.length === 0) {
    const hint = 'A schema must match both the namespaces and the tags.';
    report(filterFinding('FLT010', '', 'no schema matches the filter', hint));
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

function parseEntry<T>(source: T, index: number, report: Report): Entry<T> | undefined {
  const main = mainOf(source);
  if (!isObject(main)) {
    const path = `arrayOfSchemas[${index}]`;
    report(filterFinding('FLT008', path, `${path} failed to load and is skipped`, 'See its own findings.'));
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

/** The matching tools of a schema; undefined if the schema does not match. */
function namesToKeep({ namespace, tags, tools, main }: Entry<unknown>, activated: ActivateTags): string[] | undefined {
  const names = Object.keys(tools);
  const choice = activated.choices.get(namespace);
  const isUnfiltered = activated.tags.size === 0 && activated.choices.size === 0;
  if (!isUnfiltered && choice === undefined && !tags.some((tag) => activated.tags.has(tag))) return undefined;
  const kept = names.filter((name) => {
    const word = name.toLowerCase();
    if (choice?.excluded.has(word)) return false;
    return choice === undefined || choice.included.size === 0 || choice.included.has(word);
  });
  // Schemas with only resources, prompts or skills match unless a tool is included by name.
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

function without(values: Fields, keys: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !keys.has(key)));
}

/** The included and excluded tools of a namespace, in lower case. Without included tools, all but the excluded ones match. */
interface ToolChoice {
  included: Set<string>;
  excluded: Set<string>;
}

/** Parsed `activateTags`, in lower case: tags, and tools by namespace. */
interface ActivateTags {
  tags: ReadonlySet<string>;
  choices: ReadonlyMap<string, ToolChoice>;
}

/** The tags of the schemas, and the names of their tools by namespace, in lower case. */
interface FilterVocabulary {
  tags: ReadonlySet<string>;
  tools: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Parses `activateTags`: `<tag>`, `<namespace>.<tool>`, `<namespace>.!<tool>`, ignoring case. Reports each unknown entry once. */
function parseActivateTags(entries: readonly string[], known: FilterVocabulary, report: Report): ActivateTags {
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

/** Adds an entry, or returns why it is invalid. */
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
    const hint = 'Write a tag, <namespace>.<tool>, or <namespace>.!<tool> to exclude a tool.';
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
