import type { Report } from '../format/finding.ts';
import { isObject } from '../format/json.ts';
import { listFinding } from '../format/list-codes.ts';
import { reportUnknownFields, textField } from '../format/rules/fields.ts';

/** What `meta.fields` says about one field of the entries. */
export interface ListField {
  key: string;
  /** Undefined where it is not known; values are then not checked. */
  type: ListFieldType | undefined;
  optional: boolean;
}

export const listFieldTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
export type ListFieldType = (typeof listFieldTypes)[number];

const known = ['key', 'type', 'optional', 'description'];
const example = "{ key: 'alias', type: 'string', description: 'The name that callers use' }";

/** Reads `meta.fields` of a list. Descriptions may be missing: no list in use has them. */
export function readListFields(
  value: unknown,
  { list, report }: { list: string; report: Report },
): readonly ListField[] {
  if (!Array.isArray(value)) {
    const message = `the shared list '${list}' has no array of fields`;
    report(listFinding('LST004', 'list.meta.fields', message, { hint: `Write fields: [${example}].` }));
    return [];
  }
  const fields = new Map<string, ListField>();
  for (const [index, item] of value.entries()) {
    const path = `list.meta.fields[${index}]`;
    const wrong = (problem: string, hint: string) =>
      report(listFinding('LST005', path, `field ${index + 1} of the shared list '${list}' ${problem}`, { hint }));
    const key = isObject(item) ? textField(item, 'key') : undefined;
    if (!isObject(item) || key === undefined) {
      wrong('has no key', `Write ${example}.`);
      continue;
    }
    reportUnknownFields(item, known, { path, report });
    const type = listFieldTypes.find((candidate) => candidate === item.type);
    if (type === undefined) wrong('has no known type', `Write one of ${listFieldTypes.join(', ')}.`);
    if (item.optional !== undefined && typeof item.optional !== 'boolean')
      wrong('has an optional that is not true or false', 'It is taken for false.');
    if (fields.has(key)) wrong(`has the key of another, ${JSON.stringify(key)}`, 'The first one counts.');
    else fields.set(key, { key, type, optional: item.optional === true });
  }
  return [...fields.values()];
}
