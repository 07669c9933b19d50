import stream from 'node:stream';

const NAMES = [
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
 * `node:stream` for handlers: the classes of Node.js themselves, which cannot be frozen without breaking them. So a program
 * that declares it has a host of its own (see `needsOwnHost`), like one with packages, and nobody else gets them.
 */
export function streamModule(): object {
  return Object.freeze(Object.fromEntries(NAMES.map((name) => [name, Reflect.get(stream, name)])));
}
