import crypto from 'node:crypto';
import { withFrozenErrors } from '../lockdown.ts';
import { watchInputs } from '../tasks.ts';
import { webCrypto } from '../web/web-crypto.ts';

/** Functions that give text, bytes and numbers, with the arguments that they take here: none of them a callback. */
const PLAIN_FUNCTIONS = {
  sign: 3,
  verify: 4,
  hash: 3,
  randomBytes: 1,
  randomInt: 2,
  randomUUID: 0,
  timingSafeEqual: 2,
  pbkdf2Sync: 5,
  scryptSync: 4,
  hkdfSync: 5,
  getHashes: 0,
  getCiphers: 0,
} as const;

/**
 * `node:crypto` for handlers. The objects of Node.js are streams, and their prototypes lead to `EventEmitter`; handlers get
 * plain objects with the same methods instead. Keys are given as text (PEM), bytes or JWK.
 */
export function cryptoModule(): Record<string, unknown> {
  const plain = Object.entries(PLAIN_FUNCTIONS).map(([name, count]): [string, unknown] => [
    name,
    (...args: unknown[]) => call(crypto, name, args.slice(0, count)),
  ]);
  return watchInputs({
    ...Object.fromEntries(plain),
    createHash: (algorithm: string, options?: crypto.HashOptions) =>
      hash(crypto.createHash(algorithm, pick(options, ['outputLength']))),
    createHmac: (algorithm: string, key: crypto.BinaryLike) =>
      facade(crypto.createHmac(algorithm, key), ['update', 'digest']),
    createSign: (algorithm: string) => signing(crypto.createSign(algorithm), ['update', 'sign']),
    createVerify: (algorithm: string) => signing(crypto.createVerify(algorithm), ['update', 'verify']),
    createCipheriv: (...[name, key, iv, options]: Parameters<typeof crypto.createCipheriv>) =>
      facade(crypto.createCipheriv(name, key, iv, pick(options, ['authTagLength'])), CIPHER_METHODS),
    createDecipheriv: (...[name, key, iv, options]: Parameters<typeof crypto.createDecipheriv>) =>
      facade(crypto.createDecipheriv(name, key, iv, pick(options, ['authTagLength'])), CIPHER_METHODS),
    createECDH: (curve: string) => ecdh(crypto.createECDH(curve)),
    generateKeyPairSync: (type: string, options?: object | null) => keyPair(type, options ?? {}),
    ...webCrypto(),
    webcrypto: webCrypto(),
  });
}

const CIPHER_METHODS = ['update', 'final', 'setAutoPadding', 'setAAD', 'setAuthTag', 'getAuthTag'];

function hash(inner: crypto.Hash): object {
  return facade(inner, ['update', 'digest'], () => ({ copy: () => hash(inner.copy()) }));
}

/** In Node.js `setPrivateKey` returns nothing. */
function ecdh(inner: crypto.ECDH): object {
  return facade(inner, ['generateKeys', 'computeSecret', 'getPublicKey', 'getPrivateKey'], () => ({
    setPrivateKey: (...args: unknown[]) => void call(inner, 'setPrivateKey', args),
  }));
}

/** `end` ends the stream, which is not here. */
function signing(inner: crypto.Sign | crypto.Verify, methods: readonly string[]): object {
  return facade(inner, methods, (outer) => ({ end: outer }));
}

/** An object with methods of one of Node.js and `others`: they give text, bytes, true and false, or the object itself. */
function facade(
  inner: object,
  methods: readonly string[],
  others: (outer: () => object) => Record<string, unknown> = () => ({}),
): object {
  const entries = methods.map((name): [string, unknown] => [
    name,
    (...args: unknown[]) => {
      const result = call(inner, name, args);
      if (result === inner) return outer;
      return typeof result === 'object' && !Buffer.isBuffer(result) ? undefined : result;
    },
  ]);
  const outer: object = harden(
    withFrozenErrors(watchInputs({ ...Object.fromEntries(entries), ...others(() => outer) })),
  );
  return outer;
}

function call(owner: object, name: string, args: readonly unknown[]): unknown {
  return Reflect.apply(Reflect.get(owner, name), owner, args);
}

/** Keys as text, bytes or JWK: the key objects of Node.js have prototypes that all schemas of this host would share. */
function keyPair(type: string, options: object): unknown {
  const { publicKeyEncoding, privateKeyEncoding } = { ...options } as Record<string, unknown>;
  if (!publicKeyEncoding || !privateKeyEncoding) {
    throw new TypeError('generateKeyPairSync needs publicKeyEncoding and privateKeyEncoding here');
  }
  const { publicKey, privateKey } = Reflect.apply(crypto.generateKeyPairSync, crypto, [
    type,
    { ...options, publicKeyEncoding, privateKeyEncoding },
  ]);
  return { publicKey, privateKey };
}

/** Only these options: the others are functions of streams, which would be called with the stream. */
function pick(options: object | null | undefined, names: readonly string[]): Record<string, never> {
  const given = names.map((name) => [name, options ? Reflect.get(options, name) : undefined]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}
