import type { webcrypto } from 'node:crypto';
import { types } from 'node:util';
import { withFrozenClass, withFrozenErrors } from '../lockdown.ts';
import { watchInputs } from '../secret-use.ts';
import { inThread } from '../thread-work.ts';

/** The methods of `crypto.subtle` that handlers have (Web Cryptography API, SubtleCrypto). */
export const subtleMethods = [
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
