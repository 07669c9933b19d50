import { isObject } from './json.ts';

/** The `main` in what `loadSchema` returned; anything else is taken as a `main` itself. */
export function mainOf(value: unknown): unknown {
  return isLoaded(value) ? value.main : value;
}

/** Tells what `loadSchema` returned from a bare `main`. */
export function isLoaded(value: unknown): value is Record<string, unknown> {
  return isObject(value) && 'main' in value && ('status' in value || 'handlerMap' in value);
}

/** Tells an agent manifest by its version, `schemakit/3.0.0` or the older `flowmcp/3.0.0`. Some export theirs as `main`. */
export function isAgentManifest(value: unknown): boolean {
  return isObject(value) && typeof value.version === 'string' && /^(schemakit|flowmcp)\//.test(value.version);
}

/** What a module exports, in words that complete "the file has no export named main; …": `it exports list, skill`. */
export function describeExports(names: readonly string[]): string {
  return names.length === 0 ? 'it exports nothing' : `it exports ${names.join(', ')}`;
}
