import buffer from 'node:buffer';
import path from 'node:path';
import querystring from 'node:querystring';
import stream from 'node:stream';
import url from 'node:url';
import util from 'node:util';
import zlib from 'node:zlib';
import { cryptoModule } from './crypto.ts';
import { HandlerTextDecoder } from './globals.ts';
import { withFrozenErrors } from './lockdown.ts';
import { toPlainJson } from './plain-json.ts';

const MODULES: Record<string, () => Record<string, unknown>> = {
  buffer: () => ({ Buffer, atob, btoa, constants: { ...buffer.constants } }),
  crypto: cryptoModule,
  path: () => {
    const { sep, delimiter } = path.posix;
    return { ...functionsOf(path.posix, PATH_FUNCTIONS), sep, delimiter };
  },
  querystring: () => functionsOf(querystring),
  url: () => ({
    URL,
    URLSearchParams,
    // A copy, because all schemas would share the class of the original.
    parse: (...args: Parameters<typeof url.parse>) => ({ ...url.parse(...args) }),
    ...functionsOf(url, ['format', 'resolve', 'domainToASCII', 'domainToUnicode']),
  }),
  util: utilModule,
  zlib: zlibModule,
};
const cache = new Map<string, object>();

/** The part of a Node.js built-in that handlers may use; undefined for other modules. `name` with or without `node:`. */
export function builtinModule(name: string): object | undefined {
  const plainName = name.replace(/^node:/, '');
  if (!Object.hasOwn(MODULES, plainName)) return undefined;
  const cached = cache.get(plainName);
  if (cached !== undefined) return cached;
  const module = harden(withFrozenErrors(MODULES[plainName]?.() ?? {}));
  cache.set(plainName, module);
  return module;
}

const PATH_FUNCTIONS = [
  'basename',
  'dirname',
  'extname',
  'format',
  'isAbsolute',
  'join',
  'normalize',
  'parse',
  'relative',
  'resolve',
];

/** Wraps the functions of a module, because those of Node.js cannot be frozen. */
function functionsOf(module: object, names: readonly string[] = Object.keys(module)): Record<string, unknown> {
  const entries = names.map((name): [string, unknown] => [name, Reflect.get(module, name)]);
  return Object.fromEntries(
    entries
      .filter(([, value]) => typeof value === 'function')
      .map(([name, value]) => [name, (...args: unknown[]) => Reflect.apply(value as () => unknown, module, args)]),
  );
}

/** `node:util` for handlers. Prints plain copies: the real functions would pass objects of Node.js to callbacks of the value. */
function utilModule(): Record<string, unknown> {
  return {
    promisify,
    inspect: (value: unknown) => util.inspect(plainCopy(value)),
    format: (...parts: unknown[]) => util.format(...parts.map(plainCopy)),
    isDeepStrictEqual: (left: unknown, right: unknown) => util.isDeepStrictEqual(left, right),
    stripVTControlCharacters: (text: unknown) => util.stripVTControlCharacters(String(text)),
    TextDecoder: HandlerTextDecoder,
    TextEncoder,
    types: Object.fromEntries(
      Object.entries(util.types)
        .filter(([name]) => name.startsWith('is') && name !== 'isExternal')
        .map(([name, test]) => [name, (value: unknown) => test(value)]),
    ),
  };
}

function promisify(work: unknown): (...args: unknown[]) => Promise<unknown> {
  if (typeof work !== 'function') throw new TypeError('promisify takes a function');
  return function promisified(this: unknown, ...args) {
    return new Promise((resolve, reject) => {
      const done = (error: unknown, result: unknown): void => (error ? reject(error) : resolve(result));
      Reflect.apply(work, this, [...args, done]);
    });
  };
}

function plainCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const json = toPlainJson(value);
  return json === '' ? undefined : JSON.parse(json);
}

const STREAM_EXPORTS = [
  'Stream',
  'Readable',
  'Writable',
  'Duplex',
  'Transform',
  'PassThrough',
  'pipeline',
  'finished',
  'compose',
  'addAbortSignal',
  'promises',
] as const;

/**
 * `node:stream` for handlers: the classes of Node.js, which break when frozen. So only programs with their own host get them
 * (see `needsOwnHost`).
 */
export function streamModule(): object {
  return Object.freeze(Object.fromEntries(STREAM_EXPORTS.map((name) => [name, Reflect.get(stream, name)])));
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const ZLIB_FUNCTIONS = [
  'gzip',
  'gunzip',
  'deflate',
  'inflate',
  'deflateRaw',
  'inflateRaw',
  'unzip',
  'brotliCompress',
  'brotliDecompress',
] as const;
/** Without `info`, which exposes the engine of Node.js, a stream. */
const ZLIB_OPTIONS = ['level', 'windowBits', 'memLevel', 'strategy', 'dictionary', 'finishFlush', 'params'] as const;

type Work = (input: zlib.InputType, options?: object) => Buffer;
type Done = (error: unknown, result?: Buffer) => void;

/**
 * `node:zlib` for handlers: each function in its `Sync` form and with a callback, no streams. Output is limited, because a small
 * input can unpack to more than the memory of the machine.
 */
function zlibModule(): Record<string, unknown> {
  const entries = ZLIB_FUNCTIONS.flatMap((name): [string, unknown][] => {
    const work = capped(zlib[`${name}Sync`]);
    return [
      [`${name}Sync`, work],
      [name, withCallback(work)],
    ];
  });
  return { ...Object.fromEntries(entries), constants: { ...zlib.constants } };
}

function capped(work: Work): Work {
  return (input, options = {}) => {
    const all = ZLIB_OPTIONS.map((name): [string, unknown] => [name, Reflect.get(options, name)]);
    const given = all.filter(([, value]) => value !== undefined);
    return work(input, { ...Object.fromEntries(given), maxOutputLength: MAX_OUTPUT_BYTES });
  };
}

function withCallback(work: Work): (input: zlib.InputType, options: object | Done, callback?: Done) => void {
  return (input, options, callback) => {
    const done = typeof options === 'function' ? (options as Done) : callback;
    if (done === undefined) throw new TypeError('A callback is required');
    // In a microtask, which belongs to the task of the caller.
    void Promise.resolve()
      .then(() => (typeof options === 'function' ? work(input) : work(input, options)))
      .then((result) => done(null, result), done);
  };
}
