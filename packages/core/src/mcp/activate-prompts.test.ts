import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoadedSchema } from '../load/load-schema.ts';
import { SchemaKit } from '../schemakit.ts';
import { harbourResources, mainWith, openHarbours } from './fixtures/harbours.ts';
import { info, type ServerKind, serverKinds } from './fixtures/server-kinds.ts';

const folder = openHarbours();
let schema: LoadedSchema;

const skill = {
  name: 'plan-trip',
  version: 'schemakit-skill/1.0.0',
  description: 'Plan a trip.',
  requires: { tools: [], resources: ['guide'], external: [] },
  input: [
    { key: 'harbour', type: 'string', description: 'Where to.', required: true },
    { key: 'speed', type: 'enum', values: ['slow', 'fast'], description: 'How fast.', required: false },
    { key: 'boat', type: 'enum', values: ['yacht', 'kayak'], description: 'In what.', required: true },
  ],
  output: 'A plan.',
  content: 'Read {{resource:guide}}. Go to {{input:harbour}} by {{input:boat}}, {{input:speed}}.',
};

beforeAll(async () => {
  for (const name of ['prompts', 'skills']) mkdirSync(join(folder.path, name), { recursive: true });
  const about = `export const content = 'Read {{resource:guide}} first.';\n`;
  writeFileSync(join(folder.path, 'prompts', 'about.mjs'), about);
  writeFileSync(join(folder.path, 'skills', 'plan-trip.mjs'), `export const skill = ${JSON.stringify(skill)};\n`);
  const main = mainWith(
    { guide: harbourResources.guide },
    {
      prompts: { about: { description: 'About the coast.', contentFile: './prompts/about.mjs' } },
      skills: { 'plan-trip': { file: './skills/plan-trip.mjs' } },
    },
  );
  schema = await SchemaKit.loadSchema({ filePath: folder.write('coast.mjs', main) });
  if (!schema.status) throw new Error(schema.messages.join('\n'));
});
afterAll(() => folder.remove());

describe.each(serverKinds)('$kind', ({ make, connect }: ServerKind) => {
  /** A client of a server on which the schema is activated. */
  const open = () => {
    const server = make();
    const { messages } = SchemaKit.activateServerTools({ server, schema });
    expect(messages).toEqual([]);
    return connect(server);
  };

  test('lists skills and prompts with their arguments', async () => {
    const server = make();
    const { mcpPrompts } = SchemaKit.activateServerTools({ server, schema });
    expect(Object.keys(mcpPrompts).sort()).toEqual(['coast__about', 'coast__plan-trip']);
    const { prompts } = await (await connect(server)).listPrompts();
    const byName = new Map(prompts.map((prompt) => [prompt.name, prompt]));
    expect(byName.get('coast__about')).toMatchObject({ title: 'coast: about', description: 'About the coast.' });
    expect(byName.get('coast__about')?.arguments ?? []).toEqual([]);
    expect(byName.get('coast__plan-trip')?.arguments).toEqual([
      { name: 'harbour', description: 'Where to.', required: true },
      { name: 'speed', description: 'How fast. One of "slow", "fast".', required: false },
      { name: 'boat', description: 'In what. One of "yacht", "kayak".', required: true },
    ]);
  });

  test('gives the text with the arguments and the names of tools', async () => {
    const client = await open();
    const { description, messages } = await client.getPrompt({
      name: 'coast__plan-trip',
      arguments: { harbour: 'Sark', boat: 'kayak' },
    });
    expect(description).toBe('Plan a trip.');
    const text = 'Read coast__guide. Go to Sark by kayak, (not given).';
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text } }]);
    const about = await client.getPrompt({ name: 'coast__about' });
    expect(about.messages).toMatchObject([{ content: { text: 'Read coast__guide first.' } }]);
  });

  test.each([
    [{}, /harbour: required argument is missing/],
    [{ harbour: 'Sark', boat: 'car' }, /boat: expected one of "yacht", "kayak", got "car"/],
  ])('refuses %j with what is wrong', async (args, message) => {
    const client = await open();
    const error = await client.getPrompt({ name: 'coast__plan-trip', arguments: args }).catch((reason) => reason);
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) });
  });

  test('an unknown prompt is an error that names it', async () => {
    const client = await open();
    const error = await client.getPrompt({ name: 'coast__none' }).catch((reason) => reason);
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('Prompt coast__none not found') });
  });

  test('completes arguments of prompts and of resources', async () => {
    const client = await open();
    const complete = async (name: string, value: string) => {
      const ref = { type: 'ref/prompt', name: 'coast__plan-trip' } as const;
      return (await client.complete({ ref, argument: { name, value } })).completion.values;
    };
    expect(await complete('boat', 'K')).toEqual(['kayak']);
    expect(await complete('speed', '')).toEqual(['slow', 'fast']);
    expect(await complete('harbour', '')).toEqual([]);
    const ref = { type: 'ref/resource', uri: 'schemakit://coast/guide{?section,lines,search}' } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'section', value: '' } });
    expect(completion.values).toEqual([]);
  });

  test('a second activation renames prompts and the tools that they name', async () => {
    const server = make();
    SchemaKit.activateServerTools({ server, schema });
    const { findings, mcpPrompts } = SchemaKit.activateServerTools({ server, schema });
    expect(Object.keys(mcpPrompts).sort()).toEqual(['coast__about_2', 'coast__plan-trip_2']);
    expect(
      findings
        .filter(({ code }) => code === 'PRM019')
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['coast__about', 'coast__plan-trip']);
    const { messages } = await (await connect(server)).getPrompt({ name: 'coast__about_2' });
    expect(messages).toMatchObject([{ content: { text: 'Read coast__guide_2 first.' } }]);
  });

  test('a connected server keeps its tools and reports what it rejects', async () => {
    const server = make();
    SchemaKit.activateServerTool({ server, schema, routeName: 'guide' });
    await connect(server);
    const { status, findings, mcpPrompts } = SchemaKit.activateServerTools({ server, schema });
    expect([status, mcpPrompts]).toEqual([true, {}]);
    expect(findings.filter(({ code }) => code === 'PRM018')).toMatchObject([{ severity: 'warning', path: 'server' }]);
  });
});

test('a low-level server with prompts of its own keeps them', () => {
  const server = new Server(info, { capabilities: { prompts: {} } });
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
  const { status, findings, mcpPrompts } = SchemaKit.activateServerTools({ server, schema });
  expect({ status, mcpPrompts }).toEqual({ status: true, mcpPrompts: {} });
  expect(findings.map(({ code }) => code)).toEqual(['PRM018']);
});
