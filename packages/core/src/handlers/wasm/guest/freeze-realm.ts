import { makeOverridable } from '../../host/overridable.ts';

/** Freezes a value and all that can be reached from it. */
export function harden<Value>(value: Value): Value {
  for (const object of reachableFrom([value])) Object.freeze(object);
  return value;
}

/**
 * Freezes the language and all that the VM offers, so that handler code cannot change what the code around it uses: the part
 * that tells what handlers do with secrets, and that writes their answers.
 */
export function freezeRealm(): void {
  const all = reachableFrom([globalThis, ...hidden()]);
  all.delete(globalThis);
  const prototypes = [...all].flatMap((object) => {
    const prototype: unknown =
      typeof object === 'function' ? Object.getOwnPropertyDescriptor(object, 'prototype')?.value : undefined;
    return isObject(prototype) ? [prototype] : [];
  });
  for (const prototype of new Set(prototypes)) makeOverridable(prototype);
  for (const object of all) Object.freeze(object);
  for (const key of Reflect.ownKeys(globalThis)) {
    Object.defineProperty(globalThis, key, {
      ...('value' in (Object.getOwnPropertyDescriptor(globalThis, key) ?? {}) && { writable: false }),
      configurable: false,
    });
  }
}

/** Objects to whose prototypes no name leads. */
function hidden(): unknown[] {
  const iterator = [].values();
  return [
    async () => undefined,
    function* () {},
    async function* () {},
    iterator,
    ''[Symbol.iterator](),
    'x'.matchAll(/x/g),
    new Map().entries(),
    new Set().entries(),
    iterator.map((item) => item),
    Iterator.from({ next: () => ({ done: true, value: undefined }) }),
    new URLSearchParams().entries(),
  ];
}

function reachableFrom(roots: readonly unknown[]): Set<object> {
  const found = new Set<object>();
  const queue: unknown[] = [...roots];
  while (queue.length > 0) {
    const value = queue.pop();
    if (!isObject(value) || found.has(value)) continue;
    found.add(value);
    queue.push(Object.getPrototypeOf(value));
    for (const key of Reflect.ownKeys(value)) {
      const descriptor = Object.getOwnPropertyDescriptor(value, key);
      queue.push(descriptor?.value, descriptor?.get, descriptor?.set);
    }
  }
  return found;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
