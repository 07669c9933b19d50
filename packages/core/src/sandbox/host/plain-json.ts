import { Buffer } from 'node:buffer';
import { types } from 'node:util';
import { lengthOf, type ResultText, writeApart } from '../answer-apart.ts';
import { MAX_RESULT_LENGTH } from '../host-message.ts';
import { HostFailure } from './thrown.ts';

const MAX_DEPTH = 256;
const MAX_NODES = 2_000_000;

/**
 * Writes what a hook returned as JSON text; the empty string stands for `undefined`.
 *
 * Beyond JSON: bigint -> decimal string; Map -> object, or entries where a key is no string; Set -> array; bytes (Buffer,
 * Uint8Array, ArrayBuffer, DataView) -> base64; other typed arrays -> numbers; errors -> `{ name, message }`; boxed values ->
 * their value; a reference to something that holds it -> `'[Circular]'`. Instances of classes count as their own enumerable
 * properties, or as what their `toJSON` gives; `toJSON` of a plain object is a function like any other, and those are dropped.
 *
 * Reading the value may run code of the handler. That is harmless here, where such code runs anyway; what leaves is text.
 */
export function toPlainJson(value: unknown): string {
  return write(value, (plain) => ({ json: stringify(plain) ?? '' })).json;
}

/**
 * Writes what a hook did as `toPlainJson` does, the data that it answers with apart: a text that `JSON.stringify` makes again
 * of what `JSON.parse` reads in it, so that our process need not write it once more. Where it may be another, nothing is apart.
 */
export function toOutcomeText(outcome: unknown): ResultText {
  return write(outcome, (plain) => {
    const apart = isRawJsonUsed() ? undefined : writeApart(plain, stringify);
    // Also a getter that was read just now may have made some.
    return apart === undefined || isRawJsonUsed() ? { json: stringify(plain) ?? '' } : apart;
  });
}

// As it was before any library came.
const { stringify } = JSON;

function write(value: unknown, asText: (plain: unknown) => ResultText): ResultText {
  try {
    const count = newCount();
    const plain = isPlain(value, 0, count) ? value : toPlain(value, new Set(), newCount());
    if (count.length > MAX_RESULT_LENGTH) throw tooLarge(`at least ${count.length} characters of JSON`);
    const text = asText(plain);
    if (lengthOf(text) > MAX_RESULT_LENGTH) throw tooLarge(`${lengthOf(text)} characters of JSON`);
    return text;
  } catch (thrown) {
    if (HostFailure.read(thrown) !== undefined) throw thrown;
    throw invalid('it cannot be read');
  }
}

interface Count {
  nodes: number;
  /** Characters in strings and keys so far. */
  length: number;
}

function newCount(): Count {
  return { nodes: 0, length: 0 };
}

/** Tells whether JSON.stringify does the right thing with the value. Almost every answer is such, and this is the quick look. */
function isPlain(value: unknown, depth: number, count: Count): boolean {
  countNode(count);
  if (typeof value === 'string') {
    count.length += value.length;
    return true;
  }
  if (typeof value !== 'object') return typeof value === 'number' || typeof value === 'boolean' || value === undefined;
  if (value === null) return true;
  if (depth >= MAX_DEPTH || types.isProxy(value)) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isPlain(value[index], depth + 1, count)) return false;
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  // Measured twice as fast as the list of keys. What a prototype adds is a function, and no plain value.
  const properties = value as Record<string, unknown>;
  for (const key in properties) {
    count.length += key.length;
    if (!isPlain(properties[key], depth + 1, count)) return false;
  }
  return true;
}

/** Copies the value as data that JSON.stringify can take. `holders` are the objects that hold it. */
function toPlain(value: unknown, holders: Set<object>, count: Count): unknown {
  countNode(count);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') countLength(count, value);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (holders.has(value)) return '[Circular]';
  if (holders.size >= MAX_DEPTH) throw invalid(`it is nested deeper than ${MAX_DEPTH} levels`);
  holders.add(value);
  const plain = objectToPlain(value, holders, count);
  holders.delete(value);
  return plain;
}

function objectToPlain(value: object, holders: Set<object>, count: Count): unknown {
  const next = (child: unknown): unknown => toPlain(child, holders, count);
  if (Array.isArray(value)) return Array.from(value, next);
  if (types.isDate(value)) return Number.isNaN(value.valueOf()) ? null : Date.prototype.toISOString.call(value);
  if (types.isMap(value)) return mapToPlain(value, next, count);
  if (types.isSet(value)) return Array.from(Set.prototype.values.call(value), next);
  if (types.isAnyArrayBuffer(value)) return next(Buffer.from(value).toString('base64'));
  if (ArrayBuffer.isView(value)) return viewToPlain(value, next);
  if (types.isBoxedPrimitive(value)) return next(value.valueOf());
  if (types.isRegExp(value)) return next(String(value));
  if (types.isNativeError(value)) return { name: next(value.name), message: next(value.message) };
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    const toJSON: unknown = Reflect.get(value, 'toJSON');
    if (typeof toJSON === 'function') return next(Reflect.apply(toJSON, value, []));
  }
  return fromEntries(
    Object.keys(value).map((key) => [key, Reflect.get(value, key)]),
    next,
    count,
  );
}

function mapToPlain(map: Map<unknown, unknown>, next: (child: unknown) => unknown, count: Count): unknown {
  const entries = Array.from(Map.prototype.entries.call(map));
  if (entries.every(([key]) => typeof key === 'string')) {
    return fromEntries(entries as [string, unknown][], next, count);
  }
  return entries.map(([key, value]) => [next(key), next(value)]);
}

function viewToPlain(view: ArrayBufferView, next: (child: unknown) => unknown): unknown {
  if (types.isUint8Array(view) || types.isUint8ClampedArray(view) || types.isDataView(view)) {
    return next(Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64'));
  }
  return Array.from(Reflect.apply(typedArrayValues, view, []), next);
}

const typedArrayValues: (this: unknown) => Iterable<unknown> = Object.getPrototypeOf(Uint8Array.prototype).values;

function fromEntries(entries: [string, unknown][], next: (child: unknown) => unknown, count: Count): object {
  const plain = {};
  for (const [key, value] of entries) {
    countLength(count, key);
    // An assignment to `__proto__` would set the prototype.
    Object.defineProperty(plain, key, { value: next(value), enumerable: true, writable: true, configurable: true });
  }
  return plain;
}

function countNode(count: Count): void {
  count.nodes += 1;
  if (count.nodes > MAX_NODES) throw tooLarge(`more than ${MAX_NODES} values`);
}

/** A copy takes memory, so it is not made to the end of an answer that is too large. */
function countLength(count: Count, text: string): void {
  count.length += text.length;
  if (count.length > MAX_RESULT_LENGTH) throw tooLarge(`at least ${count.length} characters of JSON`);
}

function tooLarge(size: string): HostFailure {
  return new HostFailure({
    code: 'HANDLER_RESULT_TOO_LARGE',
    message: `The handler's answer has ${size}; at most ${MAX_RESULT_LENGTH} characters are taken.`,
    hint: 'Return only the part of the response that the tool describes.',
  });
}

function invalid(why: string): HostFailure {
  return new HostFailure({
    code: 'HANDLER_RESULT_INVALID',
    message: `The handler's answer cannot be turned into data: ${why}.`,
    hint: 'Return plain objects, arrays, strings, numbers and booleans.',
  });
}

let isUsed = false;

/**
 * Takes notice of `JSON.rawJSON`, with which code has `JSON.stringify` write a text of its own, such as `1.0` or `"\u0041"`.
 * It runs before any other code could keep the function. Not in all versions of Node.js.
 */
export function watchRawJson(): void {
  const rawJson: unknown = Reflect.get(JSON, 'rawJSON');
  if (typeof rawJson !== 'function') return;
  const watched = (text: unknown): unknown => {
    isUsed = true;
    return Reflect.apply(rawJson, JSON, [text]);
  };
  Object.defineProperty(JSON, 'rawJSON', { value: watched });
}

/** Tells whether there may be any of it in this host. */
function isRawJsonUsed(): boolean {
  return isUsed;
}
