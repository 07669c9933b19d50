import { hash } from 'node:crypto';
import type { Finding } from '@schemakit/core';
import { importFinding } from '../import-codes.ts';
import type { OperationEntry } from '../plan/plan-operation.ts';
import { matchPrevious, type PreviousTool } from './match-previous.ts';

/** Names on MCP have at most 64 characters, with the namespace and two underscores. */
const maxLength = 64;

/**
 * Names tools after their `operationId`, or method and path. A name depends on the operations that would have the same one, never on
 * their order: all of them get the words of their path, and then a hash. Operations of an earlier import keep their names.
 */
export function nameOperations(
  entries: readonly OperationEntry[],
  namespace: string,
  previous: readonly PreviousTool[] = [],
): {
  names: Map<OperationEntry, string>;
  kept: ReadonlyMap<OperationEntry, PreviousTool>;
  findings: Finding[];
} {
  const room = maxLength - namespace.length - 2;
  const names = new Map(entries.map((entry) => [entry, plainName(entry)]));
  const findings = repeatedIds(entries);
  for (const rename of [withPath, withHash]) {
    for (const same of clashes(names))
      for (const entry of same) names.set(entry, rename(names.get(entry) ?? '', entry));
  }
  for (const [entry, name] of names) if (name.length > room) names.set(entry, shortened(name, entry, room));
  const kept = matchPrevious(names, previous, namespace);
  for (const [entry, tool] of kept) names.set(entry, tool.name.slice(namespace.length + 2));
  for (const entry of clashes(names).flat()) {
    const name = names.get(entry) ?? '';
    if (kept.has(entry)) continue;
    names.set(entry, name.length + 7 > room ? shortened(name, entry, room) : withHash(name, entry));
  }
  return { names, kept, findings };
}

function clashes(names: ReadonlyMap<OperationEntry, string>): OperationEntry[][] {
  const groups = Map.groupBy(names.keys(), (entry) => names.get(entry)?.toLowerCase());
  return [...groups.values()].filter(({ length }) => length > 1);
}

function plainName(entry: OperationEntry): string {
  const id = operationId(entry);
  const name = id === undefined ? '' : camelCase(wordsOf(id));
  return name === '' ? camelCase([entry.method.toLowerCase(), ...pathWords(entry.path)]) : name;
}

function operationId({ operation }: OperationEntry): string | undefined {
  const { operationId: id } = operation.value;
  return typeof id === 'string' ? id : undefined;
}

/** Accents go, and characters that tool names cannot have separate words. */
function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
}

function pathWords(path: string): string[] {
  return path
    .split('/')
    .flatMap((segment) => (/^\{[^{}]+\}$/.test(segment) ? ['by', ...wordsOf(segment)] : wordsOf(segment)));
}

function camelCase(words: readonly string[]): string {
  const [first = '', ...rest] = words.map((word) => (/^[A-Z0-9]+$/.test(word) ? word.toLowerCase() : word));
  const start = first.charAt(0).toLowerCase() + first.slice(1);
  const name = start + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^\d/.test(name) ? `call${name}` : name;
}

function withPath(name: string, { method, path }: OperationEntry): string {
  const words = pathWords(path);
  const own = camelCase([method.toLowerCase(), ...words]);
  // The path of a query or mutation is its name.
  return name === own || name === camelCase(words) ? own : camelCase([name, ...words]);
}

function withHash(name: string, entry: OperationEntry): string {
  return `${name}_${shortHash(entry)}`;
}

function shortened(name: string, entry: OperationEntry, room: number): string {
  const words = name.slice(0, room - 7).replace(/[A-Z][a-z0-9]*$/, '');
  return `${words}_${shortHash(entry)}`;
}

function shortHash({ method, path }: OperationEntry): string {
  return hash('sha256', `${method} ${path}`).slice(0, 6);
}

function repeatedIds(entries: readonly OperationEntry[]): Finding[] {
  const groups = Map.groupBy(entries, operationId);
  return [...groups].flatMap(([id, same]) => {
    const [first] = same;
    if (id === undefined || same.length < 2 || first === undefined) return [];
    const message = `${same.length} operations have the operationId ${JSON.stringify(id)}`;
    const hint = 'Their tools are named after the paths too. Give each an operationId of its own.';
    return [importFinding('IMP008', message, { path: first.operation.pointer, hint })];
  });
}
