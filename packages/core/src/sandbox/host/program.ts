import { type HandlerProgram, isStream } from '../handler-program.ts';
import type { LogLevel } from '../host-message.ts';
import { builtinModule } from './builtin-modules.ts';
import { sharedGlobals } from './globals.ts';
import { describeThrown, HostFailure, scriptName } from './host-failure.ts';
import { type LoadedLibrary, loadLibraries } from './load-libraries.ts';
import { freezeLanguage } from './lockdown.ts';
import { isPlainObject, toPlainJson } from './plain-json.ts';
import { send, taskOfProgram } from './tasks.ts';
import { brokeredFetch } from './web/fetch.ts';

let globals: Record<string, unknown> | undefined;

/** Runs the statements and the factory of a program in its own compartment, and returns the handlers. */
export async function openProgram(key: string, program: HandlerProgram): Promise<object> {
  const libraries = await loadLibraries(program.libraries);
  const factory = runScript(openCompartment(key, handlerGlobals(key, libraries)), key, program.source, 'handlers');
  return callFactory(factory, {
    sharedLists: harden(program.sharedLists),
    libraries: Object.freeze(Object.fromEntries(libraries.map(({ name, main }) => [name, main]))),
  });
}

/** Runs a script in a compartment without libraries, network and timers, and returns the value bound to `exportName`. */
export function evaluateScript(source: string, exportName: string): unknown {
  freezeLanguage();
  return runScript(openCompartment('', {}), '', source, exportName);
}

/** The globals of one program, in addition to the shared ones. */
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
  if (found === undefined && isStream(plainName)) throw new Error(`'${name}' must be listed in requiredLibraries`);
  if (found === undefined) throw new Error(`Library '${name}' is not on the allowlist`);
  // Not deeper: libraries are not frozen, and built-ins are frozen already.
  return 'default' in found ? found : Object.freeze({ ...found, default: found });
}

function runScript(compartment: Compartment, key: string, source: string, exportName: string): unknown {
  const binding = `typeof ${exportName} === 'undefined' ? undefined : ${exportName}`;
  // Direct `eval` uses the `eval` of the compartment, so it need not be rejected.
  const options = { __rejectSomeDirectEvalExpressions__: false };
  return inFactory(() => compartment.evaluate(`${source}\n;${binding};\n//# sourceURL=${scriptName(key)}`, options));
}

function callFactory(factory: unknown, given: { sharedLists: object; libraries: object }): object {
  const invalid = (message: string): HostFailure => new HostFailure({ code: 'FACTORY_INVALID', message });
  if (typeof factory !== 'function') throw invalid('handlers export must be a function');
  const handlers: unknown = inFactory(() => Reflect.apply(factory, undefined, [given]));
  if (typeof handlers === 'object' && handlers !== null && isPlainObject(handlers)) return handlers;
  throw invalid('Factory must return a plain object');
}

/** Runs code of the module or its factory, and marks its errors as theirs. */
function inFactory<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw new HostFailure(describeThrown(thrown, 'FACTORY_THREW'));
  }
}

/** The calling process masks secrets and then cuts to 2,000 characters. */
const MAX_TEXT_LENGTH = 20_000;
const MAX_MESSAGES = 200;
const LOG_METHODS: readonly (readonly [LogLevel, readonly string[]])[] = [
  ['debug', ['debug', 'trace']],
  ['info', ['log', 'info', 'dir', 'table']],
  ['warn', ['warn']],
  ['error', ['error']],
];
const SILENT_METHODS = [
  'assert',
  'clear',
  'count',
  'countReset',
  'group',
  'groupCollapsed',
  'groupEnd',
  'time',
  'timeEnd',
  'timeLog',
];

/** The console of one program: sends its output as log messages of the task, limited in number and length. */
function consoleOf(key: string): Record<string, unknown> {
  const written = new WeakMap<object, number>();
  const writerOf =
    (level: LogLevel) =>
    (...parts: unknown[]): void => {
      const task = taskOfProgram(key);
      if (task === undefined) return;
      const count = (written.get(task) ?? 0) + 1;
      written.set(task, count);
      if (count <= MAX_MESSAGES) send({ type: 'log', id: task.id, level, text: textOf(parts) });
    };
  const methods = LOG_METHODS.flatMap(([level, names]) => names.map((name) => [name, writerOf(level)]));
  return Object.fromEntries([...methods, ...SILENT_METHODS.map((name) => [name, () => undefined])]);
}

function textOf(parts: readonly unknown[]): string {
  let text = '';
  for (const [index, part] of parts.entries()) {
    text += (index === 0 ? '' : ' ') + textOfPart(part).slice(0, MAX_TEXT_LENGTH + 1);
    // The ellipsis tells that a secret may be cut here.
    if (text.length > MAX_TEXT_LENGTH) return `${text.slice(0, MAX_TEXT_LENGTH)}…`;
  }
  return text;
}

function textOfPart(part: unknown): string {
  if (typeof part === 'string') return part;
  try {
    return toPlainJson(part) || String(typeof part);
  } catch {
    return '[unreadable]';
  }
}

type Schedule = (callback: () => void, delay: number) => { unref(): unknown };

const MAX_TIMERS = 10_000;
const native = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, queueMicrotask };

/**
 * The timer functions of one program. Handlers get numbers: the objects of Node.js link to timers of other schemas. A timer stops
 * with the task that started it, and an error in it fails that task.
 */
function timersOf(key: string): Record<string, unknown> {
  const timers = new Map<number, () => void>();
  let last = 0;

  const start = (schedule: Schedule, stopNative: (timer: never) => void, repeats: boolean) => {
    return (callback: unknown, delay?: unknown, ...args: unknown[]): number => {
      if (typeof callback !== 'function') throw new TypeError('A timer takes a function');
      const task = taskOfProgram(key);
      if (task === undefined) throw new Error('The call that starts this timer has ended');
      if (timers.size >= MAX_TIMERS) throw new RangeError(`More than ${MAX_TIMERS} timers`);
      const id = ++last;
      const run = (): void => {
        if (!repeats) stop();
        try {
          Reflect.apply(callback, undefined, args);
        } catch (thrown) {
          task.fail(thrown);
        }
      };
      const timer = schedule(run, Number(delay) || 0);
      const stop = (): void => {
        stopNative(timer as never);
        timers.delete(id);
        task.cleanups.delete(stop);
      };
      timers.set(id, stop);
      task.cleanups.add(stop);
      return id;
    };
  };
  const clear = (id?: unknown): void => timers.get(Number(id))?.();

  return {
    setTimeout: start(native.setTimeout, native.clearTimeout, false),
    setInterval: start(native.setInterval, native.clearInterval, true),
    setImmediate: start((callback) => native.setImmediate(callback), native.clearImmediate, false),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
    queueMicrotask: (callback: unknown): void => {
      if (typeof callback !== 'function') throw new TypeError('A microtask takes a function');
      const task = taskOfProgram(key);
      native.queueMicrotask(() => {
        try {
          Reflect.apply(callback, undefined, []);
        } catch (thrown) {
          task?.fail(thrown);
        }
      });
    },
  };
}
