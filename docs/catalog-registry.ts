import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSchemas } from '../packages/core/src/index.ts';

const catalog: string = fileURLToPath(new URL('../catalog', import.meta.url));

/** What catalog/registry.json has: every schema and shared list of the catalog with its file and the sha256 of that. */
export async function catalogRegistry(): Promise<object> {
  const shared = globSync('_lists/*.mjs', { cwd: catalog }).sort().map(describeList);
  const files = globSync('*/*.mjs', { cwd: catalog, exclude: ['_lists/**'] }).sort();
  return {
    name: 'catalog',
    version: '1.0.0',
    description: 'The schemas that come with SchemaKit.',
    registryType: 'catalog',
    schemaSpec: '3.0.0',
    shared: await Promise.all(shared),
    schemas: await Promise.all(files.map(describeSchema)),
    agents: [],
  };
}

async function describeList(file: string): Promise<object> {
  const { list } = (await import(join(catalog, file))) as { list: { meta: { name: string; version: string } } };
  return { file, name: list.meta.name, version: list.meta.version, sha256: await sha256(file) };
}

async function describeSchema(file: string): Promise<object> {
  const { schemas } = await loadSchemas({ paths: [join(catalog, file)] });
  const [{ main, handlerMap, sharedLists, messages } = { main: null, messages: [] }] = schemas;
  if (main === null) throw new Error(`${file}: ${messages.join('; ')}`);
  return {
    namespace: main.namespace,
    file,
    name: main.name,
    description: main.description,
    tags: main.tags,
    requiredServerParams: main.requiredServerParams,
    hasHandlers: Object.keys(handlerMap ?? {}).length > 0,
    sharedLists: Object.keys(sharedLists ?? {}),
    sha256: await sha256(file),
  };
}

async function sha256(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(join(catalog, file)))
    .digest('hex');
}
