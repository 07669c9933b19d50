import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Finding } from '../format/finding.ts';
import type { SharedListReference } from '../format/schema.ts';
import { filterEntries } from './filter-entries.ts';
import { dependencyCheck, missingList, otherVersion } from './list-dependencies.ts';
import { openListFolder } from './list-folder.ts';

/** The entries of each list by its name, after the filters. They are frozen. */
export type SharedLists = Readonly<Record<string, readonly unknown[]>>;

const maxLevels = 10;

/** The nearest `_lists` folder beside a file or above it, at most ten levels up. */
export function findListsDir(file: string): string | undefined {
  let folder = dirname(file);
  for (let level = 0; level <= maxLevels; level += 1) {
    const candidate = join(folder, '_lists');
    if (isFolder(candidate)) return candidate;
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return undefined;
}

/**
 * Reads the lists that a schema references (specification 2.6): found by name in the folder, checked for the version and for
 * what they depend on, filtered. What is missing or malformed is a finding, and its list is left out.
 */
export async function readSharedLists(
  references: readonly SharedListReference[],
  listsDir: string | undefined,
): Promise<{ sharedLists: SharedLists; findings: Finding[] }> {
  const findings: Finding[] = [];
  if (references.length === 0) return { sharedLists: {}, findings };
  const report = (finding: Finding) => void findings.push(finding);
  const folder = listsDir === undefined ? undefined : openListFolder(listsDir, report);
  const check = folder && dependencyCheck(folder, report);
  const lists: [string, readonly unknown[]][] = [];
  for (const [index, { ref, version, filter }] of references.entries()) {
    const path = `main.sharedLists[${index}]`;
    const found = (await folder?.find(ref)) ?? { status: 'missing' };
    if (found.status === 'missing') report(missingList(ref, path, { folder }));
    if (found.status !== 'found') continue;
    const { list } = found;
    if (version !== undefined && version !== list.version) {
      report(otherVersion(list, { version, path: `${path}.version` }));
      continue;
    }
    await check?.(list);
    lists.push([ref, filterEntries(list, filter, { path: `${path}.filter`, report })]);
  }
  return { sharedLists: Object.fromEntries(lists), findings };
}

/** Without waiting: it is known in less time than a promise of it takes. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // A folder that may not be looked into is as good as none.
  }
}
