import type { Report } from '../format/finding.ts';
import { isObject } from '../format/json.ts';
import { listFinding } from '../format/list-codes.ts';
import { reportUnknownFields, textField } from '../format/rules/fields.ts';
import { type ListDependency, readListDependencies } from './list-depends-on.ts';
import { checkListEntries } from './list-entries.ts';
import { type ListField, readListFields } from './list-fields.ts';

/** A shared list as its file has it, checked (specification 2.6). */
export interface ListData {
  name: string;
  /** Undefined where the file gives none. */
  version: string | undefined;
  fields: readonly ListField[];
  dependsOn: readonly ListDependency[];
  entries: readonly unknown[];
}

const metaFields = ['name', 'version', 'description', 'fields', 'dependsOn'];

/**
 * Checks what a list file exports. Undefined where nothing could be used; a list with flaws that do not keep its entries from
 * being used is given with findings.
 */
export function readListData(value: unknown, report: Report): ListData | undefined {
  if (!isObject(value) || !isObject(value.meta) || !Array.isArray(value.entries)) {
    const hint = "Write export const list = { meta: { name: '…', version: '1.0.0', fields: […] }, entries: […] }.";
    report(listFinding('LST001', 'list', 'a shared list is an object with meta and entries', { hint }));
    return undefined;
  }
  const { meta, entries } = value;
  const name = textField(meta, 'name');
  if (name === undefined) {
    const hint = "Schemas reference a list by its name. Write name: 'evmChains'.";
    report(listFinding('LST002', 'list.meta.name', 'a shared list needs meta.name', { hint }));
    return undefined;
  }
  reportUnknownFields(value, ['meta', 'entries'], { path: 'list', report });
  reportUnknownFields(meta, metaFields, { path: 'list.meta', report });
  if (!/^\w+$/.test(name)) {
    const hint = 'Use letters, digits and underscores.';
    const message = `no placeholder can name the shared list ${JSON.stringify(name)}`;
    report(listFinding('LST002', 'list.meta.name', message, { hint, severity: 'warning' }));
  }
  const context = { list: name, report };
  const fields = readListFields(meta.fields, context);
  checkListEntries(entries, { ...context, fields });
  return {
    name,
    version: readVersion(meta.version, context),
    fields,
    dependsOn: readListDependencies(meta.dependsOn, context),
    entries,
  };
}

function readVersion(value: unknown, { list, report }: { list: string; report: Report }): string | undefined {
  const version = typeof value === 'string' && value.trim() !== '' ? value : undefined;
  if (version === undefined || !/^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/.test(version)) {
    const found = version === undefined ? 'has no version' : `has the version ${JSON.stringify(version)}`;
    const hint = 'Schemas ask for an exact version. Write three numbers, such as 1.0.0.';
    report(listFinding('LST003', 'list.meta.version', `the shared list '${list}' ${found}`, { hint }));
  }
  return version;
}
