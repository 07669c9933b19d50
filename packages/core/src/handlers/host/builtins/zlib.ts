import zlib from 'node:zlib';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const FUNCTIONS = [
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
/** Not among them: `info`, which makes Node.js give out its engine, a stream. */
const OPTIONS = ['level', 'windowBits', 'memLevel', 'strategy', 'dictionary', 'finishFlush', 'params'] as const;

type Work = (input: zlib.InputType, options?: object) => Buffer;
type Done = (error: unknown, result?: Buffer) => void;

/**
 * `node:zlib` for handlers: each function in its `Sync` form and with a callback, no streams. What comes out is capped, because
 * a small input can unpack to more than the machine has.
 */
export function zlibModule(): Record<string, unknown> {
  const entries = FUNCTIONS.flatMap((name): [string, unknown][] => {
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
    const known = OPTIONS.map((name): [string, unknown] => [name, Reflect.get(options, name)]);
    const given = known.filter(([, value]) => value !== undefined);
    return work(input, { ...Object.fromEntries(given), maxOutputLength: MAX_OUTPUT_BYTES });
  };
}

function withCallback(work: Work): (input: zlib.InputType, options: object | Done, callback?: Done) => void {
  return (input, options, callback) => {
    const done = typeof options === 'function' ? (options as Done) : callback;
    if (done === undefined) throw new TypeError('A callback is required');
    // Settled in a microtask, which stays inside the task that asked.
    void Promise.resolve()
      .then(() => (typeof options === 'function' ? work(input) : work(input, options)))
      .then((result) => done(null, result), done);
  };
}
