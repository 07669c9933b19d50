import type { Finding } from '../format/finding.ts';
import { resolveRecord } from '../load/resolve-record.ts';

/** Why a schema cannot be served: what loading it found, or what is wrong with a `main`. Empty for one that can. */
export function schemaProblems(schema: unknown): readonly Finding[] {
  return resolveRecord(schema).findings ?? [];
}
