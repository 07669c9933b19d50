import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasNoErrors, type Report } from '../../schema/finding.ts';
import { ruleFinding } from '../../schema/finding-codes.ts';
import { locateInside } from '../read-file.ts';
import { type ListModule, type ListReading, readListModule } from './list-module.ts';
import { compareWithRegistry, type ListRegistry, readListRegistry, registryName } from './list-registry.ts';

/** `unusable`: it is there, and its findings say why it cannot be used. */
export type FoundList = { status: 'found'; list: ListModule } | { status: 'missing' } | { status: 'unusable' };

/** A folder of shared lists, opened for as long as one schema is loaded. */
export interface ListFolder {
  path: string;
  /** Finds a list by its name. What is wrong with it is reported the first time. */
  find(name: string): Promise<FoundList>;
}

/**
 * Opens a folder of shared lists. A list is looked for in the file that `_registry.json` names, then in the one that is called
 * like it in kebab-case, in the one that is called like it, and in all others; `meta.name` decides.
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

/** Without waiting: they are known in less time than a promise of them takes. */
function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return []; // A folder that cannot be read has no lists.
  }
}

interface FolderContext {
  path: string;
  /** Names of the modules in the folder. */
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
): Promise<ListReading | undefined> {
  const entry = registry?.entries.get(name);
  if (registry === undefined || entry === undefined) return undefined;
  const warn = (problem: string) => {
    const message = `the registry names ${JSON.stringify(entry.file)} for the shared list '${name}', ${problem}`;
    const hint = 'The list is looked for by its name instead.';
    report({
      ...ruleFinding('LST014', `lists[${[...registry.entries.keys()].indexOf(name)}].file`, message, { hint }),
      file: registry.file,
    });
    return undefined;
  };
  const located = await locateInside(entry.file, path);
  if (!located.ok) return warn(located.reason === 'outside' ? 'which is not in the folder' : 'which is not there');
  const reading = await readListModule(located.file);
  const found = reading.list?.name;
  return found === undefined || found === name ? reading : warn(`which has the list '${found}'`);
}

/** A file that is called like the list and cannot be read is meant; it says what is wrong. */
async function readNamed(name: string, { path, files }: FolderContext): Promise<ListReading | undefined> {
  const kebab = name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
  const likely = [`${kebab}.mjs`, `${name}.mjs`].filter((file) => files.includes(file));
  const others = files.filter((file) => !likely.includes(file) && !file.startsWith('_')).sort();
  for (const file of [...likely, ...others]) {
    const reading = await readListModule(join(path, file));
    if (reading.list ? reading.list.name === name : likely.includes(file)) return reading;
  }
  return undefined;
}
