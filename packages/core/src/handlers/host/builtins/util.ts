import util from 'node:util';
import { toPlainJson } from '../plain-json.ts';
import { HandlerTextDecoder } from '../web/text-decoder.ts';

/** `node:util` for handlers. What prints values prints a plain copy: the real functions call back with objects of Node.js. */
export function utilModule(): Record<string, unknown> {
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
