import nodeModule from 'node:module';
import { pathToFileURL } from 'node:url';
import { hashForms } from '../schema/hash.ts';
import { isObject } from '../schema/json.ts';
import { HandlerError, type HandlerFailure, type HandlerPlace, timeoutFailure } from './handler-error.ts';
import { defaultTimeoutMs } from './handler-pool.ts';
import { hookNames, isBeforeRequest } from './hook-context.ts';
import { HostFailure } from './host/host-failure.ts';
import { toPlainJson } from './host/plain-json.ts';
import { plainNodeRequest } from './plain-request.ts';

export interface TrustedFile {
  file: string;
  /** Content of the file when it was read and checked. This is what runs. */
  bytes: Uint8Array;
  /** `sha256:` and 64 hexadecimal digits. */
  pin: string | undefined;
  namespace: string;
  /** Arguments of the factory. Libraries are imported in this process and may be native. */
  sharedLists: Readonly<Record<string, readonly unknown[]>>;
  libraries: Readonly<Record<string, unknown>>;
}

/** Hooks by tool and name; those of a query under `<resource>.<query>`. */
export type TrustedHooks = Readonly<Record<string, Readonly<Record<string, TrustedHook>>>>;

export type TrustedHandlers = { ok: true; hooks: TrustedHooks } | { ok: false; failure: HandlerFailure };

/**
 * Imports the handlers of a schema file into this process, with all its permissions: files, native libraries, any address, the
 * values of secrets. Requires a pinned hash, and runs exactly the bytes with that hash, even if the file has changed since.
 *
 * Hooks have the same deadline and results as in the sandbox, but cannot be stopped at the deadline.
 *
 * Fails with `PIN_MISSING` and `PIN_MISMATCH`, whose hint has the pin to write, and with `FACTORY_THREW` and
 * `FACTORY_INVALID` as in the sandbox.
 */
export async function trustedHandlers(trusted: TrustedFile): Promise<TrustedHandlers> {
  const { file, bytes, pin } = trusted;
  const found = hashForms({ file: bytes }).plain ?? '';
  const problem = pinProblem(found, pin);
  if (problem !== undefined) return { ok: false, failure: problem };
  const imported = importBytes(bytes, `${pathToFileURL(file).href}?${found}`);
  return imported.then(({ handlers }) => runTrustedFactory(handlers, trusted), factoryThrew);
}

/** Calls a handlers factory in this process. Fails with `FACTORY_THREW` and `FACTORY_INVALID`. */
export function runTrustedFactory(
  handlers: unknown,
  { namespace, sharedLists, libraries }: Pick<TrustedFile, 'namespace' | 'sharedLists' | 'libraries'>,
): TrustedHandlers {
  if (typeof handlers !== 'function') return invalid('handlers export must be a function');
  try {
    const made: unknown = handlers({ sharedLists, libraries });
    if (!isObject(made) || typeof made.then === 'function') return invalid('Factory must return a plain object');
    return { ok: true, hooks: hooksOf(made, namespace) };
  } catch (thrown) {
    return factoryThrew(thrown);
  }
}

function factoryThrew(thrown: unknown): TrustedHandlers {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { ok: false, failure: { code: 'FACTORY_THREW', message } };
}

function pinProblem(found: string, pin: string | undefined): HandlerFailure | undefined {
  if (pin?.trim().toLowerCase() === found) return undefined;
  const hint = `If you have read the file and trust it, load it with isolation: 'trusted' and pin: '${found}'.`;
  return pin === undefined
    ? { code: 'PIN_MISSING', message: 'Trusted handlers run in this process and need the hash of their file', hint }
    : { code: 'PIN_MISMATCH', message: `The file is not the one that was pinned: it has ${found}, not ${pin}`, hint };
}

/** Imports a module from bytes rather than from its file, which may have changed. */
async function importBytes(source: Uint8Array, url: string): Promise<Record<string, unknown>> {
  const hooks = nodeModule.registerHooks({
    load: (loaded, context, next) =>
      loaded === url ? { format: 'module', source, shortCircuit: true } : next(loaded, context),
  });
  try {
    return await import(url);
  } finally {
    hooks.deregister();
  }
}

function hooksOf(handlers: Record<string, unknown>, schema: string): TrustedHooks {
  const owners = Object.entries(handlers).flatMap(([name, entry]) => ownersIn(name, entry));
  return Object.fromEntries(
    owners.map(([tool, owner]) => {
      // `hookNames` finds methods inherited from a class.
      const names = new Set([...Object.keys(owner), ...hookNames]);
      const hooks = [...names].flatMap((hook) => {
        const run = owner[hook];
        return typeof run === 'function' ? [[hook, trustedHook(run.bind(owner), { schema, tool, hook })] as const] : [];
      });
      return [tool, Object.fromEntries(hooks)];
    }),
  );
}

/** An entry is a tool with hooks, or a resource whose queries have hooks. */
function ownersIn(name: string, entry: unknown): [string, Record<string, unknown>][] {
  if (!isObject(entry)) return [];
  const queries = Object.entries(entry).flatMap(([query, hooks]): [string, Record<string, unknown>][] =>
    isObject(hooks) ? [[`${name}.${query}`, hooks]] : [],
  );
  return [[name, entry], ...queries];
}

function invalid(message: string): TrustedHandlers {
  return { ok: false, failure: { code: 'FACTORY_INVALID', message } };
}

export type TrustedHook = (context: Record<string, unknown>) => Promise<unknown>;

/**
 * Makes a function of this process behave like a hook in the sandbox: with a deadline, abortable by the `signal` of its
 * argument, and with its return value converted to plain data.
 *
 * @throws {HandlerError} from the returned function, which also passes on errors of the hook.
 */
export function trustedHook(run: (context: Record<string, unknown>) => unknown, place: HandlerPlace): TrustedHook {
  return async (context) => {
    const value = await inTime(async () => run(context), context.signal, place);
    return toPlain(isBeforeRequest(place.hook) ? (await plainNodeRequest({ value, changes: {} })).value : value, place);
  };
}

function inTime(work: () => Promise<unknown>, signal: unknown, place: HandlerPlace): Promise<unknown> {
  const timeoutMs = defaultTimeoutMs();
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const onAbort = (): void =>
    reject(new HandlerError({ code: 'HANDLER_ABORTED', message: 'The call was aborted' }, place));
  const onTimeout = (): void => reject(new HandlerError(timeoutFailure(timeoutMs), place));
  const timer = setTimeout(onTimeout, timeoutMs);
  const given = signal instanceof AbortSignal ? signal : undefined;
  given?.addEventListener('abort', onAbort);
  if (given?.aborted) onAbort();
  else work().then(resolve, reject);
  return promise.finally(() => {
    clearTimeout(timer);
    given?.removeEventListener('abort', onAbort);
  });
}

function toPlain(value: unknown, place: HandlerPlace): unknown {
  try {
    const json = toPlainJson(value);
    return json === '' ? undefined : JSON.parse(json);
  } catch (thrown) {
    const failure = HostFailure.read(thrown);
    throw failure === undefined ? thrown : new HandlerError(failure, place);
  }
}
