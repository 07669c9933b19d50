import { pathToFileURL } from 'node:url';
import type { HandlerLibrary } from '../handler-program.ts';
import { builtinModule } from './builtin-modules.ts';
import { closeNetworkModules } from './close-network.ts';
import { freezeLibrary } from './freeze-library.ts';
import { installFetch, routeLibrary } from './library-fetch.ts';
import { HostFailure } from './thrown.ts';

/** A loaded library as `libraries[name]` gives it, and as `import(name)` does. */
export interface LoadedLibrary {
  name: string;
  /** The default export where there is one, else the namespace. */
  main: unknown;
  namespace: object;
}

/** Loads the libraries of a program. Throws a `HostFailure` for one that is missing or cannot work here. */
export async function loadLibraries(libraries: readonly HandlerLibrary[]): Promise<LoadedLibrary[]> {
  if (libraries.some(({ entry }) => entry !== '')) {
    await closeNetworkModules();
    installFetch();
  }
  return Promise.all(libraries.map(loadLibrary));
}

async function loadLibrary({ name, entry }: HandlerLibrary): Promise<LoadedLibrary> {
  const builtin = builtinModule(name);
  if (builtin !== undefined) return { name, main: builtin, namespace: builtin };
  if (entry === '') throw unusable(name, 'it is not among the built-in modules that handlers may use');
  const namespace = copyNamespace(await importLibrary(name, entry));
  routeLibrary(namespace);
  freezeLibrary(namespace);
  return { name, main: Reflect.get(namespace, 'default') || namespace, namespace };
}

async function importLibrary(name: string, entry: string): Promise<object> {
  const url = entry.startsWith('file:') ? entry : pathToFileURL(entry).href;
  try {
    return await import(url);
  } catch (thrown) {
    const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'ENOENT') {
      throw new HostFailure({
        code: 'LIBRARY_MISSING',
        message: `Library '${name}' or something that it needs is not installed: ${String(thrown)}`,
        hint: `Install '${name}' where schemas find their libraries.`,
      });
    }
    throw unusable(name, String(thrown));
  }
}

/** Module namespaces cannot be frozen, and neither can what holds one. */
function copyNamespace(namespace: object): object {
  const copies = new Map<object, object>();
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Reflect.get(value, Symbol.toStringTag) !== 'Module') return value;
    const known = copies.get(value);
    if (known !== undefined) return known;
    const plain = {};
    copies.set(value, plain);
    for (const key of Object.keys(value)) Object.assign(plain, { [key]: copy(Reflect.get(value, key)) });
    return plain;
  };
  return copy(namespace) as object;
}

function unusable(name: string, why: string): HostFailure {
  return new HostFailure({
    code: 'LIBRARY_UNUSABLE',
    message: `Library '${name}' does not work in a handler host: ${why}`,
    hint: "Native add-ons and libraries that need files or processes work only with isolation 'trusted'.",
  });
}
