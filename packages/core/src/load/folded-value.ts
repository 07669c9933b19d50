import type { AnyNode } from 'acorn';
import type { FunctionNode } from './syntax-children.ts';

/** A value that was read from the text of a module: JSON, and `undefined` where the text says so or leaves a hole. */
export type JsonLike = undefined | null | boolean | number | string | JsonLike[] | { [key: string]: JsonLike };

/** Names that a function sees besides those of the module. */
export interface Locals {
  readonly names: Map<string, Folded>;
  readonly parent: Locals | undefined;
}

/** Marks what is no data. A symbol, so that no key in a schema can pass for it. */
const mark = Symbol('not data');

/** A function of the module. It can be called while folding, but it is no data. */
export interface FoldedFunction {
  readonly [mark]: true;
  readonly kind: 'function';
  readonly node: FunctionNode;
  readonly locals: Locals | undefined;
}

/** Something else that is no data: a regular expression, a class, a getter, an instance. Nothing can be done with it. */
export interface FoldedOpaque {
  readonly [mark]: true;
  readonly kind: 'opaque';
  readonly node: AnyNode;
  readonly what: string;
}

/** What an expression may give while it is folded. Only `JsonLike` may come out at the end. */
export type Folded = JsonLike | FoldedFunction | FoldedOpaque | ReadonlySet<Folded> | Folded[] | { [key: string]: Folded };

export function foldedFunction(node: FunctionNode, locals: Locals | undefined): FoldedFunction {
  return { [mark]: true, kind: 'function', node, locals };
}

export function foldedOpaque(node: AnyNode, what: string): FoldedOpaque {
  return { [mark]: true, kind: 'opaque', node, what };
}

export function isNotData(value: unknown): value is FoldedFunction | FoldedOpaque {
  return typeof value === 'object' && value !== null && mark in value;
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
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

const maxValueDepth = 200;
/** How many parts a value may have, counting what is shared as often as it is used. Keeps aliases from growing without end. */
const maxParts = 400_000;

/** `found` is what stands at `path` and is no data, where that is a piece of code. */
export type Measured =
  | { status: 'data'; parts: number }
  | { status: 'not-data'; found: FoldedFunction | FoldedOpaque | undefined; what: string; path: readonly (string | number)[] };

/** Counts the parts of a value, in time that depends on its memory rather than on its size as text. */
export function measure(value: Folded): Measured {
  const known = new Map<object, number>();
  /** Where the first thing stands that is no data, innermost key first. */
  const path: (string | number)[] = [];
  let refused: Omit<Extract<Measured, { status: 'not-data' }>, 'status' | 'path'> | undefined;

  function refuse(what: string, found?: FoldedFunction | FoldedOpaque): number {
    refused = { what, found };
    return 0;
  }

  function visit(part: Folded, depth: number): number {
    if (typeof part === 'string') return part.isWellFormed() ? 1 + part.length / 64 : refuse('half of a surrogate pair');
    if (isPrimitive(part)) return 1;
    const earlier = known.get(part);
    if (earlier !== undefined) return earlier;
    if (isNotData(part)) return refuse(part.kind === 'function' ? 'a function' : part.what, part);
    if (part instanceof Set) return refuse('a Set');
    if (depth > maxValueDepth) return refuse(`more than ${maxValueDepth} levels`);
    const parts = Array.isArray(part) ? visitItems(part, depth) : visitKeys(part, depth);
    if (parts > maxParts) refuse(`more than ${maxParts} parts`);
    known.set(part, parts);
    return parts;
  }

  function visitItems(items: readonly Folded[], depth: number): number {
    let parts = 1;
    for (let index = 0; index < items.length; index += 1) {
      parts += visit(items[index], depth + 1);
      if (refused !== undefined) {
        path.push(index);
        return 0;
      }
    }
    return parts;
  }

  function visitKeys(object: { [key: string]: Folded }, depth: number): number {
    let parts = 1;
    for (const key of Object.keys(object)) {
      parts += key.isWellFormed() ? visit(object[key], depth + 1) : refuse('half of a surrogate pair in a key');
      if (refused !== undefined) {
        path.push(key);
        return 0;
      }
    }
    return parts;
  }

  const parts = visit(value, 0);
  return refused === undefined ? { status: 'data', parts } : { status: 'not-data', ...refused, path: path.reverse() };
}
