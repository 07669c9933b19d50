import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SchemaKit } from '@schemakit/core';
import { describe, expect, test } from 'vitest';
import { mainWith, moduleText } from './support/schema-module.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { startUpstream } from './support/upstream.ts';

const handlers = "() => ({ getThing: { postRequest: async () => ({ response: 'handled' }) } })";

async function loadHandled() {
  const upstream = await startUpstream();
  const file = join(await temporaryFolder(), 'schema.mjs');
  await writeFile(file, moduleText(mainWith({ root: upstream.origin }), handlers));
  const load = () => SchemaKit.loadSchema({ filePath: file });
  return { file, load, loaded: await load() };
}

const routeName = 'getThing';

describe('the main of a loaded schema', () => {
  test('is the same each time, and the own of each loading', async () => {
    const { load, loaded } = await loadHandled();
    const other = await load();
    expect(loaded.main).toBe(loaded.main);
    expect(other.main).toEqual(loaded.main);
    (loaded.main as Record<string, unknown>).name = 'Changed';
    (loaded.main as { tools: Record<string, unknown> }).tools.getThing = null;
    expect(other.main).not.toMatchObject({ name: 'Changed' });
    expect((await load()).main).toEqual(other.main);
    (loaded.exports as string[])[0] = 'changed';
    expect((await load()).exports).toEqual(other.exports);
  });

  test('can be replaced', async () => {
    const { loaded } = await loadHandled();
    const other = await startUpstream();
    loaded.main = mainWith({ root: other.origin });
    expect(await SchemaKit.fetch({ schema: loaded, routeName })).toMatchObject({ data: { path: '/thing' } });
    expect(other.requests).toHaveLength(1);
  });

  test('has its handlers in a copy from elsewhere', async () => {
    const { file } = await loadHandled();
    const { main } = await import(pathToFileURL(file).href);
    expect(await SchemaKit.fetch({ main, routeName })).toMatchObject({ data: 'handled' });
  });
});
