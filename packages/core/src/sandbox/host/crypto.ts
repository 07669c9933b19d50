import nodeCrypto, { type webcrypto } from 'node:crypto';
import { types } from 'node:util';
import { withFrozenClass, withFrozenErrors } from './lockdown.ts';
import { type RunningTask, reportSecretInputs, taskInProgress } from './tasks.ts';

/** Functions that return text, bytes and numbers, with the number of arguments that they take: no callbacks. */
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
 * `node:crypto` for handlers. The objects of Node.js are streams, whose prototypes lead to `EventEmitter`, so handlers get plain
 * objects with the same methods. Keys are text (PEM), bytes or JWK.
 */
export function cryptoModule(): Record<string, unknown> {
  const plain = Object.entries(PLAIN_FUNCTIONS).map(([name, count]): [string, unknown] => [
    name,
    (...args: unknown[]) => call(nodeCrypto, name, args.slice(0, count)),
  ]);
  return reportSecretInputs({
    ...Object.fromEntries(plain),
    createHash: (algorithm: string, options?: nodeCrypto.HashOptions) =>
      hash(nodeCrypto.createHash(algorithm, pick(options, ['outputLength']))),
    createHmac: (algorithm: string, key: nodeCrypto.BinaryLike) =>
      facade(nodeCrypto.createHmac(algorithm, key), ['update', 'digest']),
    createSign: (algorithm: string) => signing(nodeCrypto.createSign(algorithm), ['update', 'sign']),
    createVerify: (algorithm: string) => signing(nodeCrypto.createVerify(algorithm), ['update', 'verify']),
    createCipheriv: (...[name, key, iv, options]: Parameters<typeof nodeCrypto.createCipheriv>) =>
      facade(nodeCrypto.createCipheriv(name, key, iv, pick(options, ['authTagLength'])), CIPHER_METHODS),
    createDecipheriv: (...[name, key, iv, options]: Parameters<typeof nodeCrypto.createDecipheriv>) =>
      facade(nodeCrypto.createDecipheriv(name, key, iv, pick(options, ['authTagLength'])), CIPHER_METHODS),
    createECDH: (curve: string) => ecdh(nodeCrypto.createECDH(curve)),
    generateKeyPairSync: (type: string, options?: object | null) => keyPair(type, options ?? {}),
    ...webCrypto(),
    webcrypto: webCrypto(),
  });
}

const CIPHER_METHODS = ['update', 'final', 'setAutoPadding', 'setAAD', 'setAuthTag', 'getAuthTag'];

function hash(inner: nodeCrypto.Hash): object {
  return facade(inner, ['update', 'digest'], () => ({ copy: () => hash(inner.copy()) }));
}

/** In Node.js `setPrivateKey` returns nothing. */
function ecdh(inner: nodeCrypto.ECDH): object {
  return facade(inner, ['generateKeys', 'computeSecret', 'getPublicKey', 'getPrivateKey'], () => ({
    setPrivateKey: (...args: unknown[]) => void call(inner, 'setPrivateKey', args),
  }));
}

/** `end` does nothing: there is no stream. */
function signing(inner: nodeCrypto.Sign | nodeCrypto.Verify, methods: readonly string[]): object {
  return facade(inner, methods, (outer) => ({ end: outer }));
}

/** An object with some methods of an object of Node.js, and `others`. They return primitives, bytes or the object itself. */
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
    withFrozenErrors(reportSecretInputs({ ...Object.fromEntries(entries), ...others(() => outer) })),
  );
  return outer;
}

function call(owner: object, name: string, args: readonly unknown[]): unknown {
  return Reflect.apply(Reflect.get(owner, name), owner, args);
}

/** No key objects: schemas of this host would share their prototypes. */
function keyPair(type: string, options: object): unknown {
  const { publicKeyEncoding, privateKeyEncoding } = { ...options } as Record<string, unknown>;
  if (!publicKeyEncoding || !privateKeyEncoding) {
    throw new TypeError('generateKeyPairSync needs publicKeyEncoding and privateKeyEncoding here');
  }
  const { publicKey, privateKey } = Reflect.apply(nodeCrypto.generateKeyPairSync, nodeCrypto, [
    type,
    { ...options, publicKeyEncoding, privateKeyEncoding },
  ]);
  return { publicKey, privateKey };
}

/** Drops all other options: some are callbacks of streams, which would be called with the stream. */
function pick(options: object | null | undefined, names: readonly string[]): Record<string, never> {
  const given = names.map((name) => [name, options ? Reflect.get(options, name) : undefined]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

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
const native = globalThis.crypto;

let shared: Record<string, unknown> | undefined;

/** Web Crypto for handlers. Keys are wrapped: those of Node.js expose an inner object, whose prototype schemas would share. */
export function webCrypto(): Record<string, unknown> {
  shared ??= harden({
    ...withFrozenErrors({
      getRandomValues: (array: never) => native.getRandomValues(array),
      randomUUID: () => native.randomUUID(),
    }),
    subtle: reportSecretInputs(Object.fromEntries(subtleMethods.map((name) => [name, subtleMethod(name)]))),
  });
  return shared;
}

function subtleMethod(name: (typeof subtleMethods)[number]): (...args: unknown[]) => Promise<unknown> {
  return (...args) =>
    runInThread(async () => {
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

/** The key of Node.js for a wrapped one, also inside an algorithm (`{ name: 'ECDH', public: key }`). */
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

/** Threads that a task may use at a time, of the four that a host has. */
const MAX_THREADS = 2;

interface ThreadQueue {
  running: number;
  waiting: Set<() => void>;
}

const queues = new WeakMap<RunningTask, ThreadQueue>();

/**
 * Runs work that uses a thread, for the current task. Threads cannot be stopped: an aborted task gets a rejection at once, and
 * the promise of a task that is over never settles, so that its code does not continue.
 */
function runInThread<Result>(work: () => Promise<Result>): Promise<Result> {
  const task = taskInProgress();
  if (task === undefined) return Promise.reject(new Error('The call that computes this has ended'));
  const queue = queues.get(task) ?? { running: 0, waiting: new Set() };
  queues.set(task, queue);
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  let isOver = false;

  const start = (): void => {
    queue.waiting.delete(start);
    queue.running += 1;
    work().then(
      (result) => finish(() => resolve(result)),
      (thrown) => finish(() => reject(thrown)),
    );
  };
  const finish = (settle: () => void): void => {
    queue.running -= 1;
    for (const next of queue.waiting) {
      next();
      break;
    }
    if (!isOver) settle();
    cleanUp();
  };
  const cleanUp = (): void => {
    isOver = true;
    queue.waiting.delete(start);
    task.cleanups.delete(cleanUp);
    task.signal.removeEventListener('abort', abort);
  };
  const abort = (): void => {
    // No unhandled rejection in code that does not await it.
    promise.catch(() => undefined);
    reject(task.signal.reason);
    cleanUp();
  };

  task.cleanups.add(cleanUp);
  task.signal.addEventListener('abort', abort);
  if (queue.running < MAX_THREADS) start();
  else queue.waiting.add(start);
  return promise;
}

/** Whether a task has unfinished work in threads. */
export function hasThreadWork(task: RunningTask): boolean {
  return (queues.get(task)?.running ?? 0) > 0;
}
