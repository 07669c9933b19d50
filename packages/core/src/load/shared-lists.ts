import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Finding } from '../format/finding.ts';
import { schemaFinding } from '../format/finding-codes.ts';
import { isObject } from '../format/json.ts';
import type { ListFilter, SharedListReference } from '../format/schema.ts';
import { contentCache } from './content-cache.ts';
import { readModuleFile } from './read-file.ts';
import { readModule } from './read-module.ts';

/** The entries of each list by its name, after the filters. */
export type SharedLists = Readonly<Record<string, readonly unknown[]>>;

/** A list module's data (specification 2.6). */
interface ListModule {
  meta: Record<string, unknown>;
  entries: readonly unknown[];
}

const maxLevels = 10;

/** The nearest `_lists` folder beside a file or above it, at most ten levels up. */
export async function findListsDir(file: string): Promise<string | undefined> {
  let folder = dirname(file);
  for (let level = 0; level <= maxLevels; level += 1) {
    const candidate = join(folder, '_lists');
    if (await isFolder(candidate)) return candidate;
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return undefined;
}

/**
 * Reads the lists that a schema references (specification 2.6): found by name in the folder, checked for the version,
 * filtered. What is missing or malformed is a finding, and its list is left out.
 */
export async function readSharedLists(
  references: readonly SharedListReference[],
  listsDir: string | undefined,
): Promise<{ sharedLists: SharedLists; findings: Finding[] }> {
  const findings: Finding[] = [];
  const lists: [string, readonly unknown[]][] = [];
  for (const [index, reference] of references.entries()) {
    const path = `main.sharedLists[${index}]`;
    const list = await findList(reference, { listsDir, path, findings });
    if (list) lists.push([reference.ref, filterEntries(list.entries, reference.filter)]);
  }
  return { sharedLists: Object.fromEntries(lists), findings };
}

interface ListSearch {
  listsDir: string | undefined;
  path: string;
  findings: Finding[];
}

async function findList({ ref, version }: SharedListReference, search: ListSearch): Promise<ListModule | undefined> {
  const { listsDir, path, findings } = search;
  const file = listsDir === undefined ? undefined : await listFile(ref, listsDir);
  if (file === undefined) {
    const hint =
      listsDir === undefined
        ? 'There is no _lists folder beside the schema or above it; pass listsDir.'
        : `Looked in ${listsDir} for a module whose meta.name is ${JSON.stringify(ref)}; names are case-sensitive.`;
    findings.push(schemaFinding('VAL072', path, `Shared list '${ref}' not found in lists directory`, { hint }));
    return undefined;
  }
  const { list, findings: problems } = await readListModule(file);
  findings.push(...problems);
  if (list === undefined) return undefined;
  if (version !== undefined && list.meta.version !== version) {
    const message = `Shared list '${ref}' has version ${String(list.meta.version)}, not ${version}`;
    const hint = 'Name the version of the list that is there, or bring the one that is asked for.';
    findings.push(schemaFinding('VAL073', `${path}.version`, message, { hint }));
    return undefined;
  }
  return list;
}

/** The file of a list: its name in kebab-case, its name as it is, or any module whose `meta.name` says so. */
async function listFile(name: string, folder: string): Promise<string | undefined> {
  const kebab = name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
  const names = (await readdir(folder).catch(() => [])).filter((entry) => entry.endsWith('.mjs'));
  const likely = [`${kebab}.mjs`, `${name}.mjs`].filter((entry) => names.includes(entry));
  const others = names.filter((entry) => !likely.includes(entry) && !entry.startsWith('_')).sort();
  for (const entry of [...likely, ...others]) {
    const { list } = await readListModule(join(folder, entry));
    // A file that is named like the list and cannot be read is meant; reading it again says what is wrong.
    if (list ? list.meta.name === name : likely.includes(entry)) return join(folder, entry);
  }
  return undefined;
}

type ListReading = { list?: ListModule; findings: Finding[] };

const cached = contentCache<ListReading>(500);

async function readListModule(file: string): Promise<ListReading> {
  const read = readModuleFile(file);
  return read.ok ? cached(read.bytes, file, () => readList(read.bytes, file)) : { findings: [read.finding] };
}

function readList(bytes: Uint8Array, file: string): ListReading {
  const reading = readModule(bytes, { file });
  const errors = reading.findings.filter(({ severity }) => severity === 'error');
  const list = reading.read('list');
  const value = list.status === 'read' ? list.value : undefined;
  if (errors.length === 0 && isObject(value) && isObject(value.meta) && Array.isArray(value.entries)) {
    return { list: { meta: value.meta, entries: value.entries }, findings: [] };
  }
  const message = `the shared list file ${file} needs export const list = { meta, entries }`;
  return { findings: [...errors, { ...schemaFinding('VAL075', 'list', message), file }] };
}

function filterEntries(entries: readonly unknown[], filter: ListFilter | undefined): readonly unknown[] {
  if (filter === undefined) return entries;
  return entries.filter((entry) => {
    const value = isObject(entry) && Object.hasOwn(entry, filter.key) ? entry[filter.key] : undefined;
    if ('exists' in filter) return (value !== undefined && value !== null) === filter.exists;
    return 'value' in filter ? value === filter.value : filter.in.includes(value);
  });
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
