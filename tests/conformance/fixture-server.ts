import { join } from 'node:path';
import { exposeSchemaPrompts, exposeSchemas, SchemaKit } from '@schemakit/core';
import { createReloadableCatalog, createServer, createToolCatalog, type ToolCatalog } from '@schemakit/server';
import { startFixtureApi } from './fixture-api.ts';
import { fixturePrompts, servedPrompt } from './fixture-prompts.ts';
import { fixtureResources } from './fixture-resources.ts';
import { fixtureTools, servedTool } from './fixture-tools.ts';

/** A server under the suite. */
export interface SuiteServer {
  /** Where MCP is spoken. */
  url: string;
  close(): Promise<void>;
}

/** The names that the suite calls what the schema has. */
const names: Record<string, string> = {
  suite__simpleText: 'test_simple_text',
  suite__image: 'test_image_content',
  suite__audio: 'test_audio_content',
  suite__document: 'test_embedded_resource',
  suite__failure: 'test_error_handling',
  suite__simple: 'test_simple_prompt',
  'suite__with-arguments': 'test_prompt_with_arguments',
};

/**
 * A server that offers what the suite asks for: what an API can answer comes from a schema, under the suite's names, and the
 * rest is written by hand beside it.
 */
export async function startFixtureServer(): Promise<SuiteServer> {
  const api = await startFixtureApi();
  const schema = await SchemaKit.loadSchema({ filePath: join(import.meta.dirname, 'fixtures', 'suite.mjs') });
  if (!schema.status || schema.main === null) throw new Error(schema.messages.join('\n'));
  // The file names port 4860; the API took any free one.
  schema.main.root = api.url;
  const tools = [...exposeSchemas([schema]).map(renamed), ...fixtureTools(change)];
  const prompts = [...exposeSchemaPrompts([schema]).map(renamed), ...fixturePrompts];
  const catalog = createReloadableCatalog(createToolCatalog(tools, prompts, fixtureResources));

  function change(what: 'tools' | 'prompts'): void {
    catalog.replace(catalogWith(what, catalog.current));
  }

  const { url, close } = await createServer(catalog, { name: 'conformance' }).http();
  return {
    url: `${url}/mcp`,
    async close() {
      await close();
      await api.close();
    },
  };
}

function renamed<Listed extends { listing: { name: string } }>(listed: Listed): Listed {
  const { listing } = listed;
  return { ...listed, listing: { ...listing, name: names[listing.name] ?? listing.name } };
}

/** The same with one more tool or prompt, or without it where it is there. */
function catalogWith(what: 'tools' | 'prompts', { tools, prompts, resources }: ToolCatalog): ToolCatalog {
  const extra = `test_extra_${what}`;
  const others = <Listed extends { listing: { name: string } }>(all: readonly Listed[]) =>
    all.filter(({ listing: { name } }) => name !== extra);
  if (what === 'tools') {
    const left = others(tools.all);
    const added = left.length < tools.all.length ? [] : [servedTool(extra, async () => ({ content: [] }))];
    return createToolCatalog([...left, ...added], prompts.all, resources.standalone);
  }
  const left = others(prompts.all);
  const added = left.length < prompts.all.length ? [] : [servedPrompt(extra, [], () => [])];
  return createToolCatalog(tools.all, [...left, ...added], resources.standalone);
}
