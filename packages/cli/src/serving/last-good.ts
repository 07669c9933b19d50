import type { LoadedSchema } from '@schemakit/core';

/** Remembers schemas that loaded, so that a file that is broken while somebody edits it does not take its tools away. */
export interface LastGood {
  /** Puts the last good version in place of each schema that did not load. */
  settle(schemas: readonly LoadedSchema[]): LoadedSchema[];
}

export function createLastGood(): LastGood {
  let good = new Map<string, LoadedSchema>();
  return {
    settle(schemas) {
      const settled = schemas.map((schema) => (schema.status ? schema : (good.get(schema.file) ?? schema)));
      // Files that are gone are forgotten.
      good = new Map(settled.filter(({ status }) => status).map((schema) => [schema.file, schema]));
      return settled;
    },
  };
}
