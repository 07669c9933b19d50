import { type LoadedSchema, loadSchemas } from '@schemakit/core';
import { describeSchema, type SchemaDescription } from './describe-schema.ts';
import type { HashedFile } from './plan-changes.ts';

/** Told after each file that is read. */
export type OnProgress = (progress: { done: number; total: number; file: string }) => void;

/** A file to keep in the index, and what it says if it is a schema. */
export interface ReadFile extends HashedFile {
  schema?: SchemaDescription;
}

/** Reads the schemas among files. Files that schemas read themselves, such as lists, stay without a description. */
export async function readSchemas(files: readonly HashedFile[], onProgress?: OnProgress): Promise<ReadFile[]> {
  const read = files.filter(({ file }) => file.mayBeSchema).map(({ file }) => file);
  const loaded = new Map<string | undefined, LoadedSchema>();
  for (const approveRoot of [true, false]) {
    const paths = read.filter(({ approved }) => approved === approveRoot).map(({ path }) => path);
    if (paths.length === 0) continue;
    const before = approveRoot ? 0 : read.length - paths.length;
    const { schemas } = await loadSchemas({
      ...{ paths, approveRoot },
      onProgress: ({ done, file }) => onProgress?.({ done: before + done, total: read.length, file }),
    });
    for (const schema of schemas) if (!isOtherModule(schema)) loaded.set(schema.file, schema);
  }
  return files.map(({ file, hash }) => {
    const schema = file.mayBeSchema ? loaded.get(file.path) : undefined;
    return { file, hash, ...(schema && { schema: describeSchema(schema, file) }) };
  });
}

/** A skill, a prompt or a list beside the schemas: a module that exports something else than `main`. */
function isOtherModule({ findings, exports }: LoadedSchema): boolean {
  return exports.length > 0 && findings.some(({ code }) => code === 'VAL001');
}
