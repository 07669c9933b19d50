import type { DatabaseSync } from 'node:sqlite';
import { createToolResolver, type Finding, type ParsedReference, parseReference } from '@schemakit/core';
import type { FoundTools } from './find-tools.ts';
import { rows } from './tables.ts';
import { toolsByIds } from './tool-rows.ts';

/** Finds what a reference names by the rules of the library, among all that the index has. */
export function resolveReference(database: DatabaseSync, text: string): FoundTools {
  const part = partOf(parseReference(text).reference);
  return part === undefined ? resolveTool(database, text) : resolvePart(database, text, part);
}

/** A skill, a prompt or a resource that a reference names. */
interface Part {
  type: string;
  name: string;
  isIn(place: Place): boolean;
}

interface Place {
  id: number;
  file: number;
  namespace: string;
  place: string;
}

function partOf(reference: ParsedReference['reference']): Part | undefined {
  if (reference?.form === 'file') {
    const { part, source, file } = reference;
    return part && isPart(part.type)
      ? { ...part, isIn: ({ place }) => endsWith(place, `${source}/${file}`) }
      : undefined;
  }
  if (reference?.form !== 'id' || reference.type === undefined || !isPart(reference.type)) return undefined;
  const { namespace, type, name, file } = reference;
  return {
    ...{ type, name },
    isIn: (found) =>
      (found.namespace === namespace || found.place.split('/').at(-2) === namespace) &&
      (file === undefined || endsWith(found.place, `${file}.mjs`)),
  };
}

function isPart(type: string): boolean {
  return type === 'resource' || type === 'skill' || type === 'prompt';
}

function endsWith(place: string, path: string): boolean {
  return place === path || place.endsWith(`/${path}`);
}

/** The name of a database means all its queries. */
function resolvePart(database: DatabaseSync, text: string, { type, name, isIn }: Part): FoundTools {
  const sql = 'SELECT id, file, namespace, place FROM tools WHERE type = ? AND ? IN (part, tool) ORDER BY place, id';
  const found = rows<Place>(database, sql, type, name).filter(isIn);
  const ids = found.map(({ id }) => id);
  const tools = toolsByIds(database, ids);
  const count = new Set(found.map(({ file }) => file)).size;
  if (count === 1) return { status: true, messages: [], findings: [], outcome: 'match', tools };
  if (count > 0) return ambiguous(text, tools);
  const finding = nothing(text, type);
  return { status: false, messages: [finding.message], findings: [finding], outcome: 'none', tools };
}

function ambiguous(text: string, tools: FoundTools['tools']): FoundTools {
  const finding = several(text, tools);
  return { status: false, messages: [finding.message], findings: [finding], outcome: 'ambiguous', tools };
}

/** The names that lists, searches and MCP clients show. */
function namesOf(namespace: string, toolName: string): string[] {
  return [`${namespace}_${toolName}`, `${namespace}__${toolName}`];
}

/** Queries and documents are called like tools, and are found by the names that they have as such. */
function resolveTool(database: DatabaseSync, text: string): FoundTools {
  const places = rows<{ id: number; namespace: string; toolName: string; file: string }>(
    database,
    'SELECT id, namespace, tool AS toolName, place AS file FROM tools WHERE callable ORDER BY place, id',
  );
  // The library lets the first one keep a name that several would have. Here it may be any that was imported.
  const same = places.filter(({ namespace, toolName }) => namesOf(namespace, toolName).includes(text.trim()));
  if (same.length > 1) {
    const tools = toolsByIds(
      database,
      same.map(({ id }) => id),
    );
    return ambiguous(text, tools);
  }
  const resolution = createToolResolver(places)(text);
  const ids = resolution.tools.map(({ id }) => id);
  return { ...resolution, tools: toolsByIds(database, ids) };
}

function nothing(text: string, type: string): Finding {
  const message = `there is no ${type} ${JSON.stringify(text)}`;
  return { code: 'REF006', severity: 'error', path: '', message, hint: 'Search to see the names.' };
}

function several(text: string, tools: FoundTools['tools']): Finding {
  const message = `${JSON.stringify(text)} can be any of ${tools.length}`;
  const hint = `Write one of ${tools.map(({ reference }) => JSON.stringify(reference)).join(', ')}.`;
  return { code: 'REF007', severity: 'error', path: '', message, hint };
}
