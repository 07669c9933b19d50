import { Buffer } from 'node:buffer';
import type { HostTask } from '../host-message.ts';

/** The key of an object that stands for a value which JSON does not have. */
const MARK = '\0';
const MARK_TEXT = JSON.stringify(MARK);

type Kind = 'undefined' | 'number' | 'bigint' | 'date' | 'bytes';

/**
 * Writes a task as text for a VM, into which nothing else goes. Beyond JSON, an argument may hold undefined, dates, bytes,
 * bigints, and numbers such as NaN.
 *
 * @throws {TypeError} for anything else.
 */
export function writeTask(task: HostTask): string {
  return JSON.stringify(task, function (this: Record<string, unknown>, key) {
    // What `toJSON` gives comes as an argument, and the value itself stands here.
    return toJson(this[key]);
  });
}

/** Reads what `writeTask` has written. @param answerText Of the context of a hook: large, and not written twice. */
export function readTask(text: string, answerText?: string): HostTask {
  const read: unknown = JSON.parse(text);
  const task = (text.includes(MARK_TEXT) ? withValues(read) : read) as HostTask;
  if (task.kind === 'call' && answerText !== undefined) task.context.answerText = answerText;
  return task;
}

function toJson(value: unknown): unknown {
  if (value === undefined) return marked('undefined', '');
  if (typeof value === 'bigint') return marked('bigint', String(value));
  if (typeof value === 'number') {
    return Number.isFinite(value) && !Object.is(value, -0)
      ? value
      : marked('number', Object.is(value, -0) ? '-0' : String(value));
  }
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
    throw new TypeError(`A ${typeof value} cannot be sent to a handler`);
  }
  if (Array.isArray(value)) return value;
  if (value instanceof Date) return marked('date', String(value.getTime()));
  if (value instanceof Uint8Array) {
    return marked('bytes', Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new TypeError(`A ${String(Object(prototype).constructor?.name)} cannot be sent to a handler`);
  }
  if (Object.hasOwn(value, MARK) && !marks.has(value)) throw new TypeError('A key of NUL cannot be sent to a handler');
  return value;
}

const marks = new WeakSet<object>();

function marked(kind: Kind, text: string): object {
  const mark = { [MARK]: kind, text };
  marks.add(mark);
  return mark;
}

/** Puts the values in the place of their marks. */
function withValues(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Object.hasOwn(value, MARK)) return readMark(value as { [MARK]: Kind; text: string });
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    const next = withValues(holder[key]);
    // An assignment to `__proto__` would set the prototype.
    if (next !== holder[key])
      Object.defineProperty(holder, key, { value: next, writable: true, enumerable: true, configurable: true });
  }
  return holder;
}

function readMark({ [MARK]: kind, text }: { [MARK]: Kind; text: string }): unknown {
  switch (kind) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(text);
    case 'bigint':
      return BigInt(text);
    case 'date':
      return new Date(Number(text));
    case 'bytes': {
      const bytes = Buffer.from(text, 'base64');
      return new Uint8Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    }
  }
}
