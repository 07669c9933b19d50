import { Buffer } from 'node:buffer';
import { types } from 'node:util';
import { MAX_RESULT_LENGTH } from '../host-message.ts';
import { lengthOf, type ResultText, splitResult } from '../result-text.ts';
import { HostFailure } from './host-failure.ts';

const MAX_DEPTH = 256;
const MAX_NODES = 2_000_000;

/**
 * Writes the return value of a hook as JSON text; the empty string stands for `undefined`. docs/handlers.md, "Results",
 * lists how values beyond JSON are written. `toJSON` of a plain object is a function like any other, and dropped.
 *
 * Reading the value may run handler code, which is harmless here: only text leaves this process.
 */
export function toPlainJson(value: unknown): string {
  return write(value, (plain) => ({ json: stringify(plain) ?? '' })).json;
}

/**
 * Writes the result of a hook like `toPlainJson`, with the answer as a text of its own. The calling process uses that text as it
 * is, so it must be what `JSON.stringify` makes of the parsed text; if it may differ, the answer is not split off.
 */
export function toOutcomeText(outcome: unknown): ResultText {
  return write(outcome, (plain) => {
    const split = isRawJsonUsed ? undefined : splitResult(plain, stringify);
    // A getter may have used it just now.
    return split === undefined || isRawJsonUsed ? { json: stringify(plain) ?? '' } : split;
  });
}

// The original, before libraries can replace it.
const { stringify } = JSON;

function write(value: unknown, asText: (plain: unknown) => ResultText): ResultText {
  try {
    const count: Count = { nodes: 0, length: 0 };
    const plain = isPlain(value, 0, count) ? value : toPlain(value, new Set(), { nodes: 0, length: 0 });
    if (count.length > MAX_RESULT_LENGTH) throw tooLarge(`at least ${count.length} characters of JSON`);
    const text = asText(plain);
    if (lengthOf(text) > MAX_RESULT_LENGTH) throw tooLarge(`${lengthOf(text)} characters of JSON`);
    return text;
  } catch (thrown) {
    if (HostFailure.read(thrown) !== undefined) throw thrown;
    throw invalid('it cannot be read');
  }
}

/** Values, and characters in strings and keys. */
interface Count {
  nodes: number;
  length: number;
}

/** Whether `JSON.stringify` writes the value correctly without a copy, as it does for almost all results. */
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
  if (!isPlainObject(value)) return false;
  // Twice as fast as `Object.keys`. Inherited properties are functions, so they are never plain.
  const properties = value as Record<string, unknown>;
  for (const key in properties) {
    count.length += key.length;
    if (!isPlain(properties[key], depth + 1, count)) return false;
  }
  return true;
}

/** Copies the value as data for `JSON.stringify`. `parents` are the objects that contain it. */
function toPlain(value: unknown, parents: Set<object>, count: Count): unknown {
  countNode(count);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') countLength(count, value);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (parents.has(value)) return '[Circular]';
  if (parents.size >= MAX_DEPTH) throw invalid(`it is nested deeper than ${MAX_DEPTH} levels`);
  parents.add(value);
  const plain = objectToPlain(value, parents, count);
  parents.delete(value);
  return plain;
}

function objectToPlain(value: object, parents: Set<object>, count: Count): unknown {
  const next = (child: unknown): unknown => toPlain(child, parents, count);
  if (Array.isArray(value)) return Array.from(value, next);
  if (types.isDate(value)) return Number.isNaN(value.valueOf()) ? null : Date.prototype.toISOString.call(value);
  if (types.isMap(value)) return mapToPlain(value, next, count);
  if (types.isSet(value)) return Array.from(Set.prototype.values.call(value), next);
  if (types.isAnyArrayBuffer(value)) return next(Buffer.from(value).toString('base64'));
  if (ArrayBuffer.isView(value)) return viewToPlain(value, next);
  if (types.isBoxedPrimitive(value)) return next(value.valueOf());
  if (types.isRegExp(value)) return next(String(value));
  if (types.isNativeError(value)) return { name: next(value.name), message: next(value.message) };
  if (!isPlainObject(value)) {
    const toJSON: unknown = Reflect.get(value, 'toJSON');
    if (typeof toJSON === 'function') return next(Reflect.apply(toJSON, value, []));
  }
  return fromEntries(
    Object.keys(value).map((key) => [key, Reflect.get(value, key)]),
    next,
    count,
  );
}

export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
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

/** Stops the copy of a result that is too large. */
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

let isRawJsonUsed = false;

/**
 * Detects the use of `JSON.rawJSON`, which makes `JSON.stringify` write any text, such as `1.0` or `"\u0041"`. Must run before
 * other code can keep the original. Not in all versions of Node.js.
 */
export function watchRawJson(): void {
  const rawJson: unknown = Reflect.get(JSON, 'rawJSON');
  if (typeof rawJson !== 'function') return;
  const watched = (text: unknown): unknown => {
    isRawJsonUsed = true;
    return Reflect.apply(rawJson, JSON, [text]);
  };
  Object.defineProperty(JSON, 'rawJSON', { value: watched });
}
