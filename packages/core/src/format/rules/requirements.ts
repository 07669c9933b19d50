import type { Report } from '../finding.ts';
import { schemaFinding } from '../finding-codes.ts';
import { isObject } from '../json.ts';
import type { ListFilter, SharedListReference } from '../schema.ts';
import { serverParamName } from '../template.ts';
import { textArray, textField } from './fields.ts';

/** Reads `requiredServerParams`. Absent is a warning: half of the schemas in use leave it out when they need none. */
export function readServerParams(main: Record<string, unknown>, report: Report): readonly string[] {
  if (main.requiredServerParams === undefined) {
    report(
      schemaFinding('VAL022', 'main.requiredServerParams', 'main.requiredServerParams is required', {
        hint: 'Write [] when the API needs no secret.',
      }),
    );
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
    report(
      schemaFinding('VAL025', 'main.requiredLibraries', 'main.requiredLibraries is required', {
        hint: 'Write [] when the handlers use no library.',
      }),
    );
    return [];
  }
  const names = textArray(main.requiredLibraries);
  if (names === undefined) {
    report(schemaFinding('VAL025', 'main.requiredLibraries', 'main.requiredLibraries must be an array of names'));
  }
  return names ?? [];
}

/** Reads `sharedLists` (specification 2.6). A bare name takes any version. */
export function readListReferences(main: Record<string, unknown>, report: Report): readonly SharedListReference[] {
  const value = main.sharedLists;
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report(schemaFinding('VAL024', 'main.sharedLists', 'main.sharedLists must be an array of references'));
    return [];
  }
  return value.flatMap((item, index) => readListReference(item, `main.sharedLists[${index}]`, report) ?? []);
}

function readListReference(item: unknown, path: string, report: Report): SharedListReference | undefined {
  if (typeof item === 'string' && item.trim() !== '') return { ref: item };
  const ref = isObject(item) ? textField(item, 'ref') : undefined;
  if (!isObject(item) || ref === undefined) {
    report(
      schemaFinding('VAL070', path, `a shared list reference needs ref, the name of the list (${path})`, {
        hint: "Write { ref: 'evmChains', version: '1.0.0' }.",
      }),
    );
    return undefined;
  }
  const version = textField(item, 'version');
  if (version === undefined) {
    report(
      schemaFinding('VAL071', `${path}.version`, `shared list '${ref}' is referenced without a version (${path})`, {
        hint: 'Any version is taken; name one so that a changed list is noticed.',
      }),
    );
  }
  const filter = readFilter(item.filter, `${path}.filter`, report);
  return { ref, ...(version !== undefined && { version }), ...(filter && { filter }) };
}

function readFilter(value: unknown, path: string, report: Report): ListFilter | undefined {
  if (value === undefined) return undefined;
  // `field` is an older spelling of `key`.
  const key = isObject(value) ? (textField(value, 'key') ?? textField(value, 'field')) : undefined;
  if (isObject(value) && key !== undefined) {
    if (typeof value.exists === 'boolean') return { key, exists: value.exists };
    if (Object.hasOwn(value, 'value')) return { key, value: value.value };
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
