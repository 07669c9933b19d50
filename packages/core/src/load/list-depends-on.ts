import type { Report } from '../format/finding.ts';
import { isObject } from '../format/json.ts';
import { listFinding } from '../format/list-codes.ts';
import { reportUnknownFields, textField } from '../format/rules/fields.ts';

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

interface DependsOnContext {
  list: string;
  report: Report;
}

/** Reads `meta.dependsOn` of a list. A bare name takes any version. */
export function readListDependencies(value: unknown, { list, report }: DependsOnContext): readonly ListDependency[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    const message = `dependsOn of the shared list '${list}' is not an array`;
    report(
      listFinding('LST009', 'list.meta.dependsOn', message, { hint: "Write dependsOn: [{ ref: 'currencies' }]." }),
    );
    return [];
  }
  return value.flatMap((item: unknown, index) => {
    const path = `list.meta.dependsOn[${index}]`;
    return readDependency(item, { list, path, report }) ?? [];
  });
}

function readDependency(
  item: unknown,
  { list, path, report }: DependsOnContext & { path: string },
): ListDependency | undefined {
  if (typeof item === 'string' && item.trim() !== '') return { ref: item, path };
  const ref = isObject(item) ? textField(item, 'ref') : undefined;
  if (!isObject(item) || ref === undefined) {
    const message = `the shared list '${list}' depends on a list without a name (${path})`;
    report(listFinding('LST009', path, message, { hint: "Write { ref: 'currencies', version: '1.0.0' }." }));
    return undefined;
  }
  reportUnknownFields(item, ['ref', 'version', 'condition'], { path, report });
  const version = textField(item, 'version');
  const condition = readCondition(item.condition);
  if (condition === null) {
    const message = `the condition of '${list}' on '${ref}' needs field and value (${path})`;
    report(listFinding('LST009', `${path}.condition`, message, { hint: "Write { field: 'code', value: 'EUR' }." }));
  }
  return { ref, path, ...(version !== undefined && { version }), ...(condition && { condition }) };
}

/** Undefined where there is none, null where it says nothing. */
function readCondition(value: unknown): ListDependency['condition'] | null | undefined {
  if (value === undefined) return undefined;
  const field = isObject(value) ? textField(value, 'field') : undefined;
  if (!isObject(value) || field === undefined || !Object.hasOwn(value, 'value')) return null;
  return { field, value: value.value };
}
