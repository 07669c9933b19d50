import { isObject } from './json.ts';

/** The `main` of a loaded schema; any other value is returned as it is. */
export function mainOf(value: unknown): unknown {
  return isLoaded(value) ? value.main : value;
}

/** Whether a value is the result of `loadSchema`, not a bare `main`. */
export function isLoaded(value: unknown): value is Record<string, unknown> {
  return isObject(value) && 'main' in value && ('status' in value || 'handlerMap' in value);
}

/**
 * Whether a value is an agent manifest, by its version: `schemakit/3.0.0` or the older `flowmcp/3.0.0`. Some export
 * theirs as `main`.
 */
export function isAgentManifest(value: unknown): boolean {
  return isObject(value) && typeof value.version === 'string' && /^(schemakit|flowmcp)\//.test(value.version);
}

/** The exports of a module, in words that complete "the file has no export named main; …": `it exports list, skill`. */
export function describeExports(names: readonly string[]): string {
  return names.length === 0 ? 'it exports nothing' : `it exports ${names.join(', ')}`;
}
