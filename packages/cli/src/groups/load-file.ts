import { type LoadedSchema, SchemaKit } from '@schemakit/core';
import { importedFrom, isOwn } from '../sources/lock-files.ts';
import type { LoadReferencedOptions } from './load-group.ts';
import { loadWithLock } from './load-with-lock.ts';

export interface LoadedFile {
  schema: LoadedSchema;
  /** Errors that forbid calls: the schema differs from its lock file. */
  refused: LoadedSchema['findings'];
  /** Whether it is the user's own, which may use its root and send its secrets there. */
  approved: boolean;
}

/** Loads a file that the user named. Naming a file of an imported source does not approve its root URL. */
export async function loadFile(
  file: string,
  { lock, asks, isolation = 'process', environment }: LoadReferencedOptions = {},
): Promise<LoadedFile> {
  const approved = isOwn(file);
  const held = { paths: [file], named: lock, imported: importedFrom(file)?.lockFile, asks };
  const { loaded, refused } = await loadWithLock(held, async (options) => {
    const roots = environment && { roots: environment.roots };
    const schema = await SchemaKit.loadSchema({
      filePath: file,
      approveRoot: approved,
      isolation,
      ...roots,
      ...options,
    });
    return { schema, schemas: [schema], findings: schema.findings };
  });
  return { schema: loaded.schema, refused, approved };
}
