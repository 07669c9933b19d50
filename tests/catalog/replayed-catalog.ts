import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSchemas, type SchemaMain, type Tool } from '@schemakit/core';

export const catalogFolder: string = fileURLToPath(new URL('../../catalog', import.meta.url));

/** Given wherever a schema of the catalog names a server parameter; none of them needs a key. */
export const serverParams: Record<string, string> = { SCHEMAKIT_CONTACT: 'catalog-tests@example.com' };

/** A schema of the catalog that describes a public API. */
export interface PublicSchema {
  file: string;
  main: SchemaMain & { root: string; tools: Record<string, Tool> };
}

/** The schemas of public APIs; the others describe servers on this machine and are tested with those. */
export async function readPublicSchemas(): Promise<PublicSchema[]> {
  const { schemas } = await loadSchemas({ paths: [catalogFolder] });
  return schemas.flatMap(({ file, main }) => {
    const schema = main as PublicSchema['main'] | null;
    return schema?.root.startsWith('https://') ? [{ file, main: schema }] : [];
  });
}

/** Copies of schemas, each with the origin of its root replaced. */
export interface ReplayedCatalog {
  folder: string;
  /** The copy of a schema. */
  fileOf(schema: PublicSchema): string;
  remove(): Promise<void>;
}

/** Copies public schemas and the shared lists to a temporary folder, so that they ask another origin than their own. */
export async function replayCatalog(schemas: readonly PublicSchema[], origin: string): Promise<ReplayedCatalog> {
  const folder = await mkdtemp(join(tmpdir(), 'schemakit-catalog-'));
  await cp(join(catalogFolder, '_lists'), join(folder, '_lists'), { recursive: true });
  const fileOf = ({ file }: PublicSchema) => join(folder, basename(file));
  for (const schema of schemas) {
    const { root } = schema.main;
    const text = await readFile(schema.file, 'utf8');
    const replaced = text.replace(`root: '${root}'`, `root: '${root.replace(new URL(root).origin, origin)}'`);
    if (replaced === text) throw new Error(`${basename(dirname(schema.file))}: the root is not written as one text`);
    await writeFile(fileOf(schema), replaced);
  }
  return { folder, fileOf, remove: () => rm(folder, { recursive: true, force: true }) };
}
