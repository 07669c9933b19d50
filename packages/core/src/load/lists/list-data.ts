import type { Report } from '../../schema/finding.ts';
import { ruleFinding } from '../../schema/finding-codes.ts';
import { fieldsOf } from '../../schema/format/fields.generated.ts';
import { isObject } from '../../schema/json.ts';
import { reportUnknownFields, textField } from '../../schema/rules/fields.ts';
import { checkListEntries, type ListField, listFieldTypes } from './list-entries.ts';

/** A shared list as its file has it, checked (specification 2.6). */
export interface ListData {
  name: string;
  /** Undefined where the file gives none. */
  version: string | undefined;
  dependsOn: readonly ListDependency[];
  entries: readonly unknown[];
}

/**
 * Checks what a list file exports. Undefined where nothing could be used; a list with flaws that do not keep its entries from
 * being used is given with findings.
 */
export function readListData(value: unknown, report: Report): ListData | undefined {
  if (!isObject(value) || !isObject(value.meta) || !Array.isArray(value.entries)) {
    const hint = "Write export const list = { meta: { name: '…', version: '1.0.0', fields: […] }, entries: […] }.";
    report(ruleFinding('LST001', 'list', 'a shared list is an object with meta and entries', { hint }));
    return undefined;
  }
  const { meta, entries } = value;
  const name = textField(meta, 'name');
  if (name === undefined) {
    const hint = "Schemas reference a list by its name. Write name: 'evmChains'.";
    report(ruleFinding('LST002', 'list.meta.name', 'a shared list needs meta.name', { hint }));
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
    report(ruleFinding('LST003', 'list.meta.version', `the shared list '${name}' ${found}`, { hint }));
  }
  return { name, version, dependsOn: readListDependencies(meta.dependsOn, name, report), entries };
}

const example = "{ key: 'alias', type: 'string', description: 'The name that callers use' }";

/** Reads `meta.fields` of a list. Descriptions may be missing: no list in use has them. */
function readListFields(value: unknown, list: string, report: Report): readonly ListField[] {
  if (!Array.isArray(value)) {
    const message = `the shared list '${list}' has no array of fields`;
    report(ruleFinding('LST004', 'list.meta.fields', message, { hint: `Write fields: [${example}].` }));
    return [];
  }
  const fields = new Map<string, ListField>();
  for (const [index, item] of value.entries()) {
    const path = `list.meta.fields[${index}]`;
    const wrong = (problem: string, hint: string) =>
      report(ruleFinding('LST005', path, `field ${index + 1} of the shared list '${list}' ${problem}`, { hint }));
    const key = isObject(item) ? textField(item, 'key') : undefined;
    if (!isObject(item) || key === undefined) {
      wrong('has no key', `Write ${example}.`);
      continue;
    }
    reportUnknownFields(item, fieldsOf.SharedListField, { path, report });
    const type = listFieldTypes.find((candidate) => candidate === item.type);
    if (type === undefined) wrong('has no known type', `Write one of ${listFieldTypes.join(', ')}.`);
    if (item.optional !== undefined && typeof item.optional !== 'boolean')
      wrong('has an optional that is not true or false', 'It is taken for false.');
    if (fields.has(key)) wrong(`has the key of another, ${JSON.stringify(key)}`, 'The first one counts.');
    else fields.set(key, { key, type, optional: item.optional === true });
  }
  return [...fields.values()];
}

/** Another list that a list relies on. */
export interface ListDependency {
  ref: string;
  /** Exact version; undefined takes any. */
  version?: string;
  /** The other list has an entry whose field has this value. */
  condition?: { field: string; value: unknown };
  /** Place in the file. */
  path: string;
}

/** Reads `meta.dependsOn` of a list. A bare name takes any version. */
function readListDependencies(value: unknown, list: string, report: Report): readonly ListDependency[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => {
      return readDependency(item, list, { path: `list.meta.dependsOn[${index}]`, report }) ?? [];
    });
  }
  if (value !== undefined && value !== null) {
    const hint = "Write dependsOn: [{ ref: 'currencies' }].";
    const message = `dependsOn of the shared list '${list}' is not an array`;
    report(ruleFinding('LST009', 'list.meta.dependsOn', message, { hint }));
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
    report(ruleFinding('LST009', path, message, { hint: "Write { ref: 'currencies', version: '1.0.0' }." }));
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
  report(ruleFinding('LST009', `${path}.condition`, message, { hint: "Write { field: 'code', value: 'EUR' }." }));
  return dependency;
}
