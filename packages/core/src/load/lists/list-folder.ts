import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, hasNoErrors, type Report } from '../../schema/finding.ts';
import { ruleFinding } from '../../schema/finding-codes.ts';
import { isObject } from '../../schema/json.ts';
import { textField } from '../../schema/rules/fields.ts';
import { locateInside, readModuleFile } from '../read-file.ts';
import { type ListModule, type ListModuleResult, readListModule } from './list-module.ts';

/** `unusable`: it has errors, which were reported. */
export type FoundList = { status: 'found'; list: ListModule } | { status: 'missing' } | { status: 'unusable' };

/** A folder of shared lists, opened while one schema is loaded. */
export interface ListFolder {
  path: string;
  /** Finds a list by its name. Its findings are reported the first time. */
  find(name: string): Promise<FoundList>;
}

/**
 * Opens a folder of shared lists. A list is searched in the file that `_registry.json` names, then in the file with its name in
 * kebab-case, in the file with its name, and in all others; `meta.name` decides.
 */
export function openListFolder(path: string, report: Report): ListFolder {
  const names = namesIn(path);
  const registry = names.includes(registryName) ? readListRegistry(path, report) : undefined;
  const files = names.filter((name) => name.endsWith('.mjs'));
  const found = new Map<string, Promise<FoundList>>();
  return {
    path,
    find(name) {
      const known = found.get(name) ?? findList(name, { path, files, registry, report });
      found.set(name, known);
      return known;
    },
  };
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return []; // No permission, or no folder.
  }
}

interface FolderContext {
  path: string;
  files: readonly string[];
  registry: ListRegistry | undefined;
  report: Report;
}

async function findList(name: string, context: FolderContext): Promise<FoundList> {
  const { registry, report } = context;
  const reading = (await readRegistered(name, context)) ?? (await readNamed(name, context));
  if (reading === undefined) return { status: 'missing' };
  reading.findings.forEach(report);
  if (reading.list === undefined) return { status: 'unusable' };
  const entry = registry?.entries.get(name);
  const differences = entry === undefined ? [] : compareWithRegistry(reading.list, entry);
  differences.forEach(report);
  return hasNoErrors(differences) ? { status: 'found', list: reading.list } : { status: 'unusable' };
}

/** The list in the file that the registry names for it. */
async function readRegistered(
  name: string,
  { path, registry, report }: FolderContext,
): Promise<ListModuleResult | undefined> {
  const entry = registry?.entries.get(name);
  if (registry === undefined || entry === undefined) return undefined;
  const warn = (problem: string) => {
    const message = `the registry names ${JSON.stringify(entry.file)} for the shared list '${name}', ${problem}`;
    const hint = 'The list is searched by its name instead.';
    report({
      ...ruleFinding('LST014', `lists[${[...registry.entries.keys()].indexOf(name)}].file`, message, hint),
      file: registry.file,
    });
    return undefined;
  };
  const located = await locateInside(entry.file, path);
  if (!located.ok)
    return warn(located.reason === 'outside' ? 'which is outside of the folder' : 'which does not exist');
  const reading = await readListModule(located.file);
  const found = reading.list?.name;
  return found === undefined || found === name ? reading : warn(`which has the list '${found}'`);
}

/** Reports read errors of a file whose name matches the list. */
async function readNamed(name: string, { path, files }: FolderContext): Promise<ListModuleResult | undefined> {
  const kebab = name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
  const likely = [`${kebab}.mjs`, `${name}.mjs`].filter((file) => files.includes(file));
  const others = files.filter((file) => !likely.includes(file) && !file.startsWith('_')).sort();
  for (const file of [...likely, ...others]) {
    const reading = await readListModule(join(path, file));
    if (reading.list ? reading.list.name === name : likely.includes(file)) return reading;
  }
  return undefined;
}

/** An entry of `_registry.json`. */
interface ListRegistryEntry {
  name: string;
  /** As written; may lead out of the folder. */
  file: string;
  version?: string;
  entryCount?: number;
  /** `sha256:<hex>`, in lower case. */
  hash?: string;
}

interface ListRegistry {
  file: string;
  entries: ReadonlyMap<string, ListRegistryEntry>;
}

const registryName = '_registry.json';

/** Reads `_registry.json` of a folder of lists. Without a readable one, lists are found by name. */
function readListRegistry(folder: string, report: Report): ListRegistry {
  const file = join(folder, registryName);
  const entries = new Map<string, ListRegistryEntry>();
  const warn = (path: string, message: string, hint?: string) =>
    report({ ...ruleFinding('LST013', path, message, hint), file });
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
    // Reported below.
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

/** Compares a list with its entry in the registry. A different hash is an error. */
function compareWithRegistry(list: ListModule, { name, version, entryCount, hash }: ListRegistryEntry): Finding[] {
  const findings: Finding[] = [];
  const add = (code: 'LST015' | 'LST016', message: string) => {
    const hint = `If the list is right, correct ${registryName}.`;
    findings.push({ ...ruleFinding(code, 'list', message, hint), file: list.file, ...list.locate('list') });
  };
  if (version !== undefined && version !== list.version)
    add('LST015', `the shared list '${name}' has version ${list.version ?? 'none'}; the registry has ${version}`);
  if (entryCount !== undefined && entryCount !== list.entries.length)
    add('LST015', `the shared list '${name}' has ${list.entries.length} entries; the registry has ${entryCount}`);
  if (hash !== undefined && !list.hashes().includes(hash))
    add('LST016', `the shared list '${name}' does not have the hash in the registry, ${hash}`);
  return findings;
}
