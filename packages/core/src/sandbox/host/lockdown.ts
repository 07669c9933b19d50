import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { Duplex, PassThrough, Readable, Stream, Transform, Writable } from 'node:stream';
import type {} from 'ses';
import { watchRawJson } from './plain-json.ts';

/**
 * First half of the lockdown: takes out of the language what leads out of a compartment, such as `constructor.constructor`.
 * Libraries are loaded after this and before the second half, since some add to the language's prototypes.
 *
 * @param sesFile The file of `ses` as our process resolved it: this process may read nothing else that would help to find it.
 */
export function repairRealm(sesFile: string): void {
  unpoolBuffers();
  watchRawJson();
  createRequire(import.meta.url)(sesFile);
  repairIntrinsics({
    // Handlers read no stack: it holds paths of this machine. The host itself learns the line another way (thrown.ts).
    errorTaming: 'safe',
    // Real handlers and libraries assign to properties that a frozen prototype also has (`this.toString = …`); the two
    // milder settings make such an assignment throw for some of them.
    overrideTaming: 'severe',
    // Compartments evaluate text; in the start compartment, where libraries live, `eval` and `Function` see no local scope.
    evalTaming: 'safe-eval',
    // `toLocaleString('en-US')` is common in handlers; the safe setting would answer in no locale.
    localeTaming: 'unsafe',
    // Takes away RegExp.$1 and its kin, through which one schema could read what another one matched.
    regExpTaming: 'safe',
    // The console of this process goes nowhere; handlers get one of their own.
    consoleTaming: 'unsafe',
    reporting: 'none',
    // Failures that nobody handles are counted by serve-tasks.ts.
    errorTrapping: 'none',
    unhandledRejectionTrapping: 'none',
    // Bundles made for old browsers bring a runtime that assigns to frozen prototypes.
    legacyRegeneratorRuntimeTaming: 'unsafe-ignore',
  });
}

let isFrozen = false;

/**
 * Second half of the lockdown: freezes the language, so that no code can change what other code finds on `Object.prototype`,
 * `Promise` and the rest. No handler code runs before it. Does nothing the second time.
 */
export function freezeRealm(): void {
  if (isFrozen) return;
  isFrozen = true;
  // SES leaves these two out; viem sets `call` on functions.
  makeOverridable(Function.prototype, ['call', 'apply']);
  hardenIntrinsics();
  // After it: what this hardens ends in `Object.prototype`, which SES must first make overridable.
  freezeLeftOut();
  // `process` is an emitter: who can change this prototype is called with `process` as `this`. `harden` is no way to keep it
  // from changing, since Node.js assigns to a property of it that cannot be turned into an accessor.
  for (const type of [EventEmitter, Stream, Readable, Writable, Duplex, Transform, PassThrough]) {
    for (const owner of [type, type.prototype]) {
      makeOverridable(owner);
      Object.preventExtensions(owner);
    }
  }
}

/** What SES does not know or leaves out, and through which one schema could change what another one uses. */
function freezeLeftOut(): void {
  Object.freeze(Function.prototype.call);
  Object.freeze(Function.prototype.apply);
  Object.freeze(Iterator.prototype[Symbol.iterator]);
  if (typeof suppressedError !== 'function') return;
  // Its own parent would be the Error of the host, which sees every stack.
  Object.setPrototypeOf(suppressedError, new Compartment().globalThis.Error);
  harden(suppressedError);
}

// `using` throws it, also where SES has taken its name away. Not in all versions of Node.js.
const suppressedError: unknown = Reflect.get(globalThis, 'SuppressedError');

/**
 * Buffers get memory of their own: by default small ones are cut from one block, and `buffer.buffer` would show a schema the
 * bytes of another. Memory that was not cleared is not given out either. SES freezes `Buffer`, so this comes before it.
 */
function unpoolBuffers(): void {
  Buffer.poolSize = 0;
  const cleared = (size: number): Buffer => Buffer.alloc(size);
  Object.assign(Buffer, { allocUnsafe: cleared, allocUnsafeSlow: cleared });
}

/**
 * Makes properties unchangeable where they are, and lets what inherits them still have its own: each becomes an accessor whose
 * setter defines the property on the inheriting object. On a merely frozen prototype, `this._events = …` would throw in every
 * instance. (SES does the same for most prototypes of the language.) A property that cannot be reconfigured stays as it is.
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
 * The same functions, which freeze what they throw: errors of Node.js have a class per code, and the prototypes of these would
 * be changeable by every schema that can provoke one. Values that are no functions, and classes, stay as they are.
 */
export function withFrozenErrors(functions: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(functions).map(([name, value]): [string, unknown] => {
    if (typeof value !== 'function' || /^[A-Z]/.test(name)) return [name, value];
    return [name, (...args: unknown[]) => call(value, args)];
  });
  return Object.fromEntries(entries);
}

function call(work: object, args: unknown[]): unknown {
  try {
    return Reflect.apply(work as () => unknown, undefined, args);
  } catch (thrown) {
    throw withFrozenClass(thrown);
  }
}

/** What was thrown, with everything frozen that other errors like it share. */
export function withFrozenClass(thrown: unknown): unknown {
  if (thrown instanceof Error) harden(Object.getPrototypeOf(thrown));
  return thrown;
}
