import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from './support/temporary-folder.ts';

const command = resolve('packages/cli/bin/schemakit.js');

function schema(namespace: string, more = ''): string {
  return `export const main = {
    namespace: '${namespace}', name: '${namespace}', description: 'Mountains.', version: '3.0.0', root: 'http://127.0.0.1:9',
    requiredServerParams: [], requiredLibraries: [], headers: {},
    tools: { listPeaks: { method: 'GET', path: '/peaks', description: 'List all peaks.', parameters: [] } },
    ${more}
  };\n`;
}

/** A server of a folder that was served before, so that it starts from what the first one kept. */
async function runAgain() {
  const folder = await temporaryFolder({
    'schemas/peaks.mjs': schema(
      'peaks',
      `prompts: { about: { name: 'about', version: 'schemakit-prompt/1.0.0', namespace: 'peaks', description: 'What it knows.',
        dependsOn: [], references: [], contentFile: './prompts/about.mjs' } },
      resources: { guide: { source: 'markdown', origin: 'inline', name: 'guide.md', description: 'How to climb.' } },`,
    ),
    'schemas/hills.mjs': schema('hills'),
    'schemas/prompts/about.mjs': 'export const content = `Mountains, not hills.`;\n',
    'schemas/resources/guide.md': '# Guide\n\nSlowly.\n',
  });
  const [schemas, home] = [join(folder, 'schemas'), join(folder, 'home')];
  const connect = async () => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    onTestFinished(() => client.close());
    const env = { ...process.env, SCHEMAKIT_HOME: home } as Record<string, string>;
    const args = [command, 'run', schemas, '--no-watch'];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
    return client;
  };
  const first = await connect();
  const offered = await offerOf(first);
  await first.close();
  expect(readdirSync(join(home, 'cache', 'index'))).toHaveLength(1);
  return { schemas, offered, client: await connect() };
}

async function offerOf(client: Client) {
  const { tools } = await client.listTools();
  const { prompts } = await client.listPrompts();
  const { resources } = await client.listResources();
  return { tools, prompts, resources };
}

test('a server that starts from the index offers and answers what the first one did', async () => {
  const { client, offered } = await runAgain();
  expect(offered.tools.map(({ name }) => name)).toContain('peaks__listPeaks');
  expect(await offerOf(client)).toEqual(offered);
  const [prompt] = offered.prompts;
  const { messages } = await client.getPrompt({ name: prompt?.name ?? '' });
  expect(JSON.stringify(messages)).toContain('Mountains, not hills.');
  const [resource] = offered.resources;
  const { contents } = await client.readResource({ uri: resource?.uri ?? '' });
  expect(contents).toMatchObject([{ text: '# Guide\n\nSlowly.\n' }]);
  const { content } = await client.callTool({ name: 'hills__listPeaks', arguments: {} });
  expect(JSON.stringify(content)).toContain('ECONNREFUSED');
});

test('what was removed since it started is gone, and says so', async () => {
  const { client, schemas, offered } = await runAgain();
  for (const name of ['peaks.mjs', 'hills.mjs']) rmSync(join(schemas, name));
  const { content, isError } = await client.callTool({ name: 'hills__listPeaks', arguments: {} });
  expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('is gone')]);
  const [[prompt], [resource]] = [offered.prompts, offered.resources];
  await expect(client.getPrompt({ name: prompt?.name ?? '' })).rejects.toThrow('is gone');
  await expect(client.readResource({ uri: resource?.uri ?? '' })).rejects.toThrow('is gone');
});
