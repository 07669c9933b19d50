/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** The fields of an object whose values are not checked yet. */
export type Fields = Record<string, unknown>;

/** Whether a value is an object with keys, not an array and not null. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deepest nesting, as in modules. */
const maxDepth = 150;
/** Maximum parts of a value; 64 characters count as one. Shared parts count each time. */
const maxParts = 400_000;

/** A part of a value that JSON cannot represent, and its path. */
export interface NotPlain {
  what: string;
  keys: readonly (string | number)[];
}

/** Finds what JSON cannot represent in a value, such as a function or a cycle. Undefined for plain data. Never throws. */
export function findNotPlain(root: unknown): NotPlain | undefined {
  const keys: (string | number)[] = [];
  const sizes = new Map<object, number>();
  let what: string | undefined;

  function visit(value: unknown): number {
    if (typeof value === 'string') return value.isWellFormed() ? 1 + value.length / 64 : refuse('a lone surrogate');
    if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean') return 1;
    if (typeof value !== 'object') return refuse(`a ${typeof value}`);
    const known = sizes.get(value);
    if (known === 0) return refuse('a circular reference');
    if (known !== undefined) return known;
    if (keys.length > maxDepth) return refuse(`more than ${maxDepth} levels`);
    sizes.set(value, 0);
    const size = sizeOf(value);
    if (size > maxParts) refuse(`more than ${maxParts} parts`);
    sizes.set(value, size);
    return size;
  }

  function sizeOf(value: object): number {
    const isList = Array.isArray(value);
    if (isList && hasOtherKeys(value)) return refuse('an array with non-numeric keys');
    if (!isList && !isPlain(value)) return refuse(`an instance of ${nameOf(value)}`);
    let size = 1;
    for (const key of isList ? value.keys() : Object.keys(value)) {
      keys.push(key);
      if (typeof key === 'string' && !key.isWellFormed()) refuse('a lone surrogate in a key');
      size += visit((value as Record<string | number, unknown>)[key]);
      if (what !== undefined) return size;
      keys.pop();
    }
    return size;
  }

  function refuse(found: string): number {
    what ??= found;
    return 1;
  }

  try {
    visit(root);
  } catch (error) {
    refuse(`something that cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return what === undefined ? undefined : { what, keys };
}

/** Such keys come last. One named `constructor` would change what `map` returns. */
function hasOtherKeys(list: readonly unknown[]): boolean {
  return !/^\d+$/.test(Object.keys(list).at(-1) ?? '0');
}

/** Objects of other realms count too, so the prototype is recognised by having none itself. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOf(value: object): string {
  const { name } = Object(value.constructor) as { name?: unknown };
  return typeof name === 'string' && name !== '' ? name : 'a class';
}

/** A deep copy of plain data, several times faster than `structuredClone`. Spreading first keeps an own `__proto__` key. */
export function cloneData<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return cloneList(value) as T;
  const copy: Record<string, unknown> = { ...(value as object) };
  for (const key in copy) {
    const item = copy[key];
    if (typeof item === 'object' && item !== null) copy[key] = cloneData(item);
  }
  return copy as T;
}

function cloneList(list: readonly unknown[]): unknown[] {
  const copy = list.slice();
  for (let index = 0; index < copy.length; index += 1) {
    const item = copy[index];
    if (typeof item === 'object' && item !== null) copy[index] = cloneData(item);
  }
  return copy;
}
