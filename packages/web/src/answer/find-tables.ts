import { type Column, columnOf, isScalar } from './columns.ts';

/** Records of an answer as rows. */
export interface Table {
  /** Keys from the root of the answer. */
  path: readonly string[];
  columns: readonly Column[];
  rows: readonly (readonly unknown[])[];
  /** A JMESPath expression for a part of it. */
  example: string;
  /** What each row was made of. */
  records: readonly unknown[];
}

const maxDepth = 4;
const maxTables = 8;
const maxColumns = 60;

/** The tables in an answer, the longest first. */
export function findTables(data: unknown): Table[] {
  const found: Table[] = [];
  look(data, [], found);
  return found.sort((one, other) => other.rows.length - one.rows.length).slice(0, maxTables);
}

function look(value: unknown, path: readonly string[], found: Table[]): void {
  if (path.length > maxDepth || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const table = tableOfRecords(value, path);
    if (table !== undefined) found.push(table);
    return;
  }
  const table = tableOfColumns(value as Record<string, unknown>, path);
  if (table !== undefined) found.push(table);
  else for (const [key, child] of Object.entries(value)) look(child, [...path, key], found);
}

function tableOfRecords(list: readonly unknown[], path: readonly string[]): Table | undefined {
  if (list.length === 0) return undefined;
  if (list.every(isScalar))
    return tableOf(
      ['value'],
      list.map((value) => [value]),
      list,
      path,
    );
  if (list.every(Array.isArray)) {
    const width = Math.max(...(list as unknown[][]).map(({ length }) => length));
    if (width === 0 || width > maxColumns) return undefined;
    const names = Array.from({ length: width }, (_, index) => String(index + 1));
    return tableOf(names, list as unknown[][], list, path);
  }
  if (!list.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item))) return undefined;
  const flat = list.map((item) => flatten(item as Record<string, unknown>));
  const keys = [...new Set(flat.flatMap((item) => [...item.keys()]))].slice(0, maxColumns);
  return tableOf(
    keys,
    flat.map((item) => keys.map((key) => item.get(key))),
    list,
    path,
  );
}

/** Lists of the same length under several keys, as APIs for time series send them: each is a column. */
function tableOfColumns(value: Record<string, unknown>, path: readonly string[]): Table | undefined {
  const lists = Object.entries(value).filter(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > 2 && entry[1].every(isScalar),
  );
  const length = lists[0]?.[1].length ?? 0;
  const isTable =
    lists.length > 1 &&
    lists.every(([, list]) => list.length === length) &&
    lists.some(([, list]) => list.some((item) => typeof item === 'number'));
  if (!isTable) return undefined;
  const keys = lists.map(([key]) => key);
  const rows = Array.from({ length }, (_, index) => lists.map(([, list]) => list[index]));
  const records = rows.map((row) => Object.fromEntries(keys.map((key, index) => [key, row[index]])));
  const example = [...path, keys[0] ?? ''].map(quoted).join('.');
  return { ...tableOf(keys, rows, records, path), example };
}

function tableOf(
  keys: readonly string[],
  rows: readonly (readonly unknown[])[],
  records: readonly unknown[],
  path: readonly string[],
): Table {
  const columns = keys.map((key, index) =>
    columnOf(
      key,
      rows.map((row) => row[index]),
    ),
  );
  return { path, example: exampleOf(path, keys[0] ?? '', records), columns, rows, records };
}

function exampleOf(path: readonly string[], key: string, [first]: readonly unknown[]): string {
  const list = path.map(quoted).join('.');
  const isRecord = typeof first === 'object' && first !== null && !Array.isArray(first);
  return isRecord ? `${list}[].${key.split('.').map(quoted).join('.')}` : `${list}[:10]`;
}

/** A key in JMESPath. */
function quoted(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
}

/** Objects inside a record become columns of their own, such as `price.amount`. */
function flatten(record: Record<string, unknown>): Map<string, unknown> {
  return new Map(
    Object.entries(record).flatMap(([key, value]): [string, unknown][] => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[key, value]];
      const inner = Object.entries(value);
      const isFlat = inner.length > 0 && inner.length <= 6 && inner.every(([, child]) => isScalar(child));
      return isFlat ? inner.map(([name, child]) => [`${key}.${name}`, child]) : [[key, value]];
    }),
  );
}
