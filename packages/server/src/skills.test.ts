import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createToolCatalog, type ServedPrompt } from './catalog/tool-catalog.ts';
import { createMcpServer } from './create-mcp-server.ts';

const info = { name: 'garden', version: '1.0.0' };
const anything = z.looseObject({});

const prompt = (name: string, files: Record<string, string>): ServedPrompt => ({
  listing: { name, title: name, arguments: [] },
  namespace: 'garden',
  skill: { path: `garden/${name}`, name, description: 'Water plants.', files: () => files },
  get: () => ({ ok: true, messages: [] }),
  complete: () => [],
});

const good = '---\nname: water\ndescription: Water plants.\n---\n\nWater them.\n';

test('a skill that breaks a rule is left out and reported, and an unknown one is an error', async () => {
  const errors: Error[] = [];
  const prompts = [prompt('water', { 'SKILL.md': good }), prompt('other', { 'SKILL.md': good })];
  const [left, right] = InMemoryTransport.createLinkedPair();
  const client = new Client(info);
  const server = createMcpServer(createToolCatalog([], prompts), info, { onError: (error) => errors.push(error) });
  await Promise.all([server.connect(left), client.connect(right)]);
  const ask = (method: string, params = {}) => client.request({ method, params }, anything);
  const { skills } = await ask('skills/list');
  expect(skills).toMatchObject([{ uri: 'skill://garden/water/SKILL.md', frontmatter: { name: 'water' } }]);
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('other') })]);
  expect(await client.readResource({ uri: 'skill://garden/water/SKILL.md' })).toMatchObject({
    contents: [{ mimeType: 'text/markdown', text: good }],
  });
  for (const [method, params] of [
    ['skills/get', { uri: 'skill://garden/other/SKILL.md' }],
    ['skills/get', {}],
    ['skills/list', { cursor: 'nonsense' }],
    ['resources/directory/read', { uri: 'skill://garden/water/SKILL.md' }],
    ['resources/read', { uri: 'skill://garden/water/OTHER.md' }],
  ] as const) {
    await expect(ask(method, params), method).rejects.toMatchObject({ code: -32602 });
  }
  await client.close();
});
