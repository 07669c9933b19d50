import { isObject } from './json.ts';

/** One schema, under either name: what `loadSchema` returned, its `main`, `{ main, handlers }` or `{ ...main, handlers }`. */
export type OneSchema = { schema: object | null | undefined } | { main: object | null | undefined };

/** The `main` of a schema in any of the forms in which programs pass one; any other value is returned as it is. */
export function mainOf(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (holdsMain(value)) return value.main;
  return 'handlers' in value ? withoutHandlers(value) : value;
}

/** The `handlers` that a program passed with `main`; undefined if it passed none. */
export function handlersOf(value: unknown): unknown {
  if (!isObject(value) || isLoaded(value)) return undefined;
  return Reflect.get(value, 'handlers') ?? undefined;
}

/** Tells `{ main }`, `{ main, handlers }` and a result of `loadSchema` from a `main` itself. */
export function holdsMain(value: Record<string, unknown>): boolean {
  return isLoaded(value) || ('main' in value && !('namespace' in value) && !('root' in value));
}

/** A copy for each object, so that what is known of a `main` by its identity is found again. */
const copies = new WeakMap<object, Record<string, unknown>>();

function withoutHandlers(value: Record<string, unknown>): Record<string, unknown> {
  const { handlers, ...main } = value;
  const known = copies.get(value);
  const keys = Object.keys(main);
  if (known && keys.length === Object.keys(known).length && keys.every((key) => known[key] === main[key])) return known;
  copies.set(value, main);
  return main;
}

/** Whether a value is the result of `loadSchema`, not a bare `main`. */
export function isLoaded(value: unknown): value is Record<string, unknown> {
  return isObject(value) && 'main' in value && ('status' in value || 'handlerMap' in value);
}

/** Whether a value is an agent manifest, by its version: `schemakit/3.0.0` or the older `flowmcp/3.0.0`. */
export function isAgentManifest(value: unknown): boolean {
  return isObject(value) && typeof value.version === 'string' && /^(schemakit|flowmcp)\//.test(value.version);
}

/** The exports of a module, in words that complete "the file has no export named main; …": `it exports list, skill`. */
export function describeExports(names: readonly string[]): string {
  return names.length === 0 ? 'it exports nothing' : `it exports ${names.join(', ')}`;
}
