import { join } from 'node:path';
import type { Finding, Report } from '../../schema/finding.ts';
import { ruleFinding } from '../../schema/finding-codes.ts';
import { isObject } from '../../schema/json.ts';
import { textField } from '../../schema/rules/fields.ts';
import { readModuleFile } from '../read-file.ts';
import type { ListModule } from './list-module.ts';

/** What `_registry.json` notes about a list. */
export interface ListRegistryEntry {
  name: string;
  /** As written; it may lead anywhere. */
  file: string;
  version?: string;
  entryCount?: number;
  /** `sha256:<hex>`, in lower case. */
  hash?: string;
}

export interface ListRegistry {
  file: string;
  entries: ReadonlyMap<string, ListRegistryEntry>;
}

export const registryName = '_registry.json';

/** Reads `_registry.json` of a folder of lists. What cannot be read is a finding, and the lists are found without it. */
export function readListRegistry(folder: string, report: Report): ListRegistry {
  const file = join(folder, registryName);
  const entries = new Map<string, ListRegistryEntry>();
  const warn = (path: string, message: string, hint?: string) =>
    report({ ...ruleFinding('LST013', path, message, hint === undefined ? {} : { hint }), file });
  const lists = readLists(file, warn);
  for (const [index, item] of lists.entries()) {
    const path = `lists[${index}]`;
    const entry = readEntry(item);
    if (entry === undefined) {
      const hint = "Write { name: 'evmChains', file: 'evm-chains.mjs' }.";
      warn(path, `an entry of the registry needs name and file, as text (${path})`, hint);
    } else if (entries.has(entry.name)) {
      warn(path, `the registry has '${entry.name}' twice; the first counts (${path})`);
    } else entries.set(entry.name, entry);
  }
  return { file, entries };
}

function readLists(file: string, warn: (path: string, message: string, hint?: string) => void): readonly unknown[] {
  const read = readModuleFile(file);
  if (!read.ok) {
    warn('', `the registry of lists cannot be read: ${read.finding.message}`);
    return [];
  }
  let value: unknown;
  try {
    value = JSON.parse(read.source.text);
  } catch {
    // The warning says what is expected instead.
  }
  const lists = isObject(value) ? (value.lists ?? []) : undefined;
  if (Array.isArray(lists)) return lists;
  const hint = 'Write { "specVersion": "3.0.0", "lists": [] }, or remove the file.';
  warn(value === undefined ? '' : 'lists', 'the registry of lists is not JSON with an array of lists', hint);
  return [];
}

function readEntry(item: unknown): ListRegistryEntry | undefined {
  if (!isObject(item)) return undefined;
  const name = textField(item, 'name');
  const file = textField(item, 'file');
  if (name === undefined || file === undefined) return undefined;
  const { entryCount } = item;
  const version = textField(item, 'version');
  const hash = textField(item, 'hash')?.trim().toLowerCase();
  return {
    name,
    file,
    ...(version !== undefined && { version }),
    ...(typeof entryCount === 'number' && { entryCount }),
    ...(hash !== undefined && { hash: hash.startsWith('sha256:') ? hash : `sha256:${hash}` }),
  };
}

/** Compares a list with what the registry notes. Another hash is an error: the list is not the one that was noted. */
export function compareWithRegistry(
  list: ListModule,
  { name, version, entryCount, hash }: ListRegistryEntry,
): Finding[] {
  const findings: Finding[] = [];
  const add = (code: 'LST015' | 'LST016', message: string) => {
    const hint = `If the list is right, correct ${registryName}.`;
    findings.push({ ...ruleFinding(code, 'list', message, { hint }), file: list.file, ...list.locate('list') });
  };
  if (version !== undefined && version !== list.version)
    add('LST015', `the shared list '${name}' has version ${list.version ?? 'none'}; the registry notes ${version}`);
  if (entryCount !== undefined && entryCount !== list.entries.length)
    add('LST015', `the shared list '${name}' has ${list.entries.length} entries; the registry notes ${entryCount}`);
  if (hash !== undefined && !list.hashes().includes(hash))
    add('LST016', `the shared list '${name}' is not the one whose hash the registry notes, ${hash}`);
  return findings;
}
