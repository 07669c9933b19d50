import type { Finding } from '../format/finding.ts';
import { schemaFinding } from '../format/finding-codes.ts';
import type { Schema, SharedListReference } from '../format/schema.ts';
import { allInputs } from './list-values.ts';
import type { HandlersReading } from './read-module.ts';
import type { SharedLists } from './shared-lists.ts';

/**
 * Finds shared lists that are referenced for nothing: no enum takes values of them, and the handlers neither name them nor
 * do anything with `sharedLists`, by which they could reach all of them. One that was not found has its own finding.
 */
export function unusedLists(
  schema: Schema,
  { handlers, found }: { handlers: HandlersReading | undefined; found: SharedLists },
): Finding[] {
  if (schema.sharedLists.length === 0) return [];
  const named = listsInEnums(schema);
  const isLeft = ({ ref }: SharedListReference) => !named.has(ref) && Object.hasOwn(found, ref);
  // The code is written when it is asked for, and few schemas need it here.
  if (!schema.sharedLists.some(isLeft)) return [];
  const code = handlers?.source ?? '';
  if (usesAllLists(code)) return [];
  return schema.sharedLists.flatMap((reference, index) => {
    const { ref } = reference;
    if (!isLeft(reference) || code.includes(ref)) return [];
    const path = `main.sharedLists[${index}]`;
    const hint = `Name a field of it in an enum, enum({{${ref}:field}}), use it in a handler, or leave the reference out.`;
    return [schemaFinding('VAL075', path, `shared list '${ref}' is not used (${path})`, { hint })];
  });
}

function listsInEnums(schema: Schema): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { z } of allInputs(schema)) {
    for (const member of z.members ?? []) if (typeof member === 'object') names.add(member.list);
  }
  return names;
}

/** Many factories take `{ sharedLists, libraries }` by habit; that alone is no use. */
function usesAllLists(code: string): boolean {
  const uses = code.split('sharedLists').length - 1;
  return uses > 1 || (uses === 1 && !/[{,]\s*sharedLists\s*[,}]/.test(code));
}
