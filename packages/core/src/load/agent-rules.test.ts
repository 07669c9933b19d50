import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentCodes } from '../schema/finding-codes.ts';
import { hashForms } from '../schema/hash.ts';
import { mainWith, toolWith } from '../schema/rules/fixtures/rule-case.ts';
import { checkModule } from './check-module.ts';

let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'agent-rules-'));
});
afterAll(() => rm(base, { recursive: true, force: true }));

const inlineTool = {
  root: 'https://trips.example.com',
  method: 'GET',
  path: '/plan',
  description: 'Plan a trip',
  parameters: [],
  output: { mimeType: 'application/json', schema: { type: 'object' } },
  tests: [{ _description: 'a' }, { _description: 'b' }, { _description: 'c' }],
};
const testOf = (input: string, changes: object = {}) => ({
  _description: `Asks ${input}`,
  input,
  expectedTools: ['tides/tool/getTides'],
  expectedContent: ['high'],
  ...changes,
});
const manifest = {
  name: 'trip-planner',
  version: 'schemakit/3.0.0',
  description: 'Plans trips by boat',
  model: 'anthropic/claude-sonnet-4',
  systemPrompt: 'You plan trips.',
  tools: { 'tides/tool/getTides': null, plan: inlineTool },
  prompts: { about: { file: './prompts/about.mjs' }, 'tides/prompt/about': null },
  skills: { plan: { file: './skills/plan.mjs' } },
  resources: { notes: { source: 'markdown', description: 'Notes', name: 'notes.md' }, 'tides/resource/harbours': null },
  tests: [testOf('one'), testOf('two'), testOf('three', { expectedTools: ['plan', 'tides/tool/getTides'] })],
  sharedLists: ['harbours'],
};
const { systemPrompt: _systemPrompt, ...withoutPrompt } = manifest;

type Files = Readonly<Record<string, string>>;

const agentOf = (value: unknown) => `export const agent = ${JSON.stringify(value)};`;
const skillOf = (changes: object = {}) =>
  `export const skill = ${JSON.stringify({
    name: 'plan',
    version: 'schemakit-skill/1.0.0',
    description: 'How to plan',
    requires: { tools: ['tides/tool/getTides', 'plan'], resources: ['notes'] },
    input: [{ key: 'from', type: 'string', description: 'Where it begins', required: true }],
    content: 'From {{input:from}}, see {{tool:tides/getTides}}, {{tool:plan}}, {{resource:notes}}, {{prompt:about}}.',
    output: 'A plan',
    ...changes,
  })};`;
const about = 'export const content = "High water comes twice a day.";';
const list = (name: string) =>
  `export const list = { meta: { name: '${name}', version: '1.0.0', fields: [] }, entries: ['Dover'] };`;
const texts: Files = { 'prompts/about.mjs': about, 'skills/plan.mjs': skillOf() };
const files: Files = { 'agent.mjs': agentOf(manifest), ...texts, '_lists/harbours.mjs': list('harbours') };

const withFiles = (others: Files): Files => ({ ...files, ...others });
const withFields = (changes: object): Files => withFiles({ 'agent.mjs': agentOf({ ...manifest, ...changes }) });
const withTools = (tools: object) => withFields({ tools: { ...manifest.tools, ...tools } });
const withTest = (changes: object) => withFields({ tests: [testOf('one', changes), ...manifest.tests.slice(1)] });

async function load(own: Files) {
  const folder = await mkdtemp(join(base, 'agent-'));
  for (const [name, text] of Object.entries(own)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const { findings, status } = await checkModule(join(folder, 'agent.mjs'), 'agent', { schemas: [{ main }] });
  return { status, findings, said: findings.map(({ code, severity }) => `${code} ${severity}`) };
}

const main = mainWith({ namespace: 'tides', tools: { getTides: toolWith().tools.getThing } });
const { canonical: ofTool } = hashForms({ tool: { main, name: 'getTides' } });
const { canonical: hash } = hashForms({ agent: { tools: [{ id: 'tides/tool/getTides', hash: ofTool ?? '' }] } });

/** For each rule, an agent that breaks it, and a similar one that breaks no rule. */
const rules: Readonly<Record<keyof typeof agentCodes, readonly [breaks: Files, keeps: Files]>> = {
  AGT001: [withFields({ name: 'tripPlanner' }), withFields({ name: 'trip-planner-2' })],
  AGT002: [withFields({ description: '' }), withFields({ description: '-' })],
  AGT003: [withFields({ model: 'claude' }), withFields({ model: 'openrouter/anthropic/claude' })],
  AGT004: [withFields({ version: '3.0.0' }), withFields({ version: 'flowmcp/3.0.0' })],
  AGT005: [withFiles({ 'agent.mjs': agentOf(withoutPrompt) }), withFields({ systemPrompt: 'You' })],
  AGT006: [withFields({ tools: {} }), withTools({ 'ferries/tool/list': null })],
  AGT007: [withTools({ 'tides/tols/get': null }), withTools({ 'tide-tables/tool/get': null })],
  AGT008: [withFields({ tests: manifest.tests.slice(1) }), withFields({ tests: [...manifest.tests, testOf('four')] })],
  AGT009: [withTest({ input: ' ' }), withTest({ input: '?' })],
  AGT010: [withTest({ expectedTools: [] }), withTest({ expectedTools: ['plan'] })],
  AGT011: [withTest({ expectedTools: ['getTides'] }), withTest({ expectedTools: ['tides/getTides'] })],
  AGT012: [withTest({ input: ' Two' }), withTest({ input: 'two?' })],
  AGT013: [
    withFields({ prompts: { about: './about.mjs' } }),
    withFields({ prompts: { 'tides/prompt/about': null, about: manifest.prompts.about } }),
  ],
  AGT014: [
    withFields({ skills: { 'tides/skill/plan': null } }),
    withFields({ skills: { plan: { file: 'skills/plan.mjs' } } }),
  ],
  AGT015: [
    withFields({ resources: { ...manifest.resources, harbours: null } }),
    withFields({ resources: { ...manifest.resources, 'tides/resource/ports': null } }),
  ],
  AGT016: [
    withFields({ skills: { plan: { file: './skills/none.mjs' } } }),
    withFiles({ 'agent.mjs': agentOf({ ...manifest, skills: { plan: { file: 'plan.mjs' } } }), 'plan.mjs': skillOf() }),
  ],
  AGT017: [
    withFiles({ 'prompts/about.mjs': 'export const text = "High water.";' }),
    withFiles({
      'prompts/about.mjs': `export const prompt = ${JSON.stringify({
        name: 'about',
        version: 'flowmcp-prompt/1.0.0',
        agent: 'trip-planner',
        description: 'Tides',
        testedWith: 'anthropic/claude-sonnet-4',
        dependsOn: ['tides/tool/getTides'],
        content: 'See {{tool:tides/tool/getTides}}.',
      })};`,
    }),
  ],
  AGT018: [
    withFiles({ 'skills/plan.mjs': 'export const content = "Plan.";' }),
    withFiles({ 'skills/plan.mjs': `const name = 'plan';\n${skillOf().replace('"name":"plan"', 'name')}` }),
  ],
  AGT019: [withTools({ ping: { ...inlineTool, description: undefined } }), withTools({ ping: inlineTool })],
  AGT020: [withTools({ 'ferries/tool/list': inlineTool }), withTools({ list: inlineTool, 'ferries/tool/list': null })],
  AGT021: [withTest({ expectedTools: ['ferries/tool/list'] }), withTest({ expectedTools: ['tides/tool/getTides'] })],
  AGT022: [withTest({ expectedContent: [{ field: 'a' }] }), withTest({ expectedContent: [{ field: 'a', equals: 0 }] })],
  AGT023: [withTest({ _description: undefined }), withTest({ _description: 'It' })],
  AGT024: [withFields({ sharedLists: [{ ref: 'harbours' }] }), withFields({ sharedLists: [] })],
  AGT025: [withFields({ maxRounds: 1.5 }), withFields({ maxRounds: 1, maxTokens: 1 })],
  AGT026: [withFields({ inputSchema: {} }), withFields({ inputSchema: { type: 'object' } })],
  AGT027: [withFields({ hash: 'sha256:0' }), withFields({ hash })],
  AGT028: [
    withFiles({ 'agent.mjs': agentOf(manifest).replace('agent', 'agents') }),
    withFiles({ 'agent.mjs': `const agent = ${JSON.stringify(manifest)};\nexport { agent };` }),
  ],
  AGT029: [withFiles({ 'agent.mjs': 'export const agent = [];' }), files],
  AGT030: [
    withTools({ ping: { ...inlineTool, root: undefined } }),
    withTools({ ping: { ...inlineTool, root: undefined, path: 'https://trips.example.com/ping' } }),
  ],
  AGT031: [withFields({ requiredServerParams: 'KEY' }), withFields({ requiredServerParams: ['KEY'] })],
  AGT032: [
    withTools({ 'abc/tool/a': null, 'abc/a': null }),
    withTools({ 'abc/tool/a': null, 'abc/tool/b': null, 'abcd/tool/a': null }),
  ],
  AGT033: [
    withFields({ sharedLists: ['harbours', 'ports'] }),
    withFiles({ ...withFields({ sharedLists: ['ports'] }), '_lists/ports.mjs': list('ports') }),
  ],
  AGT034: [
    withFields({ hash: `sha256:${'0'.repeat(64)}` }),
    withFields({ hash: `sha256:${'0'.repeat(64)}`, tools: { ...manifest.tools, 'ferries/tool/list': null } }),
  ],
  AGT035: [withFields({ answerSchema: { hour: 'string' } }), withFields({ answerSchema: { type: 'object' } })],
};

describe.each(Object.entries(rules))('%s', (code, [breaks, keeps]) => {
  test('is broken', async () => {
    const { said, status } = await load(breaks);
    const [severity] = agentCodes[code as keyof typeof agentCodes];
    expect(said).toContain(`${code} ${severity}`);
    if (severity === 'error') expect(status).toBe(false);
  });

  test('is kept', async () => {
    expect((await load(keeps)).findings).toEqual([]);
  });
});
