import {
  createToolResolver,
  type Finding,
  type ParsedReference,
  parseReference,
  type ToolResolution,
} from '@schemakit/core';
import { isBuiltin } from '../groups/schema-roots.ts';
import { type IndexedEntry, isCallable } from './indexed-entry.ts';

type Resolved = ToolResolution<IndexedEntry>;

/** Resolves a reference in the index, by the rules of the library. */
export function resolveReference(text: string, entries: readonly IndexedEntry[]): Resolved {
  const part = partOf(parseReference(text).reference);
  return part === undefined ? resolveTool(text, entries) : resolvePart(text, part, entries);
}

/** A reference to a skill, prompt or resource. */
interface Part {
  type: string;
  name: string;
  isIn(entry: IndexedEntry): boolean;
}

function partOf(reference: ParsedReference['reference']): Part | undefined {
  if (reference?.form === 'file') {
    const { part, source, file } = reference;
    return part && isPart(part.type)
      ? { ...part, isIn: ({ file: known }) => endsWith(known.place, `${source}/${file}`) }
      : undefined;
  }
  if (reference?.form !== 'id' || reference.type === undefined || !isPart(reference.type)) return undefined;
  const { namespace, type, name, file } = reference;
  return {
    ...{ type, name },
    isIn: (found) =>
      (found.namespace === namespace || found.file.place.split('/').at(-2) === namespace) &&
      (file === undefined || endsWith(found.file.place, `${file}.mjs`)),
  };
}

function isPart(type: string): boolean {
  return type === 'resource' || type === 'skill' || type === 'prompt';
}

function endsWith(place: string, path: string): boolean {
  return place === path || place.endsWith(`/${path}`);
}

/** The name of a database means all its queries. */
function resolvePart(text: string, { type, name, isIn }: Part, entries: readonly IndexedEntry[]): Resolved {
  const isNamed = (entry: IndexedEntry) => [entry.part, entry.toolName, ...olderNames(entry)].includes(name);
  const all = entries.filter((entry) => entry.type === type && isNamed(entry) && isIn(entry));
  const own = all.filter(({ file }) => !isBuiltin(file.path));
  const tools = own.length > 0 ? own : all;
  const count = new Set(tools.map(({ file }) => file)).size;
  if (count === 1) return match(tools);
  if (count > 0) return ambiguous(text, tools);
  const hint = 'Find names with: schemakit search <words>';
  return unresolved('none', { code: 'REF006', message: `there is no ${type} ${JSON.stringify(text)}`, hint }, tools);
}

function match(tools: IndexedEntry[]): Resolved {
  return { status: true, messages: [], findings: [], outcome: 'match', tools };
}

function ambiguous(text: string, tools: IndexedEntry[]): Resolved {
  const hint = `Write one of ${tools.map(({ reference }) => JSON.stringify(reference)).join(', ')}.`;
  const message = `${JSON.stringify(text)} can be any of ${tools.length}`;
  return unresolved('ambiguous', { code: 'REF007', message, hint }, tools);
}

function unresolved(
  outcome: 'none' | 'ambiguous',
  about: Pick<Finding, 'code' | 'message' | 'hint'>,
  tools: IndexedEntry[],
): Resolved {
  const finding: Finding = { severity: 'error', path: '', ...about };
  return { status: false, messages: [finding.message], findings: [finding], outcome, tools };
}

/** Queries and documents are called like tools, and have names like tools. Older names count where no tool has the name. */
function resolveTool(text: string, entries: readonly IndexedEntry[]): Resolved {
  const callable = entries.filter(isCallable);
  // The built-in catalog gives way to tools that the user chose.
  const own = callable.filter(({ file }) => !isBuiltin(file.path));
  const first = resolveNamed(text, own.map(named));
  if (first.outcome !== 'none') return first;
  const all = own.length < callable.length ? resolveNamed(text, callable.map(named)) : first;
  if (all.outcome !== 'none') return all;
  const older = callable.flatMap((entry) => olderNames(entry).map((toolName) => ({ entry, toolName })));
  // Older programs called a query `<query>_<namespace>`.
  const reversed = older.filter(({ entry, toolName }) => `${toolName}_${entry.namespace}` === text.trim());
  const [query] = reversed;
  if (query !== undefined && reversed.length === 1) return match([query.entry]);
  const found = resolveNamed(text, older);
  return found.outcome === 'none' ? all : found;
}

interface NamedEntry {
  entry: IndexedEntry;
  toolName: string;
}

function named(entry: IndexedEntry): NamedEntry {
  return { entry, toolName: entry.toolName };
}

/** Of a query: its aliases, and its name without the resource, as older programs wrote it. */
function olderNames({ type, toolName, part, aliases = [], namespace }: IndexedEntry): string[] {
  const bare = type === 'resource' && toolName.startsWith(`${part}_`) ? [toolName.slice(part.length + 1)] : [];
  return [...aliases.map((alias) => alias.slice(namespace.length + 2)), ...bare];
}

function resolveNamed(text: string, candidates: readonly NamedEntry[]): Resolved {
  // The library gives an ambiguous name to the first tool. Here, the order of sources means nothing.
  const name = text.trim();
  const same = candidates.filter(({ entry: { namespace }, toolName }) =>
    [`${namespace}_${toolName}`, `${namespace}__${toolName}`].includes(name),
  );
  if (same.length > 1) return ambiguous(text, [...new Set(same.map(({ entry }) => entry))]);
  const places = candidates.map(({ entry: { namespace, file }, toolName }, position) => {
    return { position, namespace, toolName, file: file.place };
  });
  const resolution = createToolResolver(places)(text);
  return { ...resolution, tools: resolution.tools.flatMap(({ position }) => candidates[position]?.entry ?? []) };
}
