import type { Report } from '../format/finding.ts';
import { schemaFinding } from '../format/finding-codes.ts';
import { isObject } from '../format/json.ts';
import { nearestWord } from '../format/nearest-word.ts';
import type { ListFilter } from '../format/schema.ts';
import type { ListData } from './list-data.ts';

interface FilterContext {
  /** Where the filter stands. */
  path: string;
  report: Report;
}

/** The entries of a list that pass a filter, frozen. A filter that none passes is a finding, which says why. */
export function filterEntries(
  { name, entries }: Pick<ListData, 'name' | 'entries'>,
  filter: ListFilter | undefined,
  { path, report }: FilterContext,
): readonly unknown[] {
  if (filter === undefined) return entries;
  const kept = entries.filter((entry) => passes(ownValue(entry, filter.key), filter));
  if (kept.length === 0 && entries.length > 0) {
    const count = entries.length === 1 ? 'its only entry' : `any of its ${entries.length} entries`;
    const message = `the filter of shared list '${name}' does not keep ${count} (${path})`;
    report(schemaFinding('VAL074', path, message, { hint: reasonOf(entries, filter) }));
  }
  return Object.freeze(kept);
}

function passes(value: unknown, filter: ListFilter): boolean {
  if ('exists' in filter) return isGiven(value) === filter.exists;
  return 'value' in filter ? value === filter.value : filter.in.includes(value);
}

/** Why no entry passes. */
function reasonOf(entries: readonly unknown[], filter: ListFilter): string {
  const key = JSON.stringify(filter.key);
  const values = entries.map((entry) => ownValue(entry, filter.key)).filter(isGiven);
  if ('exists' in filter && !filter.exists) return `All of them have ${key}.`;
  if (values.length === 0) return fieldHint(entries, filter.key);
  const wanted = 'value' in filter ? [filter.value] : 'in' in filter ? filter.in : [];
  const near = values.find((value) => wanted.some((one) => String(one) === String(value)));
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
