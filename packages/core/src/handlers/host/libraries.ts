import { pathToFileURL } from 'node:url';
import type { HandlerLibrary } from '../handler-program.ts';
import { builtinModule } from './builtin-modules.ts';
import { openLibraryNetwork } from './library-network.ts';
import { freezeRealm } from './lockdown.ts';
import { HostFailure } from './thrown.ts';

/** A loaded library. */
export interface LoadedLibrary {
  name: string;
  /** As `libraries[name]` gives it: the default export where there is one, else the namespace. */
  main: unknown;
  /** As `import(name)` gives it. */
  namespace: object;
}

/**
 * Loads the libraries of a program, then freezes the realm for its handlers.
 *
 * Libraries themselves are not frozen. A program that brings some has a host of its own, so there is nobody to protect from a
 * changed library; and of the real ones, one in three does not work frozen, because it keeps state on what it exports.
 *
 * @throws {HostFailure} for a library that is missing or cannot work here.
 */
export async function loadLibraries(libraries: readonly HandlerLibrary[]): Promise<LoadedLibrary[]> {
  const packages = libraries.filter(({ entry }) => entry !== '');
  if (packages.length > 0) await openLibraryNetwork();
  const loaded = await Promise.all(packages.map(loadPackage));
  freezeRealm();
  return [...loaded, ...libraries.filter(({ entry }) => entry === '').map(openBuiltin)];
}

function openBuiltin({ name }: HandlerLibrary): LoadedLibrary {
  const module = builtinModule(name);
  if (module === undefined) throw unusable(name, 'it is not among the built-in modules that handlers may use');
  return { name, main: module, namespace: module };
}

async function loadPackage({ name, entry }: HandlerLibrary): Promise<LoadedLibrary> {
  const namespace = await importPackage(name, entry.startsWith('file:') ? entry : pathToFileURL(entry).href);
  return { name, main: Reflect.get(namespace, 'default') || namespace, namespace };
}

async function importPackage(name: string, url: string): Promise<object> {
  try {
    return await import(url);
  } catch (thrown) {
    const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw unusable(name, String(thrown));
    throw new HostFailure({
      code: 'LIBRARY_MISSING',
      message: `Library '${name}' or something that it needs is not installed: ${String(thrown)}`,
      hint: `Install '${name}' where schemas find their libraries.`,
    });
  }
}

function unusable(name: string, why: string): HostFailure {
  return new HostFailure({
    code: 'LIBRARY_UNUSABLE',
    message: `Library '${name}' does not work in a handler host: ${why}`,
    hint: "Native add-ons, and libraries that need files or processes, work only with isolation 'trusted'.",
  });
}
