import { sep } from 'node:path';
import type { LoadedSchema } from '@schemakit/core';

/** Remembers schemas that loaded, so that a file that is broken while somebody edits it does not take its tools away. */
export interface LastGood {
  /** Puts the last good version in place of each schema that did not load, and of a whole folder that was named and is not there. */
  settle(schemas: readonly LoadedSchema[]): LoadedSchema[];
}

export function createLastGood(): LastGood {
  let good: LoadedSchema[] = [];
  return {
    settle(schemas) {
      const settled = schemas.flatMap((schema) => {
        if (schema.status) return schema;
        const last = good.filter(({ file }) => file === schema.file || file.startsWith(`${schema.file}${sep}`));
        return last.length > 0 ? last : schema;
      });
      // Files that are gone are forgotten.
      good = settled.filter(({ status }) => status);
      return settled;
    },
  };
}
