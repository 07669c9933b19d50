import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../settings/make-folder.ts';
import { serveRegistry } from './fixtures/registry-server.ts';
import { schemaText } from './fixtures/schema-text.ts';
import { filesBelow, temporaryFolder } from './fixtures/source-home.ts';
import { importRegistry, importSource, updateSource } from './import-source.ts';
import { listSources } from './source-state.ts';

const agentText = (model = 'anthropic/claude-sonnet-4') =>
  `export const agent = ${JSON.stringify({
    name: 'guide',
    version: 'schemakit/3.0.0',
    description: 'Made for a test.',
    model,
    systemPrompt: 'You guide.',
    tools: { 'tides/tool/getOne': null },
    prompts: { about: { file: './prompts/about.mjs' } },
    skills: { plan: { file: './skills/plan.mjs' } },
    tests: ['a', 'b', 'c'].map((input) => ({ _description: input, input, expectedTools: ['tides/tool/getOne'] })),
  })};`;
const about = 'export const content = "One thing.";';
const plan = `export const skill = ${JSON.stringify({
  name: 'plan',
  version: 'schemakit-skill/1.0.0',
  description: 'Plans',
  output: 'A plan',
  content: 'Plan.',
})};`;
const agentFiles = { 'guide/agent.mjs': agentText(), 'guide/prompts/about.mjs': about, 'guide/skills/plan.mjs': plan };
const paths = [...Object.keys(agentFiles), 'tides.mjs'];

function newFolder(): string {
  return join(temporaryFolder(), 'schemas');
}

const imported = (folder: string) =>
  Object.keys(filesBelow(folder)).flatMap((path) => /^tides\/(.*\.m?js)$/.exec(path)?.[1] ?? []);

test('agents of a registry are imported with the files that they refer to, and updated', async () => {
  const server = await serveRegistry();
  const folder = newFolder();
  const agents = [{ name: 'guide', description: 'Guides', manifest: 'guide/agent.mjs' }];
  for (const [path, text] of Object.entries(agentFiles)) server.files.set(`/${path}`, text);
  server.publish({ 'tides.mjs': schemaText('tides') }, { fields: { agents } });
  const result = await importRegistry({ url: `${server.origin}/registry.json`, folder });
  expect(result).toMatchObject({ status: true, added: paths, schemaCount: 1, agentCount: 1, findings: [] });
  expect(imported(folder)).toEqual(paths);
  expect(await listSources({ folder })).toMatchObject([{ schemaCount: 1, agentCount: 1 }]);

  server.files.set('/guide/prompts/about.mjs', about.replace('One', 'Another'));
  server.publish({ 'tides.mjs': schemaText('tides') }, { fields: { agents, version: '2.0.0' } });
  expect(await updateSource({ name: 'tides', folder })).toMatchObject({
    status: true,
    changed: ['guide/prompts/about.mjs'],
    agentCount: 1,
  });
});

test('agents in a folder without a registry are imported too', async () => {
  const source = join(temporaryFolder(), 'tides');
  for (const [path, text] of Object.entries({ ...agentFiles, 'tides.mjs': schemaText('tides'), 'seed.mjs': '1;' })) {
    makeFolder(dirname(join(source, path)));
    writeFileSync(join(source, path), text);
  }
  const folder = newFolder();
  const result = await importSource({ url: source, folder });
  expect(result).toMatchObject({ status: true, added: paths, schemaCount: 1, agentCount: 1 });
  expect(imported(folder)).toEqual(paths);
});

test('a broken agent fails alone', async () => {
  const server = await serveRegistry();
  const folder = newFolder();
  server.files.set('/guide/agent.mjs', agentText('no provider'));
  const agents = [{ manifest: 'guide/agent.mjs' }, { manifest: 'lost/agent.mjs' }, { manifest: '../out.mjs' }, 7];
  server.publish({ 'tides.mjs': schemaText('tides') }, { fields: { agents } });
  const result = await importRegistry({ url: `${server.origin}/registry.json`, folder });
  expect(result).toMatchObject({ status: false, added: ['tides.mjs'], schemaCount: 1, agentCount: 0 });
  expect(result.failed).toEqual(['../out.mjs', 'agents[3]', 'guide/agent.mjs', 'lost/agent.mjs']);
  expect(result.findings.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['SRC003', 'SRC004', 'SRC002', 'AGT003']),
  );
});
