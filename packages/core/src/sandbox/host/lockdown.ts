import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { Duplex, PassThrough, Readable, Stream, Transform, Writable } from 'node:stream';
import type {} from 'ses';
import { watchRawJson } from './plain-json.ts';

/**
 * First half of the lockdown: removes ways out of a compartment, such as `constructor.constructor`, from the language. Libraries
 * are loaded between the two halves, since some extend prototypes of the language.
 *
 * @param sesFile Path of `ses`, which this process is not allowed to search for.
 */
export function repairLanguage(sesFile: string): void {
  unpoolBuffers();
  watchRawJson();
  createRequire(import.meta.url)(sesFile);
  repairIntrinsics({
    // Stacks contain paths of this machine. The host records lines itself (host-failure.ts).
    errorTaming: 'safe',
    // Handlers and libraries assign to properties that a frozen prototype also has (`this.toString = …`). With the milder
    // settings, some of these assignments throw.
    overrideTaming: 'severe',
    // Compartments evaluate text. In the start compartment, where libraries run, `eval` and `Function` see no local scope.
    evalTaming: 'safe-eval',
    // `toLocaleString('en-US')` is common in handlers; the safe setting ignores locales.
    localeTaming: 'unsafe',
    // Removes RegExp.$1 and the like, with which a schema could read the matches of another.
    regExpTaming: 'safe',
    // The console of this process has no output; handlers get their own.
    consoleTaming: 'unsafe',
    reporting: 'none',
    // handler-process.ts handles uncaught errors.
    errorTrapping: 'none',
    unhandledRejectionTrapping: 'none',
    // Bundles for old browsers include a runtime that assigns to frozen prototypes.
    legacyRegeneratorRuntimeTaming: 'unsafe-ignore',
  });
}

let isFrozen = false;

/** Second half of the lockdown: freezes the language, before any handler code runs. Does nothing the second time. */
export function freezeLanguage(): void {
  if (isFrozen) return;
  isFrozen = true;
  // SES omits these two; viem sets `call` on functions.
  makeOverridable(Function.prototype, ['call', 'apply']);
  hardenIntrinsics();
  // Afterwards, since it hardens `Object.prototype` as well, which SES must first make overridable.
  freezeOmitted();
  // `process` is an emitter: code that changed this prototype would be called with `process` as `this`. `harden` does not work,
  // since Node.js assigns to a property of it that cannot become an accessor.
  for (const type of [EventEmitter, Stream, Readable, Writable, Duplex, Transform, PassThrough]) {
    for (const owner of [type, type.prototype]) {
      makeOverridable(owner);
      Object.preventExtensions(owner);
    }
  }
}

/** Freezes objects that SES omits, and that schemas share. */
function freezeOmitted(): void {
  Object.freeze(Function.prototype.call);
  Object.freeze(Function.prototype.apply);
  Object.freeze(Iterator.prototype[Symbol.iterator]);
  if (typeof suppressedError !== 'function') return;
  // Otherwise its parent would be the Error of the host, which sees every stack.
  Object.setPrototypeOf(suppressedError, new Compartment().globalThis.Error);
  harden(suppressedError);
}

// Thrown by `using`, even after SES has removed its name. Not in all versions of Node.js.
const suppressedError: unknown = Reflect.get(globalThis, 'SuppressedError');

/**
 * Gives each buffer its own, cleared memory: by default small ones share a pool, and `buffer.buffer` would show a schema the
 * bytes of another. Must come before SES freezes `Buffer`.
 */
function unpoolBuffers(): void {
  Buffer.poolSize = 0;
  const cleared = (size: number): Buffer => Buffer.alloc(size);
  Object.assign(Buffer, { allocUnsafe: cleared, allocUnsafeSlow: cleared });
}

/**
 * Makes properties of a prototype immutable, but lets objects that inherit them assign their own, as SES does for the language:
 * each becomes an accessor whose setter defines the property on the inheriting object. With a merely frozen prototype,
 * `this._events = …` would throw in every instance. Skips properties that are not configurable.
 */
function makeOverridable(owner: object, keys: readonly PropertyKey[] = Reflect.ownKeys(owner)): void {
  for (const key of keys) {
    const descriptor = Object.getOwnPropertyDescriptor(owner, key);
    if (descriptor?.configurable !== true) continue;
    Object.defineProperty(owner, key, overridable(owner, key, descriptor));
  }
}

function overridable(owner: object, key: PropertyKey, descriptor: PropertyDescriptor): PropertyDescriptor {
  if (!('value' in descriptor)) return { configurable: false };
  const inherited: unknown = descriptor.value;
  return {
    get: () => inherited,
    set(this: object, value: unknown) {
      if (this === owner) throw new TypeError(`Cannot assign to ${String(key)}: it is locked`);
      Object.defineProperty(this, key, { value, writable: true, enumerable: true, configurable: true });
    },
    enumerable: descriptor.enumerable ?? false,
    configurable: false,
  };
}

/**
 * Wraps functions to freeze what they throw: errors of Node.js have a class per code, whose prototype any schema that provokes
 * one could change. Leaves classes and other values as they are.
 */
export function withFrozenErrors(functions: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(functions).map(([name, value]): [string, unknown] => {
    if (typeof value !== 'function' || /^[A-Z]/.test(name)) return [name, value];
    const wrapped = (...args: unknown[]): unknown => {
      try {
        return Reflect.apply(value, undefined, args);
      } catch (thrown) {
        throw withFrozenClass(thrown);
      }
    };
    return [name, wrapped];
  });
  return Object.fromEntries(entries);
}

/** Freezes the class of a thrown error. */
export function withFrozenClass(thrown: unknown): unknown {
  if (thrown instanceof Error) harden(Object.getPrototypeOf(thrown));
  return thrown;
}
