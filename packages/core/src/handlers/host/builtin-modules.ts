import buffer from 'node:buffer';
import path from 'node:path';
import querystring from 'node:querystring';
import url from 'node:url';
import { cryptoModule } from './builtins/crypto.ts';
import { utilModule } from './builtins/util.ts';
import { zlibModule } from './builtins/zlib.ts';
import { withFrozenErrors } from './frozen-errors.ts';

const MODULES: Record<string, () => Record<string, unknown>> = {
  buffer: () => ({ Buffer, atob, btoa, constants: { ...buffer.constants } }),
  crypto: cryptoModule,
  path: () => pathModule(path.posix),
  querystring: () => functionsOf(querystring),
  url: () => ({
    URL,
    URLSearchParams,
    // The class of what Node.js gives is one that all schemas would share.
    parse: (...args: Parameters<typeof url.parse>) => ({ ...url.parse(...args) }),
    ...functionsOf(url, ['format', 'resolve', 'domainToASCII', 'domainToUnicode']),
  }),
  util: utilModule,
  zlib: zlibModule,
};
const opened = new Map<string, object>();

/** The part of a Node.js built-in that handlers may use, or undefined where there is none; `name` with or without `node:`. */
export function builtinModule(name: string): object | undefined {
  const plainName = name.replace(/^node:/, '');
  if (!Object.hasOwn(MODULES, plainName)) return undefined;
  const known = opened.get(plainName);
  if (known !== undefined) return known;
  const module = harden(withFrozenErrors(MODULES[plainName]?.() ?? {}));
  opened.set(plainName, module);
  return module;
}

function pathModule(inner: path.PlatformPath): Record<string, unknown> {
  const names = [
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
  return { ...functionsOf(inner, names), sep: inner.sep, delimiter: inner.delimiter };
}

/** The functions of a module as functions of ours: those of Node.js cannot be frozen, and must not be left changeable. */
function functionsOf(module: object, names: readonly string[] = Object.keys(module)): Record<string, unknown> {
  const entries = names.map((name): [string, unknown] => [name, Reflect.get(module, name)]);
  return Object.fromEntries(
    entries
      .filter(([, value]) => typeof value === 'function')
      .map(([name, value]) => [name, (...args: unknown[]) => Reflect.apply(value as () => unknown, module, args)]),
  );
}
