import { locateFile } from '../resources/locate-file.ts';
import type { LoadedSchema } from './load-schema.ts';
import { findRecord } from './schema-record.ts';

/** The file of a database or document, as users review it. */
export interface ResourceFile {
  resource: string;
  /** As in the schema. */
  path: string;
  /** The file with links resolved; null if it is missing. */
  file: string | null;
  state: 'read' | 'missing' | 'refused';
}

/**
 * The files that the resources of a loaded schema read, in the order of the schema.
 *
 * @param options.read - What it is granted. Default: the grants that it was loaded with.
 */
export async function resourceFiles(
  { main }: Pick<LoadedSchema, 'main'>,
  { read }: { read?: readonly string[] | undefined } = {},
): Promise<ResourceFile[]> {
  const record = main === null ? undefined : findRecord(main);
  if (typeof record !== 'object') return [];
  const { schema, file: schemaFile, approveRoot: approved, grants } = record;
  const files: ResourceFile[] = [];
  for (const resource of schema.resources.values()) {
    if (resource.kind === 'http') continue;
    const located = await locateFile(resource, { schemaFile, approved, read: read ?? grants.read });
    const state = located.ok ? 'read' : located.finding.code === 'FILE_MISSING' ? 'missing' : 'refused';
    files.push({ resource: resource.name, path: resource.file.path, file: located.file ?? null, state });
  }
  return files;
}
