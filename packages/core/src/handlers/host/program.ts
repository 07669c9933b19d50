import { type HandlerProgram, isStream } from '../handler-program.ts';
import { builtinModule } from './builtin-modules.ts';
import { consoleOf } from './console.ts';
import { sharedGlobals } from './globals.ts';
import { type LoadedLibrary, loadLibraries } from './libraries.ts';
import { freezeRealm } from './lockdown.ts';
import { taskOfProgram } from './tasks.ts';
import { describeThrown, HostFailure, scriptName } from './thrown.ts';
import { timersOf } from './timers.ts';
import { brokeredFetch } from './web/fetch.ts';

let globals: Record<string, unknown> | undefined;

/** Runs the statements and the factory of a program in a compartment of its own. Gives what the factory returned. */
export async function openProgram(key: string, program: HandlerProgram): Promise<object> {
  const libraries = await loadLibraries(program.libraries);
  const factory = runScript(openCompartment(key, handlerGlobals(key, libraries)), key, program.source, 'handlers');
  return openHandlers(factory, {
    sharedLists: harden(program.sharedLists),
    libraries: Object.freeze(Object.fromEntries(libraries.map(({ name, main }) => [name, main]))),
  });
}

/** The value that a script binds to `exportName`, in a compartment without libraries, requests and timers. */
export function evaluateScript(source: string, exportName: string): unknown {
  freezeRealm();
  return runScript(openCompartment('', {}), '', source, exportName);
}

/** What handler code of one program finds beyond the shared globals. */
function handlerGlobals(key: string, libraries: readonly LoadedLibrary[]): Record<string, unknown> {
  return harden({
    ...timersOf(key),
    console: consoleOf(key),
    fetch: brokeredFetch(() => taskOfProgram(key)),
    __schemakitImport: async (name: unknown) => importInHandler(String(name), libraries),
  });
}

function openCompartment(key: string, own: Record<string, unknown>): Compartment {
  globals ??= sharedGlobals();
  const compartment = new Compartment({ globals: { ...globals, ...own }, name: scriptName(key), __options__: true });
  for (const name of ['Compartment', 'lockdown', 'repairIntrinsics', 'assert', 'ModuleSource']) {
    Reflect.deleteProperty(compartment.globalThis, name);
  }
  return compartment;
}

function importInHandler(name: string, libraries: readonly LoadedLibrary[]): object {
  const plainName = name.replace(/^node:/, '');
  const library = libraries.find((candidate) => candidate.name.replace(/^node:/, '') === plainName);
  const found = library?.namespace ?? builtinModule(plainName);
  if (found === undefined && isStream(plainName))
    throw new Error(`'${name}' works only where requiredLibraries has it`);
  if (found === undefined) throw new Error(`Library '${name}' is not on the allowlist`);
  // Frozen no deeper than this: what belongs to a library is not, and a built-in is already.
  return 'default' in found ? found : Object.freeze({ ...found, default: found });
}

function runScript(compartment: Compartment, key: string, source: string, exportName: string): unknown {
  const read = `typeof ${exportName} === 'undefined' ? undefined : ${exportName}`;
  // Direct `eval` in a compartment is the compartment's own, so a text that only looks like it is no reason to refuse.
  const options = { __rejectSomeDirectEvalExpressions__: false };
  return inFactory(() => compartment.evaluate(`${source}\n;${read};\n//# sourceURL=${scriptName(key)}`, options));
}

/** Calls the factory of a program, and gives the handlers that it returned. @throws {HostFailure} */
export function openHandlers(factory: unknown, given: { sharedLists: object; libraries: object }): object {
  if (typeof factory !== 'function') throw invalidFactory('handlers export must be a function');
  const handlers: unknown = inFactory(() => Reflect.apply(factory, undefined, [given]));
  if (!isPlainObject(handlers)) throw invalidFactory('Factory must return a plain object');
  return handlers;
}

/** Runs what belongs to the module or its factory; what it throws says so. */
export function inFactory<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw new HostFailure(describeThrown(thrown, 'FACTORY_THREW'));
  }
}

function invalidFactory(message: string): HostFailure {
  return new HostFailure({ code: 'FACTORY_INVALID', message });
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
