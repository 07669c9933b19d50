import zlib from 'node:zlib';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const NAMES = [
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

type Work = (input: zlib.InputType, options: zlib.ZlibOptions) => Buffer;
type Done = (error: unknown, result?: Buffer) => void;

/**
 * `node:zlib` for handlers: each function in its `Sync` form and with a callback, no streams. What comes out is capped, because
 * a small input can unpack to more than the machine has.
 */
export function zlibModule(): Record<string, unknown> {
  const entries = NAMES.flatMap((name): [string, unknown][] => {
    const work = zlib[`${name}Sync`] as Work;
    const capped = (input: zlib.InputType, options: zlib.ZlibOptions = {}): Buffer =>
      work(input, {
        ...options,
        maxOutputLength: Math.min(options.maxOutputLength ?? MAX_OUTPUT_BYTES, MAX_OUTPUT_BYTES),
      });
    return [
      [`${name}Sync`, capped],
      [name, withCallback(capped)],
    ];
  });
  return { ...Object.fromEntries(entries), constants: { ...zlib.constants } };
}

function withCallback(work: (input: zlib.InputType, options?: zlib.ZlibOptions) => Buffer) {
  return (input: zlib.InputType, options: zlib.ZlibOptions | Done, callback?: Done): void => {
    const done = typeof options === 'function' ? options : callback;
    if (done === undefined) throw new TypeError('A callback is required');
    // Settled in a microtask, which stays inside the task that asked.
    void Promise.resolve()
      .then(() => (typeof options === 'function' ? work(input) : work(input, options)))
      .then((result) => done(null, result), done);
  };
}
