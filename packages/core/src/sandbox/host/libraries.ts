import { syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { HandlerFailure } from '../handler-error.ts';
import { type HandlerLibrary, isStream } from '../handler-program.ts';
import { blockFunctions } from './block-system-access.ts';
import { brokeredHttp } from './brokered-http.ts';
import { builtinModule, streamModule } from './builtin-modules.ts';
import { errorOf, HostFailure } from './host-failure.ts';
import { freezeLanguage } from './lockdown.ts';
import { taskInProgress } from './tasks.ts';
import { brokeredFetch, webApi } from './web/fetch.ts';

const TRUSTED_HINT =
  'Libraries that are native, that need files or processes, or that change the language work only in your own process. ' +
  "If you have read the schema and trust it, load it with isolation: 'trusted' and the hash of its file as pin.";

/** A host with packages has only one program. */
const loadedPackages: string[] = [];

export interface LoadedLibrary {
  name: string;
  /** For `libraries[name]`: the default export if there is one, else the namespace. */
  main: unknown;
  /** For `import(name)`. */
  namespace: object;
}

/**
 * Loads the libraries of a program, then freezes the language for its handlers.
 *
 * Libraries themselves are not frozen: their program has its own host, so no other schema can be affected, and one in three
 * does not work frozen, because it keeps state on its exports.
 *
 * @throws {HostFailure} for a library that cannot be loaded here.
 */
export async function loadLibraries(libraries: readonly HandlerLibrary[]): Promise<LoadedLibrary[]> {
  const missing = libraries.filter((library) => library.missing === true);
  const packages = libraries.filter(({ entry }) => entry !== '');
  if (packages.length > 0) await routeLibraryNetwork();
  loadedPackages.push(...packages.map(({ name }) => name));
  const loaded = await Promise.all(packages.map(loadPackage));
  freezeLanguage();
  const builtins = libraries.filter((library) => library.entry === '' && library.missing !== true);
  return [...loaded, ...builtins.map(openBuiltin), ...missing.map(missingLibrary)];
}

/** A placeholder for a library that is not installed: any use throws, and handlers that do not use it work. */
function missingLibrary({ name }: HandlerLibrary): LoadedLibrary {
  const fail = (): never => {
    throw errorOf({
      code: 'LIBRARY_MISSING',
      message: `Library '${name}' is not installed`,
      hint: `Run npm install ${name} in the folder of the schema or of the program.`,
    });
  };
  // All traps throw.
  const main = new Proxy(class {}, new Proxy({}, { get: () => fail }));
  return { name, main, namespace: main };
}

/** Messages of V8 and SES for changes to frozen objects. */
const FROZEN = /read only property|not extensible|Cannot (?:define|redefine|delete) property|Cannot assign to/;

/** Adds a hint to the failure of a handler whose library seems to change frozen objects of the language. */
export function withLibraryHint(failure: HandlerFailure): HandlerFailure {
  if (loadedPackages.length === 0 || failure.hint !== undefined || !FROZEN.test(failure.message)) return failure;
  return { ...failure, hint: `If ${loadedPackages.join(' or ')} does this: ${TRUSTED_HINT}` };
}

function openBuiltin({ name }: HandlerLibrary): LoadedLibrary {
  const module = isStream(name) ? streamModule() : builtinModule(name);
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
    if (isNativeError(thrown)) throw unusable(name, 'it has native code');
    const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw unusable(name, String(thrown));
    throw new HostFailure({
      code: 'LIBRARY_MISSING',
      message: `Library '${name}' or something that it needs is not installed: ${String(thrown)}`,
      hint: `Install '${name}' where schemas find their libraries.`,
    });
  }
}

/** Native packages try several ways to load their binary, which is not allowed here, and may report it as not installed. */
function isNativeError(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const isNative = Reflect.get(thrown, 'code') === 'ERR_DLOPEN_DISABLED' || NATIVE.test(thrown.message);
  return isNative || (thrown.cause !== thrown && isNativeError(thrown.cause));
}

const NATIVE = /\.node(?=['"\s]|$)|native (?:binding|add-?on)/i;

function unusable(name: string, why: string): HostFailure {
  return new HostFailure({
    code: 'LIBRARY_UNUSABLE',
    message: `Library '${name}' does not work in the sandbox: ${why}`,
    hint: TRUSTED_HINT,
  });
}

/**
 * Routes `fetch` and the requests of `node:http` and `node:https` through the broker. Other network functions are blocked, so
 * that they fail at once with a reason, and so are remaining ways to files.
 *
 * Loading these modules takes tens of milliseconds, so only hosts with libraries do it.
 */
async function routeLibraryNetwork(): Promise<void> {
  Object.assign(globalThis, { ...webApi, fetch: brokeredFetch(taskInProgress) });
  const [http, https, http2, tls, inspector, v8, traceEvents] = await Promise.all([
    import('node:http'),
    import('node:https'),
    import('node:http2'),
    import('node:tls'),
    import('node:inspector'),
    import('node:v8'),
    import('node:trace_events'),
  ]);
  Object.assign(http.default, brokeredHttp('http:'));
  Object.assign(https.default, brokeredHttp('https:'));
  blockFunctions(http.default, ['createServer']);
  blockFunctions(https.default, ['createServer']);
  blockFunctions(http2.default, ['connect', 'createServer', 'createSecureServer']);
  blockFunctions(tls.default, ['connect', 'createServer']);
  blockFunctions(inspector.default, ['open']);
  // They write files past the permission model, the second with V8 flags such as `--logfile`.
  blockFunctions(traceEvents.default, ['createTracing']);
  blockFunctions(v8.default, ['setFlagsFromString', 'setHeapSnapshotNearHeapLimit']);
  syncBuiltinESMExports();
}
