import { syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { HandlerFailure } from '../handler-error.ts';
import { type HandlerLibrary, isStream } from '../handler-program.ts';
import { brokeredHttp } from './brokered-http.ts';
import { builtinModule, streamModule } from './builtin-modules.ts';
import { closeFunctions } from './close-ways-out.ts';
import { freezeRealm } from './lockdown.ts';
import { taskInProgress } from './tasks.ts';
import { errorOf, HostFailure } from './thrown.ts';
import { brokeredFetch, webApi } from './web/fetch.ts';

const TRUSTED_HINT =
  'Libraries that are native, that need files or processes, or that change the language work only in your own process. ' +
  "If you have read the schema and trust it, load it with isolation: 'trusted' and the hash of its file as pin.";

/** Packages of the only program that this host has. */
const loadedPackages: string[] = [];

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
  const missing = libraries.filter((library) => library.missing === true);
  const packages = libraries.filter(({ entry }) => entry !== '');
  if (packages.length > 0) await openLibraryNetwork();
  loadedPackages.push(...packages.map(({ name }) => name));
  const loaded = await Promise.all(packages.map(loadPackage));
  freezeRealm();
  const builtins = libraries.filter((library) => library.entry === '' && library.missing !== true);
  return [...loaded, ...builtins.map(openBuiltin), ...missing.map(standIn)];
}

/** Stands for a library that is not installed: whoever uses it learns so, and the handlers beside it go on. */
function standIn({ name }: HandlerLibrary): LoadedLibrary {
  const fail = (): never => {
    throw errorOf({
      code: 'LIBRARY_MISSING',
      message: `Library '${name}' is not installed`,
      hint: `Run npm install ${name} in the folder of the schema or of the program.`,
    });
  };
  // Every trap fails.
  const main = new Proxy(class {}, new Proxy({}, { get: () => fail }));
  return { name, main, namespace: main };
}

/** What V8 and SES say where code changes something that is frozen. */
const FROZEN = /read only property|not extensible|Cannot (?:define|redefine|delete) property|Cannot assign to/;

/** Adds what to do to the failure of a handler whose library seems to change the language while it works. */
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
    if (isOfNative(thrown)) throw unusable(name, 'it has native code');
    const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw unusable(name, String(thrown));
    throw new HostFailure({
      code: 'LIBRARY_MISSING',
      message: `Library '${name}' or something that it needs is not installed: ${String(thrown)}`,
      hint: `Install '${name}' where schemas find their libraries.`,
    });
  }
}

/** Native packages look for their binary, which no host may load, in several ways, and then say that it is not installed. */
function isOfNative(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const isNative = Reflect.get(thrown, 'code') === 'ERR_DLOPEN_DISABLED' || NATIVE.test(thrown.message);
  return isNative || (thrown.cause !== thrown && isOfNative(thrown.cause));
}

const NATIVE = /\.node(?=['"\s]|$)|native (?:binding|add-?on)/i;

function unusable(name: string, why: string): HostFailure {
  return new HostFailure({
    code: 'LIBRARY_UNUSABLE',
    message: `Library '${name}' does not work in a handler host: ${why}`,
    hint: TRUSTED_HINT,
  });
}

/**
 * Gives libraries the network that handlers have: `fetch`, and the requests of `node:http` and `node:https`, are made by our
 * process. What cannot be routed is closed, so that it fails at once and says why; so are ways to files that are left open.
 *
 * Loading these modules takes tens of milliseconds, which only hosts with libraries have to spend.
 */
async function openLibraryNetwork(): Promise<void> {
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
  closeFunctions(http.default, ['createServer']);
  closeFunctions(https.default, ['createServer']);
  closeFunctions(http2.default, ['connect', 'createServer', 'createSecureServer']);
  closeFunctions(tls.default, ['connect', 'createServer']);
  closeFunctions(inspector.default, ['open']);
  // These write files where the permission model does not look, the second with flags of V8 such as `--logfile`.
  closeFunctions(traceEvents.default, ['createTracing']);
  closeFunctions(v8.default, ['setFlagsFromString', 'setHeapSnapshotNearHeapLimit']);
  syncBuiltinESMExports();
}
