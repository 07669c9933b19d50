import crypto from 'node:crypto';
import { withFrozenErrors } from '../lockdown.ts';
import { watchInputs } from '../tasks.ts';
import { webCrypto } from '../web/web-crypto.ts';

type Data = string | NodeJS.ArrayBufferView;

/**
 * `node:crypto` for handlers. The objects of Node.js are streams, and their prototypes lead to `EventEmitter`; handlers get
 * plain objects with the same methods instead. Keys are given as text (PEM), bytes or JWK.
 */
export function cryptoModule(): Record<string, unknown> {
  return watchInputs({
    createHash: (algorithm: string, options?: crypto.HashOptions) =>
      hash(crypto.createHash(algorithm, pick(options, ['outputLength']))),
    createHmac: (algorithm: string, key: crypto.BinaryLike) => hmac(crypto.createHmac(algorithm, key)),
    createSign: (algorithm: string) => sign(crypto.createSign(algorithm)),
    createVerify: (algorithm: string) => verify(crypto.createVerify(algorithm)),
    createCipheriv: (...[name, key, iv, options]: Parameters<typeof crypto.createCipheriv>) =>
      cipher(crypto.createCipheriv(name, key, iv, pick(options, ['authTagLength']))),
    createDecipheriv: (...[name, key, iv, options]: Parameters<typeof crypto.createDecipheriv>) =>
      cipher(crypto.createDecipheriv(name, key, iv, pick(options, ['authTagLength']))),
    sign: (algorithm: string | null, data: NodeJS.ArrayBufferView, key: crypto.KeyLike) =>
      crypto.sign(algorithm, data, key),
    verify: (
      algorithm: string | null,
      data: NodeJS.ArrayBufferView,
      key: crypto.KeyLike,
      signature: NodeJS.ArrayBufferView,
    ) => crypto.verify(algorithm, data, key, signature),
    hash: (algorithm: string, data: crypto.BinaryLike, encoding?: crypto.BinaryToTextEncoding) =>
      crypto.hash(algorithm, data, encoding),
    randomBytes: (size: number) => crypto.randomBytes(size),
    randomInt: (low: number, high?: number) =>
      high === undefined ? crypto.randomInt(low) : crypto.randomInt(low, high),
    randomUUID: () => crypto.randomUUID(),
    timingSafeEqual: (left: NodeJS.ArrayBufferView, right: NodeJS.ArrayBufferView) =>
      crypto.timingSafeEqual(left, right),
    pbkdf2Sync: (...args: Parameters<typeof crypto.pbkdf2Sync>) => crypto.pbkdf2Sync(...args),
    scryptSync: (
      password: crypto.BinaryLike,
      salt: crypto.BinaryLike,
      length: number,
      options?: crypto.ScryptOptions,
    ) => crypto.scryptSync(password, salt, length, options),
    hkdfSync: (...args: Parameters<typeof crypto.hkdfSync>) => crypto.hkdfSync(...args),
    createECDH: (curve: string) => ecdh(crypto.createECDH(curve)),
    generateKeyPairSync: (type: string, options?: object | null) => keyPair(type, options ?? {}),
    getHashes: () => crypto.getHashes(),
    getCiphers: () => crypto.getCiphers(),
    ...webCrypto(),
    webcrypto: webCrypto(),
  });
}

function hash(inner: crypto.Hash): object {
  return chainable((outer) => ({
    update: (data: Data, encoding?: crypto.Encoding) => {
      update(inner, data, encoding);
      return outer();
    },
    digest: (encoding?: crypto.BinaryToTextEncoding) => digest(inner, encoding),
    copy: () => hash(inner.copy()),
  }));
}

function hmac(inner: crypto.Hmac): object {
  return chainable((outer) => ({
    update: (data: Data, encoding?: crypto.Encoding) => {
      update(inner, data, encoding);
      return outer();
    },
    digest: (encoding?: crypto.BinaryToTextEncoding) => digest(inner, encoding),
  }));
}

function sign(inner: crypto.Sign): object {
  return chainable((outer) => ({
    update: (data: Data, encoding?: crypto.Encoding) => {
      update(inner, data, encoding);
      return outer();
    },
    end: () => outer(),
    sign: (key: crypto.KeyLike, encoding?: crypto.BinaryToTextEncoding) =>
      encoding === undefined ? inner.sign(key) : inner.sign(key, encoding),
  }));
}

function verify(inner: crypto.Verify): object {
  return chainable((outer) => ({
    update: (data: Data, encoding?: crypto.Encoding) => {
      update(inner, data, encoding);
      return outer();
    },
    end: () => outer(),
    verify: (key: crypto.KeyLike, signature: string, encoding: crypto.BinaryToTextEncoding) =>
      inner.verify(key, signature, encoding),
  }));
}

function cipher(inner: crypto.Cipher | crypto.Decipher): object {
  return chainable((outer) => ({
    update: (...args: unknown[]) => Reflect.apply(inner.update, inner, args),
    final: (...args: unknown[]) => Reflect.apply(inner.final, inner, args),
    setAutoPadding: (padding?: boolean) => {
      inner.setAutoPadding(padding);
      return outer();
    },
    setAAD: (...args: unknown[]) => {
      Reflect.apply(Reflect.get(inner, 'setAAD'), inner, args);
      return outer();
    },
    setAuthTag: (...args: unknown[]) => {
      Reflect.apply(Reflect.get(inner, 'setAuthTag'), inner, args);
      return outer();
    },
    getAuthTag: () => Reflect.apply(Reflect.get(inner, 'getAuthTag'), inner, []),
  }));
}

function ecdh(inner: crypto.ECDH): object {
  const names = ['generateKeys', 'computeSecret', 'getPublicKey', 'getPrivateKey', 'setPrivateKey'] as const;
  const methods = names.map((name): [string, unknown] => [
    name,
    (...args: unknown[]): unknown => {
      const result: unknown = Reflect.apply(inner[name], inner, args);
      return typeof result === 'string' || Buffer.isBuffer(result) ? result : undefined;
    },
  ]);
  return chainable(() => Object.fromEntries(methods));
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

/** Methods that return the object they belong to. */
function chainable(methods: (outer: () => object) => Record<string, unknown>): object {
  const outer: object = harden(withFrozenErrors(watchInputs(methods(() => outer))));
  return outer;
}

/** Only these options: the others are functions of streams, which would be called with the stream. */
function pick(options: object | null | undefined, names: readonly string[]): Record<string, never> {
  const given = names.map((name) => [name, options ? Reflect.get(options, name) : undefined]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function update(
  inner: { update(data: Data): unknown; update(data: string, encoding: crypto.Encoding): unknown },
  data: Data,
  encoding?: crypto.Encoding,
): void {
  if (typeof data === 'string' && encoding !== undefined) inner.update(data, encoding);
  else inner.update(data);
}

function digest(inner: crypto.Hash | crypto.Hmac, encoding?: crypto.BinaryToTextEncoding): Buffer | string {
  return encoding === undefined ? inner.digest() : inner.digest(encoding);
}
