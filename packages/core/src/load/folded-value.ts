import type { AnyNode } from 'acorn';
import type { FunctionNode } from './syntax-children.ts';

/** A value that was read from the text of a module: JSON, and `undefined` where the text says so or leaves a hole. */
export type JsonLike = undefined | null | boolean | number | string | JsonLike[] | { [key: string]: JsonLike };

/** What an expression may give while it is folded. Only `JsonLike` may come out at the end. */
export type Folded = JsonLike | NotData | ReadonlySet<Folded> | Folded[] | { [key: string]: Folded };

/** Names that a function sees besides those of the module. `unset` is declared, but has no value yet. */
export interface Locals {
  readonly names: Map<string, Folded | typeof unset>;
  readonly parent: Locals | undefined;
}

export const unset: unique symbol = Symbol('declared, but not yet set');

/** Marks what is no data. A symbol, so that no key in a schema can pass for it. */
const mark: unique symbol = Symbol('not data');

export type NotData = FoldedFunction | FoldedBuiltin | FoldedOpaque;

/** A function of the module. It can be called while folding. */
export interface FoldedFunction {
  readonly [mark]: true;
  readonly kind: 'function';
  readonly node: FunctionNode;
  readonly locals: Locals | undefined;
}

/** A built-in function that is passed on as a value, such as in `list.map(String)`. */
export interface FoldedBuiltin {
  readonly [mark]: true;
  readonly kind: 'builtin';
  readonly node: AnyNode;
  readonly target: Builtin;
}

export type Builtin = (...values: never[]) => unknown;

/** Something else: a regular expression, a class, a getter, an instance. Nothing can be done with it. */
export interface FoldedOpaque {
  readonly [mark]: true;
  readonly kind: 'opaque';
  readonly node: AnyNode;
  readonly what: string;
}

export function foldedFunction(node: FunctionNode, locals: Locals | undefined): FoldedFunction {
  return { [mark]: true, kind: 'function', node, locals };
}

export function foldedBuiltin(node: AnyNode, target: Builtin): FoldedBuiltin {
  return { [mark]: true, kind: 'builtin', node, target };
}

export function foldedOpaque(node: AnyNode, what: string): FoldedOpaque {
  return { [mark]: true, kind: 'opaque', node, what };
}

export function isNotData(value: Folded): value is NotData {
  return typeof value === 'object' && value !== null && mark in value;
}

export function isPrimitive(value: Folded): value is string | number | boolean | null | undefined {
  return typeof value !== 'object' || value === null;
}

/** A plain object: no array, no set, and nothing that is no data. */
export function isFoldedObject(value: Folded): value is { [key: string]: Folded } {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Set) && !isNotData(value)
  );
}

/** Sets an own property, also for `__proto__`, which plain assignment would take for the prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
