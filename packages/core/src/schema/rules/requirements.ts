import { fieldsOf } from '../format/fields.generated.ts';
import { quote } from '../input/describe-input.ts';
import { isObject } from '../json.ts';
import type { RuleReport } from '../rule-report.ts';
import type { ListFilter, SharedListReference } from '../schema.ts';
import { serverParamName } from '../template.ts';
import { reportUnknownFields, textArray, textField } from './fields.ts';

/** Parses `requiredServerParams`. Missing is only a warning: many existing schemas without secrets leave it out. */
export function parseServerParams(main: Record<string, unknown>, report: RuleReport): readonly string[] {
  const path = 'main.requiredServerParams';
  const value = main.requiredServerParams;
  const names = value === undefined ? [] : textArray(value);
  if (value === undefined) report('VAL022', path, `${path} is required`, 'Write [] when the API needs no secret.');
  if (names === undefined) report('VAL022', path, `${path} must be an array of names`, { severity: 'error' });
  // Some files write the prefix `SERVER_PARAM:` here too.
  return (names ?? []).map((name) => serverParamName(name) ?? name.trim());
}

/** Parses `requiredLibraries`. Default none. */
export function parseLibraries(main: Record<string, unknown>, report: RuleReport): readonly string[] {
  const path = 'main.requiredLibraries';
  const value = main.requiredLibraries;
  const names = value === undefined ? [] : textArray(value);
  if (value === undefined) report('VAL025', path, `${path} is required`, 'Write [] when the handlers use no library.');
  if (names === undefined) report('VAL025', path, `${path} must be an array of names`);
  return names ?? [];
}

/** Parses `sharedLists`. A bare name matches any version. */
export function parseListReferences(main: Record<string, unknown>, report: RuleReport): readonly SharedListReference[] {
  const value = main.sharedLists;
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report('VAL024', 'main.sharedLists', 'main.sharedLists must be an array of references');
    return [];
  }
  const read = value.map((item, index) => parseListReference(item, `main.sharedLists[${index}]`, report));
  reportRepeatedLists(read, report);
  return read.filter((reference) => reference !== undefined);
}

/** Handlers and enums use a list by name, so only one reference can apply. */
function reportRepeatedLists(references: readonly (SharedListReference | undefined)[], report: RuleReport): void {
  const last = new Map(references.map((reference, index) => [reference?.ref, index]));
  for (const [index, reference] of references.entries()) {
    if (reference === undefined || last.get(reference.ref) === index) continue;
    const message = `shared list '${reference.ref}' is referenced twice; only the last reference is used (main.sharedLists[${index}])`;
    const hint = 'Remove this one. To select several values, write in: […] in one filter.';
    report('VAL076', `main.sharedLists[${index}]`, message, hint);
  }
}

function parseListReference(item: unknown, path: string, report: RuleReport): SharedListReference | undefined {
  if (typeof item === 'string' && item.trim() !== '') return { ref: item };
  const ref = isObject(item) ? textField(item, 'ref') : undefined;
  if (!isObject(item) || ref === undefined) {
    const hint = "Write { ref: 'evmChains', version: '1.0.0' }.";
    return report('VAL070', path, `a shared list reference needs ref, the name of the list (${path})`, hint);
  }
  reportUnknownFields(item, fieldsOf.SharedListReference, { path, report });
  const version = textField(item, 'version');
  if (version !== undefined && !/^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/.test(version)) {
    const message = `version ${quote(version)} of shared list '${ref}' is not a version such as 1.0.0 (${path})`;
    report('VAL071', `${path}.version`, message, 'Write the version of the list.');
  }
  if (version === undefined) {
    const hint = 'Any version matches; name one to notice when the list changes.';
    report('VAL071', `${path}.version`, `shared list '${ref}' is referenced without a version (${path})`, hint);
  }
  const filter = parseFilter(item.filter, `${path}.filter`, report);
  return { ref, ...(version !== undefined && { version }), ...(filter && { filter }) };
}

function parseFilter(value: unknown, path: string, report: RuleReport): ListFilter | undefined {
  if (value === undefined) return undefined;
  const filter = isObject(value) ? value : {};
  // `field` is an older spelling of `key`.
  const names = ['key', 'field'].filter((name) => filter[name] !== undefined);
  const [key, ...others] = names.map((name) => textField(filter, name));
  const isNamed = key !== undefined && !others.includes(undefined);
  const condition = isNamed ? parseCondition(filter, path, report) : undefined;
  if (condition !== undefined) return { key, ...condition } as ListFilter;
  const message = `the filter is ignored: it needs key and one of exists, value or in (${path})`;
  return report('VAL074', path, message, "Write filter: { key: 'alias', exists: true }.");
}

/** The condition of a filter; the first one if there are several. */
function parseCondition(filter: Record<string, unknown>, path: string, report: RuleReport): object | undefined {
  const conditions = {
    exists: typeof filter.exists === 'boolean',
    value: Object.hasOwn(filter, 'value'),
    in: Array.isArray(filter.in),
  };
  const names = ['exists', 'value', 'in'] as const;
  const used = names.find((name) => conditions[name]);
  const others = names.filter((name) => name !== used && filter[name] !== undefined);
  if (used !== undefined && others.length > 0) {
    const message = `the filter has several conditions: ${used} is used, not ${others.join(' and ')} (${path})`;
    report('VAL074', path, message, 'Write only one of exists, value and in.');
  }
  reportUnknownFields(filter, fieldsOf.ListFilter, { path, report });
  return used && { [used]: filter[used] };
}
