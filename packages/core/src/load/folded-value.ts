import type { AnyNode } from 'acorn';
import type { FunctionNode } from './syntax-children.ts';

/** A value that was read from the text of a module: JSON, and `undefined` where the text says so or leaves a hole. */
export type JsonLike = undefined | null | boolean | number | string | JsonLike[] | { [key: string]: JsonLike };

/** Names that a function sees besides those of the module. */
export interface Locals {
  readonly names: Map<string, Folded>;
  readonly parent: Locals | undefined;
}

/** A function of the module. It can be called while folding, but it is no data. */
export interface FoldedFunction {
  readonly kind: 'function';
  readonly node: FunctionNode;
  readonly locals: Locals | undefined;
}

/** Something else that is no data: a regular expression, a class, a getter, an instance. Nothing can be done with it. */
export interface FoldedOpaque {
  readonly kind: 'opaque';
  readonly node: AnyNode;
  readonly what: string;
}

const notData = new WeakSet<object>();

/** What an expression may give while it is folded. Only `JsonLike` may come out at the end. */
export type Folded = JsonLike | FoldedFunction | FoldedOpaque | ReadonlySet<Folded> | Folded[] | { [key: string]: Folded };

export function foldedFunction(node: FunctionNode, locals: Locals | undefined): FoldedFunction {
  const value: FoldedFunction = { kind: 'function', node, locals };
  notData.add(value);
  return value;
}

export function foldedOpaque(node: AnyNode, what: string): FoldedOpaque {
  const value: FoldedOpaque = { kind: 'opaque', node, what };
  notData.add(value);
  return value;
}

export function isNotData(value: unknown): value is FoldedFunction | FoldedOpaque {
  return typeof value === 'object' && value !== null && notData.has(value);
}

export function isFoldedFunction(value: unknown): value is FoldedFunction {
  return isNotData(value) && value.kind === 'function';
}

export function isPrimitive(value: unknown): value is string | number | boolean | null | undefined {
  return typeof value !== 'object' || value === null;
}

/** A plain object, that is not an array, a set or something that is no data. */
export function isFoldedObject(value: unknown): value is { [key: string]: Folded } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Set) && !isNotData(value);
}

/** Sets an own property, also for `__proto__`, which plain assignment would take for the prototype. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key !== '__proto__') Reflect.set(target, key, value);
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

const maxValueDepth = 200;
/** How many parts a value may have, counting what is shared as often as it is used. Keeps aliases from growing without end. */
const maxParts = 400_000;

export type Measured =
  | { status: 'data'; parts: number }
  | { status: 'not-data'; found: FoldedFunction | FoldedOpaque | undefined; what: string; path: readonly (string | number)[] };

/** Counts the parts of a value, in time that depends on its memory rather than on its size as text. */
export function measure(value: Folded): Measured {
  const known = new Map<object, number>();
  const path: (string | number)[] = [];

  function visit(part: Folded): number | Measured {
    if (typeof part === 'string') return part.isWellFormed() ? 1 + part.length / 64 : refuse('half of a surrogate pair');
    if (isPrimitive(part)) return 1;
    const earlier = known.get(part);
    if (earlier !== undefined) return earlier;
    if (isNotData(part)) return refuse(part.kind === 'function' ? 'a function' : part.what, part);
    if (part instanceof Set) return refuse('a Set');
    if (path.length > maxValueDepth) return refuse(`more than ${maxValueDepth} levels`);
    let parts = 1;
    for (const [key, inner] of Array.isArray(part) ? part.entries() : Object.entries(part)) {
      path.push(key);
      const count = visit(inner);
      if (typeof count !== 'number') return count;
      if (typeof key === 'string' && !key.isWellFormed()) return refuse('half of a surrogate pair');
      path.pop();
      parts += count;
      if (parts > maxParts) return refuse(`more than ${maxParts} parts`);
    }
    known.set(part, parts);
    return parts;
  }

  function refuse(what: string, found?: FoldedFunction | FoldedOpaque): Measured {
    return { status: 'not-data', found, what, path: [...path] };
  }

  const result = visit(value);
  return typeof result === 'number' ? { status: 'data', parts: result } : result;
}
