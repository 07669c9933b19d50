import type { SQLOutputValue } from 'node:sqlite';

/** A cell as JSON carries it. */
export interface Cell {
  value: string | number | null;
  isCut: boolean;
}

/**
 * Turns a value of SQLite into one of JSON: a BLOB into base64, an integer that a JSON number cannot hold exactly into its
 * digits, an infinite number into text. Text and BLOBs are cut at `maxBytes`.
 */
export function cellValue(value: SQLOutputValue, maxBytes: number): Cell {
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
