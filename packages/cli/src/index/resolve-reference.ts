import {
  createToolResolver,
  type Finding,
  type ParsedReference,
  parseReference,
  type ToolResolution,
} from '@schemakit/core';
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
  const tools = entries.filter(
    (entry) => entry.type === type && (entry.part === name || entry.toolName === name) && isIn(entry),
  );
  const count = new Set(tools.map(({ file }) => file)).size;
  if (count === 1) return { status: true, messages: [], findings: [], outcome: 'match', tools };
  if (count > 0) return ambiguous(text, tools);
  const finding = nothing(text, type);
  return { status: false, messages: [finding.message], findings: [finding], outcome: 'none', tools };
}

function ambiguous(text: string, tools: IndexedEntry[]): Resolved {
  const finding = several(text, tools);
  return { status: false, messages: [finding.message], findings: [finding], outcome: 'ambiguous', tools };
}

/** Queries and documents are called like tools, and have names like tools. */
function resolveTool(text: string, entries: readonly IndexedEntry[]): Resolved {
  const callable = entries.filter(isCallable);
  // The library gives an ambiguous name to the first tool. Here, the order of sources means nothing.
  const name = text.trim();
  const same = callable.filter(({ namespace, toolName }) =>
    [`${namespace}_${toolName}`, `${namespace}__${toolName}`].includes(name),
  );
  if (same.length > 1) return ambiguous(text, same);
  const candidates = callable.map(({ namespace, toolName, file }, position) => ({
    position,
    namespace,
    toolName,
    file: file.place,
  }));
  const resolution = createToolResolver(candidates)(text);
  return { ...resolution, tools: resolution.tools.flatMap(({ position }) => callable[position] ?? []) };
}

function nothing(text: string, type: string): Finding {
  const message = `there is no ${type} ${JSON.stringify(text)}`;
  return { code: 'REF006', severity: 'error', path: '', message, hint: 'Find names with: schemakit search <words>' };
}

function several(text: string, tools: readonly IndexedEntry[]): Finding {
  const message = `${JSON.stringify(text)} can be any of ${tools.length}`;
  const hint = `Write one of ${tools.map(({ reference }) => JSON.stringify(reference)).join(', ')}.`;
  return { code: 'REF007', severity: 'error', path: '', message, hint };
}
