import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRecordedAnswer } from './recorded-answer.ts';
import { type ReplayServer, startReplayServer } from './replay-server.ts';
import { type ReplayedCatalog, readPublicSchemas, replayCatalog, serverParams } from './replayed-catalog.ts';

const command = fileURLToPath(new URL('../../packages/cli/bin/schemakit.js', import.meta.url));
const schemas = await readPublicSchemas();

describe('the catalog as `schemakit run` serves it', () => {
  let server: ReplayServer;
  let catalog: ReplayedCatalog;
  const client = new Client({ name: 'schemakit-catalog', version: '1.0.0' });

  beforeAll(async () => {
    server = await startReplayServer();
    catalog = await replayCatalog(schemas, server.origin);
    const env = { ...getDefaultEnvironment(), HOME: catalog.folder, ...serverParams };
    const args = [command, 'run', catalog.folder];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env, cwd: catalog.folder, stderr: 'ignore' }),
    );
  });
  afterAll(async () => {
    await client.close();
    await server?.close();
    await catalog?.remove();
  });

  test('all tools are listed, each with a description', async () => {
    const { tools } = await client.listTools();
    const expected = schemas.flatMap(({ main }) => Object.keys(main.tools).map((tool) => `${main.namespace}__${tool}`));
    expect(tools.map(({ name }) => name).sort()).toEqual(expected.sort());
    expect(tools.filter(({ description }) => !description)).toEqual([]);
  });

  test.each(schemas.map(({ main }) => [main.namespace, main] as const))('%s answers', async (namespace, { tools }) => {
    const [[tool, { output, tests = [] }] = ['', { tests: [] }]] = Object.entries(tools);
    const [{ _description, ...args } = { _description: '' }] = tests;
    server.expect((await readRecordedAnswer(namespace, tool, 1))?.exchanges ?? []);
    const result = await client.callTool({ name: `${namespace}__${tool}`, arguments: args });
    expect(server.complaints()).toEqual([]);
    expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false);
    const [content] = result.content;
    const data: unknown = JSON.parse(content?.type === 'text' ? content.text : '');
    expect(data).not.toBeNull();
    if (output?.schema?.type === 'object') expect(result.structuredContent).toEqual(data);
  });
});
