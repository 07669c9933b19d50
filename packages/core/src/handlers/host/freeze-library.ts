import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { lockOverridable } from './overridable.ts';

/**
 * Keeps handler code from changing a library: what can be reached from its namespace is frozen, except
 * - what belongs to Node.js, which does not work frozen (`harden` would go on into it), and
 * - the state of instances (caches, counters of a singleton), which the library itself changes; their classes are frozen.
 */
export function freezeLibrary(namespace: object): void {
  const seen = new Set<object>(nodeOwned());
  const stack: unknown[] = [namespace];
  while (stack.length > 0) {
    const value = stack.pop();
    if (!isObject(value) || seen.has(value)) continue;
    seen.add(value);
    // The language itself was frozen by SES, with all that it leads to.
    if (Object.isFrozen(value)) continue;
    stack.push(...reachable(value));
    if (isPrototype(value)) lockOverridable(value);
    else if (!isInstance(value)) Object.freeze(value);
  }
}

function reachable(value: object): unknown[] {
  const found: unknown[] = [Object.getPrototypeOf(value)];
  for (const key of Reflect.ownKeys(value)) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    found.push(descriptor?.value, descriptor?.get, descriptor?.set);
  }
  return found;
}

function isPrototype(value: object): boolean {
  const owner: unknown = Object.getOwnPropertyDescriptor(value, 'constructor')?.value;
  return typeof owner === 'function' && Object.getOwnPropertyDescriptor(owner, 'prototype')?.value === value;
}

/** An object of a class, also one of the language such as a Map or typed array; not an array, function or plain object. */
function isInstance(value: object): boolean {
  if (typeof value === 'function' || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype;
}

/** Objects of Node.js that libraries inherit from or re-export. */
function nodeOwned(): object[] {
  const load = createRequire(import.meta.url);
  const modules = ['assert', 'buffer', 'crypto', 'events', 'fs', 'http', 'https', 'net', 'os', 'stream', 'tls', 'url', 'util', 'zlib'];
  const exported = modules.map((name): object => load(`node:${name}`));
  const classes = exported.flatMap((module) => [module, ...Object.values(module)]).filter(isObject);
  const prototypes = classes.map((value): unknown => Reflect.get(value, 'prototype')).filter(isObject);
  return [process, globalThis, EventEmitter.prototype, ...classes, ...prototypes];
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
