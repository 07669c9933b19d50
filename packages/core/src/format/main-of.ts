import { isObject } from './json.ts';

/** The `main` in what `loadSchema` returned; anything else is taken as a `main` itself. */
export function mainOf(value: unknown): unknown {
  return isLoaded(value) ? value.main : value;
}

/** Tells what `loadSchema` returned from a bare `main`. */
export function isLoaded(value: unknown): value is Record<string, unknown> {
  return isObject(value) && 'main' in value && ('status' in value || 'handlerMap' in value);
}
