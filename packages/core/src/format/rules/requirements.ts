import type { Report } from '../finding.ts';
import { schemaFinding } from '../finding-codes.ts';
import { quote } from '../input/describe-input.ts';
import { isObject } from '../json.ts';
import { fieldsOf } from '../schema/fields.generated.ts';
import type { ListFilter, SharedListReference } from '../schema.ts';
import { serverParamName } from '../template.ts';
import { reportUnknownFields, textArray, textField } from './fields.ts';

/** Reads `requiredServerParams`. Absent is a warning: half of the schemas in use leave it out when they need none. */
export function readServerParams(main: Record<string, unknown>, report: Report): readonly string[] {
  if (main.requiredServerParams === undefined) {
    const hint = 'Write [] when the API needs no secret.';
    report(schemaFinding('VAL022', 'main.requiredServerParams', 'main.requiredServerParams is required', { hint }));
    return [];
  }
  const names = textArray(main.requiredServerParams);
  if (names === undefined) {
    report(
      schemaFinding('VAL022', 'main.requiredServerParams', 'main.requiredServerParams must be an array of names', {
        severity: 'error',
      }),
    );
  }
  // Some files write the placeholder's prefix here as well.
  return (names ?? []).map((name) => serverParamName(name) ?? name.trim());
}

/** Reads `requiredLibraries`. Absent means none. */
export function readLibraries(main: Record<string, unknown>, report: Report): readonly string[] {
  if (main.requiredLibraries === undefined) {
    const hint = 'Write [] when the handlers use no library.';
    report(schemaFinding('VAL025', 'main.requiredLibraries', 'main.requiredLibraries is required', { hint }));
    return [];
  }
  const names = textArray(main.requiredLibraries);
  if (names === undefined) {
    report(schemaFinding('VAL025', 'main.requiredLibraries', 'main.requiredLibraries must be an array of names'));
  }
  return names ?? [];
}

/** Reads `sharedLists`. A bare name takes any version. */
export function readListReferences(main: Record<string, unknown>, report: Report): readonly SharedListReference[] {
  const value = main.sharedLists;
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report(schemaFinding('VAL024', 'main.sharedLists', 'main.sharedLists must be an array of references'));
    return [];
  }
  const read = value.map((item, index) => readListReference(item, `main.sharedLists[${index}]`, report));
  reportRepeatedLists(read, report);
  return read.filter((reference) => reference !== undefined);
}

/** The entries of a list are known by its name, so there is one selection of them. */
function reportRepeatedLists(references: readonly (SharedListReference | undefined)[], report: Report): void {
  const last = new Map(references.map((reference, index) => [reference?.ref, index]));
  for (const [index, reference] of references.entries()) {
    if (reference === undefined || last.get(reference.ref) === index) continue;
    const message = `shared list '${reference.ref}' is referenced again, and only the last reference counts (main.sharedLists[${index}])`;
    const hint = 'Leave this one out. To choose several values, write in: […] in one filter.';
    report(schemaFinding('VAL076', `main.sharedLists[${index}]`, message, { hint }));
  }
}

function readListReference(item: unknown, path: string, report: Report): SharedListReference | undefined {
  if (typeof item === 'string' && item.trim() !== '') return { ref: item };
  const ref = isObject(item) ? textField(item, 'ref') : undefined;
  if (!isObject(item) || ref === undefined) {
    const hint = "Write { ref: 'evmChains', version: '1.0.0' }.";
    report(
      schemaFinding('VAL070', path, `a shared list reference needs ref, the name of the list (${path})`, { hint }),
    );
    return undefined;
  }
  reportUnknownFields(item, fieldsOf.SharedListReference, { path, report });
  const version = textField(item, 'version');
  if (version !== undefined && !/^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/.test(version)) {
    const message = `version ${quote(version)} of shared list '${ref}' is not a version such as 1.0.0 (${path})`;
    report(schemaFinding('VAL071', `${path}.version`, message, { hint: 'Write the version that the list has.' }));
  }
  if (version === undefined) {
    const hint = 'Any version is taken; name one so that a changed list is noticed.';
    report(
      schemaFinding('VAL071', `${path}.version`, `shared list '${ref}' is referenced without a version (${path})`, {
        hint,
      }),
    );
  }
  const filter = readFilter(item.filter, `${path}.filter`, report);
  return { ref, ...(version !== undefined && { version }), ...(filter && { filter }) };
}

/** What a filter can ask for; where there are several, the first one counts. */
const conditions: Readonly<Record<'exists' | 'value' | 'in', (filter: Record<string, unknown>) => boolean>> = {
  exists: (filter) => typeof filter.exists === 'boolean',
  value: (filter) => Object.hasOwn(filter, 'value'),
  in: (filter) => Array.isArray(filter.in),
};

function readFilter(value: unknown, path: string, report: Report): ListFilter | undefined {
  if (value === undefined) return undefined;
  // `field` is an older spelling of `key`.
  const names = isObject(value) ? ['key', 'field'].filter((name) => value[name] !== undefined) : [];
  const [key, ...others] = isObject(value) ? names.map((name) => textField(value, name)) : [];
  if (isObject(value) && key !== undefined && !others.includes(undefined)) {
    reportConditions(value, path, report);
    if (typeof value.exists === 'boolean') return { key, exists: value.exists };
    if (conditions.value(value)) return { key, value: value.value };
    if (Array.isArray(value.in)) return { key, in: value.in };
  }
  report(
    schemaFinding(
      'VAL074',
      path,
      `this filter keeps every entry: it needs key, and one of exists, value or in (${path})`,
      {
        hint: "Write filter: { key: 'alias', exists: true }.",
      },
    ),
  );
  return undefined;
}

function reportConditions(filter: Record<string, unknown>, path: string, report: Report): void {
  const names = Object.keys(conditions) as (keyof typeof conditions)[];
  const used = names.find((name) => conditions[name](filter));
  const others = names.filter((name) => name !== used && filter[name] !== undefined);
  if (used !== undefined && others.length > 0) {
    const message = `this filter has more than one condition: ${used} counts, and ${others.join(' and ')} does not (${path})`;
    report(schemaFinding('VAL074', path, message, { hint: 'Write one of exists, value and in.' }));
  }
  reportUnknownFields(filter, fieldsOf.ListFilter, { path, report });
}
