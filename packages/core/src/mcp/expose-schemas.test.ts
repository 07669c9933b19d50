import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { SchemaKit } from '../schemakit.ts';
import { exposeSchemaPrompts, exposeSchemas } from './expose-schemas.ts';
import { harbourResources, mainWith, openHarbours } from './fixtures/harbours.ts';

const folder = openHarbours();
afterAll(() => folder.remove());

/** Loads a schema with these resources and a prompt of this text. */
async function load(name: string, resources: Record<string, unknown>, text: string) {
  const contentFile = `./prompts/${name}`;
  mkdirSync(join(folder.path, 'prompts'), { recursive: true });
  writeFileSync(join(folder.path, contentFile), `export const content = ${JSON.stringify(text)};\n`);
  const about = {
    name: 'about',
    version: 'flowmcp-prompt/1.0.0',
    namespace: 'coast',
    description: 'About the coast.',
    dependsOn: [],
    references: [],
    contentFile,
  };
  const loaded = await SchemaKit.loadSchema({
    filePath: folder.write(name, mainWith(resources, { prompts: { about } })),
  });
  if (!loaded.status) throw new Error(loaded.messages.join('\n'));
  return loaded;
}

function textsOf(schemas: readonly unknown[]): string[] {
  return exposeSchemaPrompts(schemas).map((prompt) => {
    const result = prompt.get();
    return result.ok ? (result.messages[0]?.content.text ?? '') : 'failed';
  });
}

test('queries and documents are tools that can also be read at an address', async () => {
  const tools = exposeSchemas([await load('coast.mjs', harbourResources, 'Nothing.')]);
  expect(tools.map(({ listing, resource }) => [listing.name, resource?.uri])).toEqual([
    ['coast__harbours_getSchema', 'schemakit://coast/harbours/getSchema'],
    ['coast__harbours_findDeep', 'schemakit://coast/harbours/findDeep'],
    ['coast__harbours_echo', 'schemakit://coast/harbours/echo'],
    ['coast__harbours_count', 'schemakit://coast/harbours/count'],
    ['coast__harbours_runSql', 'schemakit://coast/harbours/runSql'],
    ['coast__harbours_describeTables', 'schemakit://coast/harbours/describeTables'],
    ['coast__guide', 'schemakit://coast/guide'],
  ]);
});

test('a prompt names a document by its tool, and a database by the tools of its queries', async () => {
  const places = { ...harbourResources.harbours, queries: { find: { sql: 'SELECT 1', description: 'x' } } };
  const text = 'Read {{resource:guide}}, ask {{resource:places}}, not {{resource:other/thing}}.';
  const schema = await load('prompt.mjs', { places, guide: harbourResources.guide }, text);
  expect(textsOf([schema])).toEqual([
    'Read coast__guide, ask coast__places_find, coast__places_runSql, coast__places_describeTables, not other/thing.',
  ]);
});

test('of several resources with the same name, a prompt means that of its own schema', async () => {
  const { guide } = harbourResources;
  const schemas = [
    await load('a.mjs', { guide }, 'Read {{resource:guide}}.'),
    await load('b.mjs', { guide }, 'Read {{resource:guide}}.'),
    await load('c.mjs', {}, 'Read {{resource:coast/guide}}.'),
  ];
  expect(textsOf(schemas)).toEqual(['Read coast__guide.', 'Read coast__guide_2.', 'Read coast__guide.']);
  expect(textsOf(schemas.toReversed()).sort()).toEqual(textsOf(schemas).sort());
});

test('the tags of a schema that a program changed may be an array with a constructor of its own', async () => {
  const { main } = await load('tags.mjs', harbourResources, 'Nothing.');
  const changed = Object.assign(main ?? {}, { tags: Object.assign(['sea'], { constructor: 'x' }) });
  expect(exposeSchemas([changed])[0]?.tags).toEqual(['sea']);
});
