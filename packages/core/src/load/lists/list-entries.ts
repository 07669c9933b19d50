import type { Report } from '../../format/finding.ts';
import { isObject } from '../../format/json.ts';
import { listFinding } from '../../format/list-codes.ts';
import type { ListField, ListFieldType } from './list-data.ts';

interface EntriesContext {
  list: string;
  fields: readonly ListField[];
  report: Report;
}

/**
 * Compares the entries of a list with its fields. A list has many entries, so what is wrong is said once for each field, at
 * the first entry. Nothing is compared where no fields are declared: entries may then be plain values.
 */
export function checkListEntries(entries: readonly unknown[], { list, fields, report }: EntriesContext): void {
  if (entries.length === 0) {
    const hint = 'An enum that takes its values from it has none.';
    report(listFinding('LST006', 'list.entries', `the shared list '${list}' has no entries`, { hint }));
  }
  if (fields.length === 0) return;
  const objects = entries.map((entry) => (isObject(entry) ? entry : undefined));
  reportPlaces(
    placesOf(objects, (entry) => entry === undefined),
    {
      code: 'LST007',
      problem: `the shared list '${list}' has entries that are not objects`,
      hint: 'An entry is an object with the declared fields.',
      report,
    },
  );
  for (const { key, type, optional } of fields) {
    const values = objects.map((entry) => entry && ownValue(entry, key));
    if (!optional) {
      reportPlaces(
        placesOf(values, (value, index) => objects[index] !== undefined && isAbsent(value)),
        {
          code: 'LST007',
          problem: `the shared list '${list}' has entries without ${JSON.stringify(key)}`,
          hint: 'Fill it in, or write optional: true for the field.',
          report,
        },
      );
    }
    if (type === undefined) continue;
    reportPlaces(
      placesOf(values, (value) => !isAbsent(value) && !hasType(value, type)),
      {
        code: 'LST008',
        problem: `the shared list '${list}' has values of ${JSON.stringify(key)} that are no ${type}`,
        key,
        report,
      },
    );
  }
  reportUndeclared(objects, { list, fields, report });
}

/** A misspelt optional field would go unnoticed. */
function reportUndeclared(
  objects: readonly (Record<string, unknown> | undefined)[],
  { list, fields, report }: EntriesContext,
): void {
  const declared = new Set(fields.map(({ key }) => key));
  const undeclared = new Set(objects.flatMap((entry) => Object.keys(entry ?? {}).filter((key) => !declared.has(key))));
  if (undeclared.size === 0) return;
  const names = [...undeclared].slice(0, 10).map((key) => JSON.stringify(key));
  const more = undeclared.size > names.length ? ', …' : '';
  const message = `the entries of the shared list '${list}' have undeclared fields: ${names.join(', ')}${more}`;
  report(listFinding('LST017', 'list.entries', message, { hint: 'Declare them in meta.fields.' }));
}

function placesOf<T>(values: readonly T[], isWrong: (value: T, index: number) => boolean): number[] {
  return values.flatMap((value, index) => (isWrong(value, index) ? index : []));
}

function reportPlaces(
  [first, ...others]: readonly number[],
  {
    code,
    problem,
    hint,
    key,
    report,
  }: { code: 'LST007' | 'LST008'; problem: string; hint?: string; key?: string; report: Report },
): void {
  if (first === undefined) return;
  const path = `list.entries[${first}]${key === undefined ? '' : `[${JSON.stringify(key)}]`}`;
  const count = others.length === 0 ? '' : ` and ${others.length} more`;
  report(listFinding(code, path, `${problem} (entry ${first + 1}${count})`, hint === undefined ? {} : { hint }));
}

function ownValue(entry: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(entry, key) ? entry[key] : undefined;
}

/** As the filter `exists` sees it. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function hasType(value: unknown, type: ListFieldType): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return typeof value === type;
  }
}
