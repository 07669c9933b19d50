import type { Finding, LoadedSchema } from '@schemakit/core';

/** Schemas that were checked. */
export interface CheckedSchemas {
  schemas: readonly LoadedSchema[];
  /** Of the schemas, then of the set. */
  findings: readonly Finding[];
}

export type ValidationFormat = 'text' | 'json' | 'sarif';
