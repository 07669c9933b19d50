import type { Report } from '../../schema/finding.ts';
import { ruleFinding } from '../../schema/finding-codes.ts';
import { isObject } from '../../schema/json.ts';

export const listFieldTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
export type ListFieldType = (typeof listFieldTypes)[number];

/** What `meta.fields` says about one field of the entries. */
export interface ListField {
  key: string;
  /** Undefined where it is not known; values are then not checked. */
  type: ListFieldType | undefined;
  optional: boolean;
}

/**
 * Compares the entries of a list with its fields. A list has many entries, so each problem is reported once for each field, at
 * the first entry that has it. Nothing is compared where no fields are declared: entries may then be plain values.
 */
export function checkListEntries(
  entries: readonly unknown[],
  { list, fields, report }: { list: string; fields: readonly ListField[]; report: Report },
): void {
  if (entries.length === 0) {
    const hint = 'An enum that takes its values from it has none.';
    report(ruleFinding('LST006', 'list.entries', `the shared list '${list}' has no entries`, { hint }));
  }
  if (fields.length === 0) return;

  function check(
    code: 'LST007' | 'LST008',
    isWrong: (entry: unknown) => boolean,
    { problem, hint, key }: { problem: string; hint?: string; key?: string },
  ): void {
    const first = entries.findIndex(isWrong);
    if (first === -1) return;
    const others = entries.filter(isWrong).length - 1;
    const path = `list.entries[${first}]${key === undefined ? '' : `[${JSON.stringify(key)}]`}`;
    const place = `entry ${first + 1}${others === 0 ? '' : ` and ${others} more`}`;
    const message = `the shared list '${list}' has ${problem} (${place})`;
    report(ruleFinding(code, path, message, hint === undefined ? {} : { hint }));
  }

  const notObjects = {
    problem: 'entries that are not objects',
    hint: 'An entry is an object with the declared fields.',
  };
  check('LST007', (entry) => !isObject(entry), notObjects);
  for (const { key, type, optional } of fields) {
    const name = JSON.stringify(key);
    // Null counts as absent, as in the filter `exists`.
    const valueIn = (entry: unknown) => (isObject(entry) && Object.hasOwn(entry, key) ? entry[key] : null) ?? null;
    if (!optional) {
      const hint = 'Fill it in, or write optional: true for the field.';
      const isMissing = (entry: unknown) => isObject(entry) && valueIn(entry) === null;
      check('LST007', isMissing, { problem: `entries without ${name}`, hint });
    }
    if (type === undefined) continue;
    const isOther = (entry: unknown) => valueIn(entry) !== null && !hasType(valueIn(entry), type);
    check('LST008', isOther, { problem: `values of ${name} that are no ${type}`, key });
  }
  // A misspelt optional field would go unnoticed.
  const declared = new Set(fields.map(({ key }) => key));
  const keys = new Set(entries.flatMap((entry) => (isObject(entry) ? Object.keys(entry) : [])));
  const undeclared = [...keys].filter((key) => !declared.has(key));
  if (undeclared.length === 0) return;
  const names = undeclared.slice(0, 10).map((key) => JSON.stringify(key));
  const more = undeclared.length > names.length ? ', …' : '';
  const message = `the entries of the shared list '${list}' have undeclared fields: ${names.join(', ')}${more}`;
  report(ruleFinding('LST017', 'list.entries', message, { hint: 'Declare them in meta.fields.' }));
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
