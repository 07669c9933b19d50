import { type HookName, hookNames } from '../hook-context.ts';
import { HostFailure } from './thrown.ts';

/** Finds a hook: `handlers[name][hook]`, for a query of a resource `handlers[name][query][hook]`. */
export function findHook(
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
