import type { Report } from '../../schema/finding.ts';
import { ruleFinding } from '../../schema/finding-codes.ts';
import { fieldsOf } from '../../schema/format/fields.generated.ts';
import { isObject } from '../../schema/json.ts';
import { reportUnknownFields, textField } from '../../schema/rules/fields.ts';

/** The checked contents of a shared list (docs/lists.md). */
export interface ListData {
  name: string;
  version: string | undefined;
  dependsOn: readonly ListDependency[];
  entries: readonly unknown[];
}

/** Checks the export of a list file. Undefined if the list is unusable. */
export function readListData(value: unknown, report: Report): ListData | undefined {
  if (!isObject(value) || !isObject(value.meta) || !Array.isArray(value.entries)) {
    const hint = "Write export const list = { meta: { name: '…', version: '1.0.0', fields: […] }, entries: […] }.";
    report(ruleFinding('LST001', 'list', 'a shared list is an object with meta and entries', hint));
    return undefined;
  }
  const { meta, entries } = value;
  const name = textField(meta, 'name');
  if (name === undefined) {
    const hint = "Schemas reference a list by its name. Write name: 'evmChains'.";
    report(ruleFinding('LST002', 'list.meta.name', 'a shared list needs meta.name', hint));
    return undefined;
  }
  reportUnknownFields(value, fieldsOf.SharedList, { path: 'list', report });
  reportUnknownFields(meta, fieldsOf.SharedListMeta, { path: 'list.meta', report });
  if (!/^\w+$/.test(name)) {
    const hint = 'Use letters, digits and underscores.';
    const message = `no placeholder can name the shared list ${JSON.stringify(name)}`;
    report(ruleFinding('LST002', 'list.meta.name', message, { hint, severity: 'warning' }));
  }
  const fields = readListFields(meta.fields, name, report);
  checkListEntries(entries, { list: name, fields, report });
  const version = textField(meta, 'version');
  if (version === undefined || !/^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/.test(version)) {
    const found = version === undefined ? 'has no version' : `has the version ${JSON.stringify(version)}`;
    const hint = 'Schemas ask for an exact version. Write three numbers, such as 1.0.0.';
    report(ruleFinding('LST003', 'list.meta.version', `the shared list '${name}' ${found}`, hint));
  }
  return { name, version, dependsOn: readListDependencies(meta.dependsOn, name, report), entries };
}

const example = "{ key: 'alias', type: 'string', description: 'The name that callers use' }";

/** Reads `meta.fields` of a list. Descriptions are optional. */
function readListFields(value: unknown, list: string, report: Report): readonly ListField[] {
  if (!Array.isArray(value)) {
    const message = `the shared list '${list}' has no array of fields`;
    report(ruleFinding('LST004', 'list.meta.fields', message, `Write fields: [${example}].`));
    return [];
  }
  const fields = new Map<string, ListField>();
  for (const [index, item] of value.entries()) {
    const path = `list.meta.fields[${index}]`;
    const wrong = (problem: string, hint: string) =>
      report(ruleFinding('LST005', path, `field ${index + 1} of the shared list '${list}' ${problem}`, hint));
    const key = isObject(item) ? textField(item, 'key') : undefined;
    if (!isObject(item) || key === undefined) {
      wrong('has no key', `Write ${example}.`);
      continue;
    }
    reportUnknownFields(item, fieldsOf.SharedListField, { path, report });
    const type = listFieldTypes.find((candidate) => candidate === item.type);
    if (type === undefined) wrong('has no known type', `Write one of ${listFieldTypes.join(', ')}.`);
    if (item.optional !== undefined && typeof item.optional !== 'boolean')
      wrong('has an optional that is not true or false', 'It is treated as false.');
    if (fields.has(key)) wrong(`repeats the key ${JSON.stringify(key)}`, 'The first one is used.');
    else fields.set(key, { key, type, optional: item.optional === true });
  }
  return [...fields.values()];
}

/** An entry of `meta.dependsOn`. */
export interface ListDependency {
  ref: string;
  /** Exact version; any if undefined. */
  version?: string;
  /** The other list must have an entry with this value. */
  condition?: { field: string; value: unknown };
  /** Path in the file. */
  path: string;
}

/** Reads `meta.dependsOn` of a list. A plain name accepts any version. */
function readListDependencies(value: unknown, list: string, report: Report): readonly ListDependency[] {
  if (Array.isArray(value)) {
    return value.flatMap(
      (item: unknown, index) => readDependency(item, list, { path: `list.meta.dependsOn[${index}]`, report }) ?? [],
    );
  }
  if (value !== undefined && value !== null) {
    const hint = "Write dependsOn: [{ ref: 'currencies' }].";
    const message = `dependsOn of the shared list '${list}' is not an array`;
    report(ruleFinding('LST009', 'list.meta.dependsOn', message, hint));
  }
  return [];
}

function readDependency(
  item: unknown,
  list: string,
  { path, report }: { path: string; report: Report },
): ListDependency | undefined {
  if (typeof item === 'string' && item.trim() !== '') return { ref: item, path };
  const ref = isObject(item) ? textField(item, 'ref') : undefined;
  if (!isObject(item) || ref === undefined) {
    const message = `the shared list '${list}' depends on a list without a name (${path})`;
    report(ruleFinding('LST009', path, message, "Write { ref: 'currencies', version: '1.0.0' }."));
    return undefined;
  }
  reportUnknownFields(item, fieldsOf.SharedListDependency, { path, report });
  const version = textField(item, 'version');
  const dependency = { ref, path, ...(version !== undefined && { version }) };
  const { condition } = item;
  if (condition === undefined) return dependency;
  const field = isObject(condition) ? textField(condition, 'field') : undefined;
  if (isObject(condition) && field !== undefined && Object.hasOwn(condition, 'value')) {
    return { ...dependency, condition: { field, value: condition.value } };
  }
  const message = `the condition of '${list}' on '${ref}' needs field and value (${path})`;
  report(ruleFinding('LST009', `${path}.condition`, message, "Write { field: 'code', value: 'EUR' }."));
  return dependency;
}

const listFieldTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
type ListFieldType = (typeof listFieldTypes)[number];

/** An entry of `meta.fields`. */
interface ListField {
  key: string;
  /** Undefined for an unknown type; values are then not checked. */
  type: ListFieldType | undefined;
  optional: boolean;
}

/** Checks the entries of a list. Each problem is reported once per field. Without declared fields, entries may be plain values. */
function checkListEntries(
  entries: readonly unknown[],
  { list, fields, report }: { list: string; fields: readonly ListField[]; report: Report },
): void {
  if (entries.length === 0) {
    const hint = 'Enums that take their values from it have none.';
    report(ruleFinding('LST006', 'list.entries', `the shared list '${list}' has no entries`, hint));
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
    report(ruleFinding(code, path, message, hint));
  }

  const notObjects = {
    problem: 'entries that are not objects',
    hint: 'An entry is an object with the declared fields.',
  };
  check('LST007', (entry) => !isObject(entry), notObjects);
  for (const { key, type, optional } of fields) {
    const name = JSON.stringify(key);
    // Null counts as missing, as in the filter `exists`.
    const valueIn = (entry: unknown) => (isObject(entry) && Object.hasOwn(entry, key) ? entry[key] : null) ?? null;
    if (!optional) {
      const hint = 'Fill it in, or write optional: true for the field.';
      const isMissing = (entry: unknown) => isObject(entry) && valueIn(entry) === null;
      check('LST007', isMissing, { problem: `entries without ${name}`, hint });
    }
    if (type === undefined) continue;
    const isOther = (entry: unknown) => valueIn(entry) !== null && !hasType(valueIn(entry), type);
    check('LST008', isOther, { problem: `values of ${name} that are not of type ${type}`, key });
  }
  // A misspelt optional field would be ignored silently.
  const declared = new Set(fields.map(({ key }) => key));
  const keys = new Set(entries.flatMap((entry) => (isObject(entry) ? Object.keys(entry) : [])));
  const undeclared = [...keys].filter((key) => !declared.has(key));
  if (undeclared.length === 0) return;
  const names = undeclared.slice(0, 10).map((key) => JSON.stringify(key));
  const more = undeclared.length > names.length ? ', …' : '';
  const message = `the entries of the shared list '${list}' have undeclared fields: ${names.join(', ')}${more}`;
  report(ruleFinding('LST017', 'list.entries', message, 'Declare them in meta.fields.'));
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
