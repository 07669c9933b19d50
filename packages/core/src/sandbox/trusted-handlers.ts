import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { hashForms } from '../schema/hash.ts';
import { isObject } from '../schema/json.ts';
import { HandlerError, type HandlerFailure, type HandlerPlace, lateFailure } from './handler-error.ts';
import { defaultTimeoutMs } from './handler-hosts.ts';
import { hookNames, isBefore } from './hook-context.ts';
import { toPlainJson } from './host/plain-json.ts';
import { HostFailure } from './host/thrown.ts';
import { ownRequestParts } from './request-parts.ts';

/** A schema file whose handlers are to run in this process. */
export interface TrustedFile {
  /** Absolute path. */
  file: string;
  /** What the file held when it was read and checked: this is what runs. */
  bytes: Uint8Array;
  /** `sha256:` and the 64 hexadecimal digits of the bytes. */
  pin: string | undefined;
  /** Namespace of the schema, for messages. */
  namespace: string;
  /** What the factory gets. Libraries come from this process, native ones too. */
  sharedLists: Readonly<Record<string, readonly unknown[]>>;
  libraries: Readonly<Record<string, unknown>>;
}

/** Hooks by tool and name; those of a resource's query under `<resource>.<query>`. */
export type TrustedHooks = Readonly<Record<string, Readonly<Record<string, TrustedHook>>>>;

export type TrustedHandlers = { ok: true; hooks: TrustedHooks } | { ok: false; failure: HandlerFailure };

/**
 * Imports the handlers of a schema file into this process, where they may do all that it may: read files, use native
 * libraries, reach every address and see the values of secrets. Only for bytes whose hash was pinned, and exactly these run,
 * whatever the file holds by then.
 *
 * A hook has the deadline and the form of answers that it has in the sandbox, but cannot be stopped at its deadline.
 *
 * Fails with `PIN_MISSING` and `PIN_MISMATCH`, whose hint says the pin to write, and with `FACTORY_THREW` and
 * `FACTORY_INVALID` as in the sandbox.
 */
export async function trustedHandlers(trusted: TrustedFile): Promise<TrustedHandlers> {
  const { file, bytes, pin } = trusted;
  const found = hashForms({ file: bytes }).plain ?? '';
  const problem = pinProblem(found, pin);
  if (problem !== undefined) return { ok: false, failure: problem };
  try {
    const { handlers } = await importBytes(bytes, `${pathToFileURL(file).href}?${found}`);
    return runTrustedFactory(handlers, trusted);
  } catch (thrown) {
    return factoryThrew(thrown);
  }
}

/**
 * Calls a handlers factory in this process. Its hooks have the deadline and the form of answers that they have in the sandbox,
 * but cannot be stopped at their deadline. Fails with `FACTORY_THREW` and `FACTORY_INVALID`.
 */
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

/** Imports a module from bytes and not from its file, which somebody may be changing just now. */
async function importBytes(source: Uint8Array, url: string): Promise<Record<string, unknown>> {
  const hooks = registerHooks({
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
      // They may come from a class.
      const names = new Set([...Object.keys(owner), ...hookNames]);
      const hooks = [...names].flatMap((hook) => {
        const run = owner[hook];
        return typeof run === 'function' ? [[hook, trustedHook(run.bind(owner), { schema, tool, hook })] as const] : [];
      });
      return [tool, Object.fromEntries(hooks)];
    }),
  );
}

/** A tool holds hooks; a resource holds queries, and these hold hooks. */
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

/** A hook that runs in this process: one argument, the new value or a promise of it. */
export type TrustedHook = (context: Record<string, unknown>) => Promise<unknown>;

/**
 * Makes a function of this process behave as a hook in the sandbox does: it has a deadline, it is given up when the
 * `signal` of its argument is aborted, and what it returns becomes plain data.
 *
 * @throws {HandlerError} from the function that it gives; what the hook itself throws is thrown on.
 */
export function trustedHook(run: (context: Record<string, unknown>) => unknown, place: HandlerPlace): TrustedHook {
  return async (context) => {
    const value = await inTime(async () => run(context), context.signal, place);
    return toPlain(isBefore(place.hook) ? (await ownRequestParts({ value, changes: {} })).value : value, place);
  };
}

function inTime(work: () => Promise<unknown>, signal: unknown, place: HandlerPlace): Promise<unknown> {
  const timeoutMs = defaultTimeoutMs();
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const onAbort = (): void =>
    reject(new HandlerError({ code: 'HANDLER_ABORTED', message: 'The call was aborted' }, place));
  const onLate = (): void => reject(new HandlerError(lateFailure(timeoutMs), place));
  const timer = setTimeout(onLate, timeoutMs);
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
