import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { BoundValue, QueryRows, QueryTask } from '../query-message.ts';

/** Runs one statement and writes its rows as JSON, until they end or a limit is reached. */
export function runQuery(database: DatabaseSync, task: QueryTask): QueryRows {
  const { maxRows, maxBytes, maxCellBytes } = task;
  const statement = database.prepare(task.sql);
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  const names = uniqueNames(statement.columns().map(({ name }) => name));
  const texts: string[] = [];
  // The opening bracket; each row brings the comma or bracket after it.
  let bytes = 1;
  let cutCells = 0;
  let cutBy: QueryRows['cutBy'];
  for (const row of statement.iterate(...task.values.map(toSql))) {
    if (texts.length === maxRows) {
      cutBy = 'rows';
      break;
    }
    const cells = Object.values(row).map((value: SQLOutputValue) => cellValue(value, maxCellBytes));
    const text = JSON.stringify(Object.fromEntries(cells.map(({ value }, index) => [names[index] ?? '', value])));
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > maxBytes) {
      cutBy = 'bytes';
      break;
    }
    texts.push(text);
    cutCells += cells.filter(({ isCut }) => isCut).length;
  }
  return { json: `[${texts.join(',')}]`, count: texts.length, cutCells, ...(cutBy !== undefined && { cutBy }) };
}

/** Node.js binds every number as a float, which shows in text and in divisions. Whole numbers are integers here. */
function toSql(value: BoundValue): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** Columns that share a name get `_2`, `_3` and so on: a row is an object. */
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

/** A cell as JSON carries it. */
export interface Cell {
  value: string | number | null;
  isCut: boolean;
}

/**
 * Turns a value of SQLite into one of JSON: a BLOB into base64, an integer that a JSON number cannot hold exactly into its
 * digits, an infinite number into text. Text and BLOBs are cut at `maxBytes`.
 */
function cellValue(value: SQLOutputValue, maxBytes: number): Cell {
  if (typeof value === 'string') return cutText(value, maxBytes);
  if (value instanceof Uint8Array) {
    const part = Buffer.from(value.buffer, value.byteOffset, Math.min(value.byteLength, maxBytes));
    return { value: part.toString('base64'), isCut: value.byteLength > maxBytes };
  }
  if (typeof value === 'bigint') {
    const isSafe = value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
    return { value: isSafe ? Number(value) : String(value), isCut: false };
  }
  return { value: value === null || Number.isFinite(value) ? value : String(value), isCut: false };
}

function cutText(text: string, maxBytes: number): Cell {
  // No character has more than three bytes for each unit of its length.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return { value: text, isCut: false };
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return { value: text.slice(0, read), isCut: true };
}
