import { childPath } from '../schema/finding.ts';
import { isObject } from '../schema/json.ts';

/** A part of an answer that was left out to shorten it. */
export type Cut =
  | { path: string; kind: 'items' | 'lines'; returned: number; total: number; omitted: number }
  /** A text or a value that is too long by itself; `length` is that of its JSON. Texts are never cut in the middle. */
  | { path: string; kind: 'value'; length: number };

/** Data that fits, and the parts that were left out. */
export interface FittedData {
  data: unknown;
  cuts: Cut[];
}

/**
 * Shortens JSON data to a length. Arrays lose items at their end, each array with a share of the room; values that are too long by
 * themselves are left out. Everything that is left out is reported, because models invent what they do not know is missing.
 */
export function fitData(data: unknown, maxLength: number): FittedData {
  const cuts: Cut[] = [];
  const measured = measure(data, maxLength);
  const kept = measured.length <= maxLength ? data : fit(measured, { room: maxLength, path: '$', cuts });
  return { data: kept === left ? null : kept, cuts };
}

/** A value with the length of its JSON, measured once: otherwise deep data would take quadratic time. */
interface Measured {
  value: unknown;
  /** More than the limit if it is longer: then not all of it is measured. */
  length: number;
  /** Those up to the limit. */
  items?: Measured[];
  entries?: [key: string, child: Measured][];
}

interface Place {
  room: number;
  path: string;
  cuts: Cut[];
}

const left = Symbol('left out');

function measure(value: unknown, limit: number): Measured {
  if (Array.isArray(value)) {
    const items: Measured[] = [];
    let length = value.length === 0 ? 2 : 1;
    for (const each of value) {
      const item = measure(each, limit - length);
      items.push(item);
      length += item.length + 1;
      if (length > limit) break;
    }
    return { value, length, items };
  }
  if (isObject(value)) {
    const entries = Object.entries(value)
      .filter(([, child]) => child !== undefined)
      .map(([key, child]): [string, Measured] => [key, measure(child, limit)]);
    const keys = entries.reduce((sum, [key, child]) => sum + keyLength(key) + child.length + 1, 0);
    return { value, length: 2 + keys - (entries.length > 0 ? 1 : 0), entries };
  }
  return { value, length: jsonLength(value) };
}

function jsonLength(value: unknown): number {
  return (JSON.stringify(value) ?? 'null').length;
}

function keyLength(key: string): number {
  return JSON.stringify(key).length + 1;
}

function fit(node: Measured, place: Place): unknown {
  if (node.length <= place.room) return node.value;
  // The brackets take two.
  if (place.room >= 2 && node.items !== undefined) return fitItems(node, place);
  if (place.room >= 2 && node.entries !== undefined) return fitEntries(node.entries, place);
  place.cuts.push({ path: place.path, kind: 'value', length: jsonLength(node.value) });
  return left;
}

/** As many items as fit, from the first. Only the first one is shortened if it is too long. */
function fitItems({ value: list, items = [] }: Measured, { room, path, cuts }: Place): unknown {
  const kept: unknown[] = [];
  let used = 2;
  for (const [index, item] of items.entries()) {
    const free = room - used - 1;
    if (item.length > free && index > 0) break;
    const itemCuts: Cut[] = [];
    const value = fit(item, { room: free, path: `${path}[${index}]`, cuts: itemCuts });
    if (value === left) break;
    kept.push(value);
    cuts.push(...itemCuts);
    used += Math.min(item.length, free) + 1;
  }
  const total = Array.isArray(list) ? list.length : items.length;
  cuts.push({ path, kind: 'items', returned: kept.length, total, omitted: total - kept.length });
  return kept;
}

/** All keys if possible: small values whole, large ones with equal shares of the remaining room. */
function fitEntries(entries: readonly [string, Measured][], { room, path, cuts }: Place): unknown {
  const shares = shareOut(
    entries.map(([key, child]) => keyLength(key) + child.length + 1),
    room - 2,
  );
  const kept: [string, unknown][] = [];
  for (const [index, [key, child]] of entries.entries()) {
    const free = (shares[index] ?? 0) - keyLength(key) - 1;
    const value = fit(child, { room: free, path: childPath(path, key), cuts });
    if (value !== left) kept.push([key, value]);
  }
  return Object.fromEntries(kept);
}

/** Gives each what it asks for, or an equal share of the rest if that is less. */
function shareOut(wishes: readonly number[], room: number): number[] {
  const shares = wishes.map(() => 0);
  const bySize = wishes.map((wish, index) => ({ wish, index })).sort((a, b) => a.wish - b.wish);
  let free = Math.max(room, 0);
  for (const [rank, { wish, index }] of bySize.entries()) {
    const share = Math.min(wish, Math.floor(free / (bySize.length - rank)));
    shares[index] = share;
    free -= share;
  }
  return shares;
}

/** Shortens an answer: data loses items of its lists, a text whole lines, since a text that is cut within a line looks complete. */
export function fitText(data: unknown, text: string, maxLength: number): FittedData & { text: string } {
  if (text.length <= maxLength) return { data, text, cuts: [] };
  if (typeof data === 'string') return fitLines(data, maxLength);
  const fitted = fitData(data, maxLength);
  return { ...fitted, text: JSON.stringify(fitted.data) };
}

function fitLines(data: string, maxLength: number): FittedData & { text: string } {
  const end = data.lastIndexOf('\n', maxLength - 1);
  const text = end === -1 ? '' : data.slice(0, end + 1);
  const total = countLines(data);
  const returned = countLines(text);
  return { data: text, text, cuts: [{ path: '$', kind: 'lines', returned, total, omitted: total - returned }] };
}

function countLines(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
