import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkArguments } from '../../schema/arguments.ts';
import { type CheckResult, checkResult, type Finding, type Report } from '../../schema/finding.ts';
import { ruleFinding } from '../../schema/finding-codes.ts';
import { isObject } from '../../schema/json.ts';
import { nearestWord } from '../../schema/nearest-word.ts';
import { ruleReport } from '../../schema/rule-report.ts';
import { parseListReferences } from '../../schema/rules/requirements.ts';
import type { ListFilter, SharedListReference, SharedLists } from '../../schema/schema.ts';
import type { ListData } from './list-data.ts';
import { dependencyCheck, missingList, otherVersion } from './list-dependencies.ts';
import { openListFolder } from './list-folder.ts';

const maxLevels = 10;

/** The nearest `_lists` folder beside a file or in a parent folder, at most ten levels up. */
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

/** Resolves the lists that a schema references (docs/lists.md). A missing or malformed list is reported and left out. */
export async function readSharedLists(
  references: readonly SharedListReference[],
  listsDir: string | undefined,
): Promise<{ sharedLists: SharedLists; findings: Finding[] }> {
  const findings: Finding[] = [];
  if (references.length === 0) return { sharedLists: {}, findings };
  const report = ruleReport((finding) => findings.push(finding));
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

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // No permission.
  }
}

export interface ResolvedSharedLists extends CheckResult {
  /** List name to entries, filtered as the reference says. */
  sharedLists: SharedLists;
}

/** Resolves lists from a folder. A reference is a name, or `{ ref, version, filter }`. */
export async function resolveSharedLists({
  sharedListRefs,
  listsDir,
}: {
  sharedListRefs: readonly unknown[];
  listsDir: string;
}): Promise<ResolvedSharedLists> {
  const problems = checkArguments(
    'resolveSharedLists',
    { sharedListRefs, listsDir },
    { sharedListRefs: 'array', listsDir: 'text' },
  );
  if (problems.length > 0) return { ...checkResult(problems), sharedLists: {} };
  const findings: Finding[] = [];
  const references = parseListReferences(
    { sharedLists: sharedListRefs },
    ruleReport((finding) => findings.push(finding)),
  );
  const { sharedLists, findings: missing } = await readSharedLists(references, listsDir);
  const result = checkResult([...findings, ...missing]);
  return { ...result, sharedLists: result.status ? sharedLists : {} };
}

/** The entries of a list that pass a filter, frozen. Reports a filter that no entry passes. */
function filterEntries(
  { name, entries }: Pick<ListData, 'name' | 'entries'>,
  filter: ListFilter | undefined,
  { path, report }: { path: string; report: Report },
): readonly unknown[] {
  if (filter === undefined) return entries;
  const passing = entries.filter((entry) => passes(ownValue(entry, filter.key), filter));
  if (passing.length === 0 && entries.length > 0) {
    const count = entries.length === 1 ? 'its only entry' : `any of its ${entries.length} entries`;
    const message = `the filter of shared list '${name}' does not match ${count} (${path})`;
    report(ruleFinding('VAL074', path, message, reasonOf(entries, filter)));
  }
  return Object.freeze(passing);
}

function passes(value: unknown, filter: ListFilter): boolean {
  if ('exists' in filter) return isGiven(value) === filter.exists;
  return 'value' in filter ? value === filter.value : filter.in.includes(value);
}

function reasonOf(entries: readonly unknown[], filter: ListFilter): string {
  const key = JSON.stringify(filter.key);
  const values = entries.map((entry) => ownValue(entry, filter.key)).filter(isGiven);
  if ('exists' in filter && !filter.exists) return `All of them have ${key}.`;
  if (values.length === 0) return fieldHint(entries, filter.key);
  const expected = 'value' in filter ? [filter.value] : 'in' in filter ? filter.in : [];
  const near = values.find((value) => expected.some((one) => String(one) === String(value)));
  if (near !== undefined) {
    return `${key} has values of type ${typeof near} there: write ${JSON.stringify(near)}.`;
  }
  const shown = [...new Set(values.map((value) => JSON.stringify(value)))];
  return `${key} has the values ${shown.slice(0, maxShown).join(', ')}${shown.length > maxShown ? ', …' : ''}.`;
}

const maxShown = 5;

function fieldHint(entries: readonly unknown[], key: string): string {
  const known = [...new Set(entries.flatMap((entry) => (isObject(entry) ? Object.keys(entry) : [])))];
  if (known.includes(key)) return `None of them has a value for ${JSON.stringify(key)}.`;
  const meant = nearestWord(key, known);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  return known.length === 0 ? 'The entries have no fields.' : `Their fields are: ${known.slice(0, 20).join(', ')}.`;
}

function ownValue(entry: unknown, key: string): unknown {
  return isObject(entry) && Object.hasOwn(entry, key) ? entry[key] : undefined;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
