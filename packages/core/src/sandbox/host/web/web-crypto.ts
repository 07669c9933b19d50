import type { webcrypto } from 'node:crypto';
import { types } from 'node:util';
import { withFrozenClass, withFrozenErrors } from '../lockdown.ts';
import { type RunningTask, taskInProgress, watchInputs } from '../tasks.ts';

/** The methods of `crypto.subtle` that handlers have (Web Cryptography API, SubtleCrypto). */
const subtleMethods = [
  'encrypt',
  'decrypt',
  'sign',
  'verify',
  'digest',
  'generateKey',
  'deriveKey',
  'deriveBits',
  'importKey',
  'exportKey',
  'wrapKey',
  'unwrapKey',
] as const;

const keys = new WeakMap<object, webcrypto.CryptoKey>();
const native = crypto;

let shared: Record<string, unknown> | undefined;

/**
 * Web Crypto for handlers. Keys are wrapped: a key of Node.js shows its inner key object, whose prototype all schemas of this
 * host would share.
 */
export function webCrypto(): Record<string, unknown> {
  shared ??= harden({
    ...withFrozenErrors({
      getRandomValues: (array: never) => native.getRandomValues(array),
      randomUUID: () => native.randomUUID(),
    }),
    subtle: watchInputs(Object.fromEntries(subtleMethods.map((name) => [name, subtleMethod(name)]))),
  });
  return shared;
}

function subtleMethod(name: (typeof subtleMethods)[number]): (...args: unknown[]) => Promise<unknown> {
  return (...args) =>
    inThread(async () => {
      try {
        return wrap(await Reflect.apply(native.subtle[name], native.subtle, args.map(unwrap)));
      } catch (thrown) {
        throw withFrozenClass(thrown);
      }
    });
}

function wrap(result: unknown): unknown {
  if (types.isCryptoKey(result)) return wrapKey(result);
  if (!isKeyPair(result)) return result;
  return { publicKey: wrapKey(result.publicKey), privateKey: wrapKey(result.privateKey) };
}

function wrapKey(key: webcrypto.CryptoKey): object {
  const { type, extractable, algorithm, usages } = key;
  const outer = harden({ type, extractable, algorithm: { ...algorithm }, usages: [...usages] });
  keys.set(outer, key);
  return outer;
}

/** Gives Node.js its own key, also where it stands inside an algorithm (`{ name: 'ECDH', public: key }`). */
function unwrap(arg: unknown): unknown {
  if (typeof arg !== 'object' || arg === null) return arg;
  const key = keys.get(arg);
  if (key !== undefined) return key;
  const inner: unknown = Reflect.get(arg, 'public');
  const publicKey = typeof inner === 'object' && inner !== null ? keys.get(inner) : undefined;
  return publicKey === undefined ? arg : { ...arg, public: publicKey };
}

function isKeyPair(value: unknown): value is webcrypto.CryptoKeyPair {
  return typeof value === 'object' && value !== null && 'publicKey' in value && 'privateKey' in value;
}

/** Of the four threads that a host has, those that one task may use at a time; its other work waits. */
const MAX_THREADS = 2;

interface Line {
  working: number;
  waiting: Set<() => void>;
}

const lines = new WeakMap<RunningTask, Line>();

/**
 * Does work in a thread for the task in progress. A thread cannot be stopped: when the task is given up its code meets the
 * reason of the signal, and when the task is over it hears no more of its work, so that nothing of it goes on from there.
 */
function inThread<Result>(work: () => Promise<Result>): Promise<Result> {
  const task = taskInProgress();
  if (task === undefined) return Promise.reject(new Error('The call that computes this has ended'));
  const line = lines.get(task) ?? { working: 0, waiting: new Set() };
  lines.set(task, line);
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  let isOver = false;

  const begin = (): void => {
    line.waiting.delete(begin);
    line.working += 1;
    work().then(
      (result) => finish(() => resolve(result)),
      (thrown) => finish(() => reject(thrown)),
    );
  };
  const finish = (tell: () => void): void => {
    line.working -= 1;
    for (const next of line.waiting) {
      next();
      break;
    }
    if (!isOver) tell();
    leave();
  };
  const leave = (): void => {
    isOver = true;
    line.waiting.delete(begin);
    task.stops.delete(leave);
    task.signal.removeEventListener('abort', giveUp);
  };
  const giveUp = (): void => {
    // Code that does not wait for it need not take its end for an error of its own.
    promise.catch(() => undefined);
    reject(task.signal.reason);
    leave();
  };

  task.stops.add(leave);
  task.signal.addEventListener('abort', giveUp);
  if (line.working < MAX_THREADS) begin();
  else line.waiting.add(begin);
  return promise;
}

/** Tells whether a task has work in threads that is not done. */
export function isInThread(task: RunningTask): boolean {
  return (lines.get(task)?.working ?? 0) > 0;
}
