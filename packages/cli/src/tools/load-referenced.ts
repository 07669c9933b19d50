import { type Finding, type LoadedSchema, loadSchemas } from '@schemakit/core';
import { loadWithLock } from '../load-with-lock.ts';
import type { Isolation } from '../parameters.ts';
import { importedFrom } from '../sources/imported-from.ts';
import type { ReferencedFile } from './schema-roots.ts';

export interface LoadedFiles {
  schemas: LoadedSchema[];
  findings: Finding[];
}

/** How schemas are loaded that references name. */
export interface ReferencedOptions {
  lock: string | undefined;
  /** Where their handlers run. */
  isolation?: Isolation | undefined;
}

/** Loads schema files with the rights of the places that they are in. */
async function loadReferenced(
  files: readonly ReferencedFile[],
  options: { lockFile?: string; isolation: Isolation },
): Promise<LoadedFiles> {
  const folders = new Map(files.map((entry) => [entry.file, sourceFolder(entry)]));
  const loaded = await Promise.all(
    [true, false].map(async (approveRoot) => {
      const paths = files.filter(({ approved }) => approved === approveRoot).map(({ file }) => file);
      if (paths.length === 0) return { schemas: [], findings: [] };
      return loadSchemas({ paths, approveRoot, sourceOf: (file) => folders.get(file), ...options });
    }),
  );
  const schemas = new Map(loaded.flatMap((part) => part.schemas).map((schema) => [schema.file, schema]));
  return {
    // In the order in which they were named.
    schemas: files.flatMap(({ file }) => schemas.get(file) ?? []),
    findings: loaded.flatMap(({ findings }) => findings),
  };
}

/** The folder that the first part of a reference stands for. */
function sourceFolder({ reference, file }: ReferencedFile): string {
  return file.slice(0, file.length - (reference.length - reference.indexOf('/')));
}

/** The same, held to the lock file. `refused` has the errors over which nothing may run. */
export async function loadReferencedWithLock(
  files: readonly ReferencedFile[],
  { lock, isolation = 'process' }: ReferencedOptions,
): Promise<LoadedFiles & { refused: readonly Finding[] }> {
  const parts: (LoadedFiles & { refused: readonly Finding[] })[] = [];
  // One after the other, because each may ask the user.
  for (const [own, part] of byLockFile(files)) {
    const paths = part.map(({ file }) => file);
    const { loaded, refused } = await loadWithLock({ paths, lock: lock ?? own }, (options) =>
      loadReferenced(part, { ...options, isolation }),
    );
    parts.push({ ...loaded, refused });
  }
  const schemas = new Map(parts.flatMap((part) => part.schemas).map((schema) => [schema.file, schema]));
  return {
    schemas: files.flatMap(({ file }) => schemas.get(file) ?? []),
    findings: parts.flatMap(({ findings }) => findings),
    refused: parts.flatMap(({ refused }) => refused),
  };
}

/** What was imported is held to the lock file that the import wrote; the rest to the one that is nearest. */
function byLockFile(files: readonly ReferencedFile[]): Map<string | undefined, ReferencedFile[]> {
  return Map.groupBy(files, ({ file, approved }) => (approved ? undefined : importedFrom(file)?.lockFile));
}
