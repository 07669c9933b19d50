import { type ExposedTool, exposeSchemas, type LoadedSchema, type ToolPlace } from '@schemakit/core';
import type { ReferencedFile } from './schema-roots.ts';

/** A tool, or the look-up of a resource, of a schema that can be referenced. */
export interface FoundTool extends ToolPlace {
  /** `<source>/<file>.mjs`. */
  file: string;
  /** What groups keep: `<source>/<file>.mjs::tool::<name>`, or `::resource::<name>` for what belongs to a resource. */
  reference: string;
  schema: LoadedSchema;
  exposed: ExposedTool;
}

/** The tools of schemas that loaded, named as a set. */
export function toolsOf(
  schemas: readonly LoadedSchema[],
  files: readonly ReferencedFile[],
  { serverParams = {} }: { serverParams?: Readonly<Record<string, string>> } = {},
): FoundTool[] {
  const references = new Map(files.map(({ file, reference }) => [file, reference]));
  const byFile = new Map(schemas.map((schema) => [schema.file, schema]));
  const usable = schemas.filter(({ status }) => status);
  return exposeSchemas(usable, { serverParams }).flatMap((exposed) => {
    const schema = byFile.get(exposed.file ?? '');
    const file = references.get(exposed.file ?? '');
    if (schema === undefined || file === undefined) return [];
    const { namespace, toolName, resource } = exposed;
    const part = resource === undefined ? `tool::${toolName}` : `resource::${resource.resourceName}`;
    return { namespace, toolName, file, reference: `${file}::${part}`, schema, exposed };
  });
}
