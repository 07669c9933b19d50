import type { Finding } from '../format/finding.ts';
import { schemaFinding } from '../format/finding-codes.ts';
import type { Schema } from '../format/schema.ts';
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
  const code = handlers?.source ?? '';
  if (usesAllLists(code)) return [];
  const members = allInputs(schema).flatMap(({ z }) => z.members ?? []);
  const named = new Set(members.flatMap((member) => (typeof member === 'string' ? [] : [member.list])));
  return schema.sharedLists.flatMap(({ ref }, index) => {
    if (named.has(ref) || code.includes(ref) || !Object.hasOwn(found, ref)) return [];
    const path = `main.sharedLists[${index}]`;
    const hint = `Name a field of it in an enum, enum({{${ref}:field}}), use it in a handler, or leave the reference out.`;
    return [schemaFinding('VAL075', path, `shared list '${ref}' is not used (${path})`, { hint })];
  });
}

/** Many factories take `{ sharedLists, libraries }` by habit; that alone is no use. */
function usesAllLists(code: string): boolean {
  const uses = code.split('sharedLists').length - 1;
  return uses > 1 || (uses === 1 && !/[{,]\s*sharedLists\s*[,}]/.test(code));
}
