import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { BoundValue, QueryRows, QueryTask } from '../query-message.ts';

/** Runs one statement and writes its rows as JSON, up to the limits. */
export function runQuery(database: DatabaseSync, task: QueryTask): QueryRows {
  const { maxRows, maxBytes, maxCellBytes } = task;
  const statement = database.prepare(task.sql);
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  const names = uniqueNames(statement.columns().map(({ name }) => name));
  const texts: string[] = [];
  // The opening bracket; each row adds the comma or bracket after it.
  let bytes = 1;
  let truncatedCells = 0;
  let truncatedBy: QueryRows['truncatedBy'];
  for (const row of statement.iterate(...task.values.map(toSql))) {
    if (texts.length === maxRows) {
      truncatedBy = 'rows';
      break;
    }
    const cells = Object.values(row).map((value: SQLOutputValue) => cellValue(value, maxCellBytes));
    const text = JSON.stringify(Object.fromEntries(cells.map(({ value }, index) => [names[index] ?? '', value])));
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > maxBytes) {
      truncatedBy = 'bytes';
      break;
    }
    texts.push(text);
    truncatedCells += cells.filter(({ isTruncated }) => isTruncated).length;
  }
  return { json: `[${texts.join(',')}]`, count: texts.length, truncatedCells, ...(truncatedBy && { truncatedBy }) };
}

/** Binds whole numbers as integers. Node.js would bind them as floats, which differ in text and in divisions. */
function toSql(value: BoundValue): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** Adds `_2`, `_3` and so on to repeated column names, since rows are objects. */
function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 2; taken.has(unique) || (count > 2 && names.includes(unique)); count += 1)
      unique = `${name}_${count}`;
    taken.add(unique);
    return unique;
  });
}

type Cell = { value: string | number | null; isTruncated: boolean };

/** Converts a value of SQLite to JSON as in docs/resources.md, "Rows". Truncates text and BLOBs at `maxBytes`. */
function cellValue(value: SQLOutputValue, maxBytes: number): Cell {
  if (typeof value === 'string') return truncateText(value, maxBytes);
  if (value instanceof Uint8Array) {
    const part = Buffer.from(value.buffer, value.byteOffset, Math.min(value.byteLength, maxBytes));
    return { value: part.toString('base64'), isTruncated: value.byteLength > maxBytes };
  }
  if (typeof value === 'bigint') {
    const isSafe = value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
    return { value: isSafe ? Number(value) : String(value), isTruncated: false };
  }
  return { value: value === null || Number.isFinite(value) ? value : String(value), isTruncated: false };
}

function truncateText(text: string, maxBytes: number): Cell {
  // UTF-8 needs at most three bytes for each unit of `length`.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return { value: text, isTruncated: false };
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return { value: text.slice(0, read), isTruncated: true };
}
