import { buildContext, type HookName, hookNames, isBeforeRequest, trackStruct } from '../hook-context.ts';
import type { HostTask } from '../host-message.ts';
import { plainRequest } from '../plain-request.ts';
import type { ResultText } from '../result-text.ts';
import { HostFailure } from './host-failure.ts';
import { toOutcomeText, toPlainJson } from './plain-json.ts';
import type { TaskSignal } from './tasks.ts';
import { encodeBody } from './web/fetch.ts';

/** Runs a hook and writes its result as JSON text. @param onRead Called with the name of each secret that the hook reads. */
export async function callHook(
  handlers: object,
  work: Extract<HostTask, { kind: 'call' }>,
  { signal, onRead }: { signal: TaskSignal; onRead: (secret: string) => void },
): Promise<ResultText> {
  const { owner, run } = findHook(handlers, work);
  const argument = buildContext(work.context, onRead);
  Object.defineProperty(argument, 'signal', { value: signal, writable: true, configurable: true });
  const changes = trackStruct(argument);
  const value: unknown = await Reflect.apply(run, owner, [argument]);
  // A returned struct, which may contain the whole response, is not sent twice. Its messages may be hidden.
  const isReturned = typeof value === 'object' && value !== null && Reflect.get(value, 'struct') === argument.struct;
  const changed = changes();
  const { messages } = changed;
  const outcome = { value, changes: isReturned ? { ...(messages !== undefined && { messages }) } : changed };
  return isBeforeRequest(work.hook)
    ? { json: toPlainJson(await plainRequest(outcome, encodeBody)) }
    : toOutcomeText(outcome);
}

export function declaredJson(value: unknown, exportName: string): string {
  if (isCircular(value)) {
    throw new HostFailure({ code: 'HANDLER_RESULT_INVALID', message: `${exportName} contains itself` });
  }
  return toPlainJson(value);
}

/** Results may contain cycles, which are marked; exported values may not. */
function isCircular(value: unknown, above: readonly object[] = []): boolean {
  if (typeof value !== 'object' || value === null || above.length > 500) return false;
  if (above.includes(value)) return true;
  const path = [...above, value];
  return Object.values(Object.getOwnPropertyDescriptors(value)).some((property) => isCircular(property.value, path));
}

/** Finds `handlers[name][hook]`, or `handlers[name][query][hook]` for a query of a resource. */
function findHook(
  handlers: object,
  { name, query, hook }: { name: string; query?: string; hook: HookName },
): { owner: object; run: (...args: unknown[]) => unknown } {
  const entry = ownValue(handlers, name);
  const owner = query === undefined ? entry : ownValue(entry, query);
  // Including inherited methods of a class; prototypes of the language have none of these names.
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
    return [name, namesIn(entry).filter((key) => hasHooks(Reflect.get(Object(entry), key)))];
  });
  return Object.fromEntries(names);
}

function hasHooks(value: unknown): boolean {
  if (typeof value === 'function') return true;
  return namesIn(value).some((key) => typeof Reflect.get(Object(value), key) === 'function');
}

/** The keys of an object, and the hooks that it inherits from a class. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set([...Object.keys(value), ...hookNames.filter((name) => name in value)])];
}

function ownValue(owner: unknown, key: string): unknown {
  return typeof owner === 'object' && owner !== null && Object.hasOwn(owner, key) ? Reflect.get(owner, key) : undefined;
}
