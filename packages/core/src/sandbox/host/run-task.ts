import type { ResultText } from '../answer-apart.ts';
import { type HookName, hookNames, isBefore, openContext, watchStruct } from '../hook-context.ts';
import type { HostTask } from '../host-message.ts';
import { requestParts } from '../request-parts.ts';
import { toOutcomeText, toPlainJson } from './plain-json.ts';
import type { TaskSignal } from './tasks.ts';
import { HostFailure } from './thrown.ts';
import { encodeBody } from './web/fetch.ts';

/** Runs a hook and writes what it did as JSON text. @param onRead Told the names of secrets that the hook reads. */
export async function runHook(
  handlers: object,
  work: Extract<HostTask, { kind: 'call' }>,
  { signal, onRead }: { signal: TaskSignal; onRead: (secret: string) => void },
): Promise<ResultText> {
  const { owner, run } = findHook(handlers, work);
  const argument = openContext(work.context, onRead);
  Object.defineProperty(argument, 'signal', { value: signal, writable: true, configurable: true });
  const changes = watchStruct(argument);
  const value: unknown = await Reflect.apply(run, owner, [argument]);
  // A struct that is returned need not be told twice; it may hold the whole response. Its messages may be hidden.
  const isReturned = typeof value === 'object' && value !== null && Reflect.get(value, 'struct') === argument.struct;
  const changed = changes();
  const { messages } = changed;
  const outcome = { value, changes: isReturned ? { ...(messages !== undefined && { messages }) } : changed };
  return isBefore(work.hook) ? { json: toPlainJson(await requestParts(outcome, encodeBody)) } : toOutcomeText(outcome);
}

/** Writes what a file declares as JSON text. */
export function declaredJson(value: unknown, exportName: string): string {
  if (hasCircle(value)) {
    throw new HostFailure({ code: 'HANDLER_RESULT_INVALID', message: `${exportName} contains itself` });
  }
  return toPlainJson(value);
}

/** Data that contains itself has a form in answers, but what a file declares has to be what it says. */
function hasCircle(value: unknown, above: readonly object[] = []): boolean {
  if (typeof value !== 'object' || value === null || above.length > 500) return false;
  if (above.includes(value)) return true;
  const path = [...above, value];
  return Object.values(Object.getOwnPropertyDescriptors(value)).some((property) => hasCircle(property.value, path));
}

/** Finds a hook: `handlers[name][hook]`, for a query of a resource `handlers[name][query][hook]`. */
function findHook(
  handlers: object,
  { name, query, hook }: { name: string; query?: string; hook: HookName },
): { owner: object; run: (...args: unknown[]) => unknown } {
  const entry = ownValue(handlers, name);
  const owner = query === undefined ? entry : ownValue(entry, query);
  // It may come from a class; the prototypes of the language have none of these names.
  const run: unknown = typeof owner === 'object' && owner !== null ? Reflect.get(owner, hook) : undefined;
  if (typeof owner !== 'object' || owner === null || typeof run !== 'function') {
    const path = [name, query, hook].filter((part) => part !== undefined).join('.');
    throw new HostFailure({ code: 'HANDLER_MISSING', message: `The factory's result has no hook ${path}` });
  }
  return { owner, run: run as (...args: unknown[]) => unknown };
}

/** The hooks of each tool, and the queries with hooks of each resource. */
export function describeProgram(handlers: object): Record<string, string[]> {
  const names = Object.keys(handlers).map((name): [string, string[]] => {
    const entry = ownValue(handlers, name);
    return [name, namesIn(entry).filter((key) => holdsHooks(Reflect.get(Object(entry), key)))];
  });
  return Object.fromEntries(names);
}

function holdsHooks(value: unknown): boolean {
  if (typeof value === 'function') return true;
  return namesIn(value).some((key) => typeof Reflect.get(Object(value), key) === 'function');
}

/** What an object says it has, and the hooks that it inherits from a class. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set([...Object.keys(value), ...hookNames.filter((name) => name in value)])];
}

function ownValue(owner: unknown, key: string): unknown {
  return typeof owner === 'object' && owner !== null && Object.hasOwn(owner, key) ? Reflect.get(owner, key) : undefined;
}
