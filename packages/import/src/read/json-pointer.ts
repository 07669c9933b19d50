import { isObject } from '@schemakit/core/internal';

/** Appends keys to a JSON Pointer (RFC 6901). */
export function joinPointer(pointer: string, ...keys: readonly (string | number)[]): string {
  return keys.reduce<string>(
    (path, key) => `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    pointer,
  );
}

/** What a reference leads to by its name: `Pet` for `#/components/schemas/Pet`, and for the whole of `schemas/pet.yaml` `pet`. */
export function nameAt(pointer: string): string | undefined {
  return pointer
    .replace(/\.(json|ya?ml)$/i, '')
    .split(/[/.]|~1/)
    .at(-1);
}

/** The value at a JSON Pointer; undefined if there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, key) => {
      if (Array.isArray(node)) return node[Number(key)];
      return isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;
    }, document);
}
