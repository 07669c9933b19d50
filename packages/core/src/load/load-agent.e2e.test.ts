import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadAgent } from './load-agent.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schemakit-agent-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const manifest = {
  name: 'trip-planner',
  version: 'schemakit/3.0.0',
  description: 'Plans trips by boat',
  model: 'anthropic/claude-sonnet-4',
  systemPrompt: 'You plan trips.',
  tools: { 'tides/tool/getTides': null },
  tests: ['one', 'two', 'three'].map((input) => ({
    _description: `Asks ${input}`,
    input,
    expectedTools: ['tides/tool/getTides'],
    expectedContent: ['high'],
  })),
};
const skillFields = {
  name: 'plan',
  version: 'schemakit-skill/1.0.0',
  description: 'How to plan',
  content: 'Look at the tides.',
  output: 'A plan',
};
const skillFile = (changes: object = {}) => `export const skill = ${JSON.stringify({ ...skillFields, ...changes })};`;
const skill = skillFile();

const about = 'name: "tides", agent: "trip-planner", description: "Tides", testedWith: "anthropic/claude-sonnet-4"';

let count = 0;

/** Writes files in a folder of their own and loads the first of them. */
async function load(files: Record<string, string>) {
  const own = join(folder, String(count++), 'agent');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(own, name)), { recursive: true });
    await writeFile(join(own, name), text);
  }
  const [first = ''] = Object.keys(files);
  const loaded = await loadAgent({ filePath: join(own, first) });
  return { ...loaded, folder: own, codes: loaded.findings.map(({ code }) => code) };
}

function agentFile(changes: object = {}, name = 'agent'): string {
  return `export const ${name} = ${JSON.stringify({ ...manifest, ...changes })};`;
}

test('loads an agent with its prompts and skills', async () => {
  const {
    folder: own,
    codes,
    ...loaded
  } = await load({
    'agent.mjs': agentFile({
      prompts: { tides: { file: './prompts/tides.mjs' }, 'tides/prompt/about': null },
      skills: { plan: { file: 'skills/plan.mjs' } },
    }),
    'prompts/tides.mjs': 'const hour = 6;\nexport const content = `High water comes every ${2 * hour} hours.`;',
    'skills/plan.mjs': skill,
  });
  expect(loaded).toMatchObject({
    status: true,
    messages: [],
    agent: { name: 'trip-planner', maxRounds: 10, tools: { 'tides/tool/getTides': null } },
    prompts: { tides: { file: join(own, 'prompts/tides.mjs'), content: 'High water comes every 12 hours.' } },
    skills: { plan: { description: 'How to plan', content: 'Look at the tides.' } },
    file: join(own, 'agent.mjs'),
  });
});

test('runs nothing of the files in this process', async () => {
  const marker = '__loadAgentRan';
  const { codes } = await load({
    'agent.mjs': `globalThis.${marker} = true;\n${agentFile({ skills: { plan: { file: 'plan.mjs' } } })}`,
    'plan.mjs': `globalThis.${marker} = true;\n${skill}`,
  });
  expect(Object.hasOwn(globalThis, marker)).toBe(false);
  expect(codes.some((code) => code.startsWith('SEC'))).toBe(true);
});

test('computes a manifest in the sandbox if necessary', async () => {
  const { status, agent } = await load({
    'agent.mjs': `class Words { static all = ['You', 'plan']; }\nconst text = Words.all.join(' ');\n${agentFile().replace('"You plan trips."', 'text')}`,
  });
  expect({ status, prompt: agent?.systemPrompt }).toEqual({ status: true, prompt: 'You plan' });
});

test.each(['flowmcp/3.0.0', 'schemakit/3.0.0'])('reads the export main whose version is %s', async (version) => {
  const { status, agent, codes } = await load({
    'agent.mjs': agentFile({ version, tools: ['tides/tool/getTides'] }, 'main'),
  });
  expect({ status, tools: agent?.tools, codes }).toEqual({
    status: true,
    tools: { 'tides/tool/getTides': null },
    codes: ['AGT006'],
  });
});

test('prefers the export agent to main', async () => {
  const { agent } = await load({ 'agent.mjs': `${agentFile()}\n${agentFile({ name: 'other' }, 'main')}` });
  expect(agent?.name).toBe('trip-planner');
});

test('accepts the export agent of another runtime, with a warning', async () => {
  const { status, agent, codes } = await load({ 'agent.mjs': agentFile({ version: 'other/3.0.0' }) });
  expect({ status, version: agent?.version, codes }).toEqual({
    status: true,
    version: 'other/3.0.0',
    codes: ['AGT004'],
  });
});

test('reads a manifest in JSON', async () => {
  const { status, agent } = await load({
    'manifest.json': `\uFEFF${JSON.stringify({ ...manifest, skills: { plan: { file: 'plan.mjs' } } })}`,
    'plan.mjs': skill,
  });
  expect({ status, name: agent?.name }).toEqual({ status: true, name: 'trip-planner' });
});

test('names the line of an error', async () => {
  const text = agentFile({ model: 'claude' }, 'main').replace('flowmcp', 'schemakit').replace('"model"', '\n  "model"');
  const { status, agent, findings, file } = await load({ 'agent.mjs': text });
  expect({ status, agent }).toEqual({ status: false, agent: null });
  expect(findings).toMatchObject([{ code: 'AGT003', path: 'main.model', file, line: 2, column: 3 }]);
});

test.each([
  ['export const main = { namespace: "tides", version: "3.0.0" };', ['AGT028'], /load it with loadSchema/],
  ['export const skill = {};', ['AGT028'], /export const agent/],
  ['', ['AGT028'], /export const agent/],
  ['export const agent = () => {};', ['VAL006'], /literals/],
  ['export const agent = [];', ['AGT029'], /export const agent/],
  ['export const agent = {', ['MOD001'], /./],
])('refuses %j', async (text, expected, hint) => {
  const { status, agent, codes, findings } = await load({ 'agent.mjs': text });
  expect({ status, agent, codes }).toEqual({ status: false, agent: null, codes: expected });
  expect(findings[0]?.hint ?? findings[0]?.message).toMatch(hint);
});

test('refuses invalid JSON, and paths without a file', async () => {
  expect((await load({ 'agent.json': '{' })).codes).toEqual(['AGT029']);
  expect((await loadAgent({ filePath: join(folder, 'nothing.mjs') })).findings.map(({ code }) => code)).toEqual([
    'FIL001',
  ]);
  expect((await loadAgent({ filePath: folder })).findings.map(({ code }) => code)).toEqual(['FIL003']);
  expect((await loadAgent({} as never)).findings.map(({ code }) => code)).toEqual(['ARG001']);
  expect((await loadAgent(undefined as never)).status).toBe(false);
});

test.each([
  ['../plan.mjs', 'AGT016'],
  ['skills/../../plan.mjs', 'AGT016'],
  ['/etc/plan.mjs', 'AGT016'],
  ['skills\\plan.mjs', 'AGT016'],
  ['plan.js', 'AGT016'],
  ['missing.mjs', 'AGT016'],
  ['wrong.mjs', 'AGT018'],
  ['empty.mjs', 'AGT018'],
  ['broken.mjs', 'MOD001'],
  ['late.mjs', 'SEC001'],
])('refuses the skill file %s', async (file, code) => {
  const loaded = await load({
    'agent.mjs': agentFile({ skills: { plan: { file } } }),
    '../plan.mjs': skill,
    'plan.js': skill,
    'wrong.mjs': 'export const content = "Look at the tides.";',
    'empty.mjs': '',
    'broken.mjs': 'export const skill = {',
    'late.mjs': `import fs from 'node:fs';\n${skill}`,
  });
  expect(loaded).toMatchObject({ status: false, agent: null, skills: {}, codes: [code] });
});

test('says which folder the path of a missing skill file is relative to', async () => {
  const { findings } = await load({ 'agent.mjs': agentFile({ skills: { plan: { file: 'missing.mjs' } } }) });
  expect(findings).toMatchObject([{ code: 'AGT016', hint: 'Check the path. Paths begin in the folder of the agent.' }]);
});

test('refuses a link that leads out of the folder, and follows one that does not', async () => {
  const own = join(folder, 'linked');
  await mkdir(own);
  await writeFile(join(folder, 'outside.mjs'), skill);
  await writeFile(join(own, 'inside.mjs'), skill);
  await symlink(join(folder, 'outside.mjs'), join(own, 'out.mjs'));
  await symlink(join(own, 'inside.mjs'), join(own, 'in.mjs'));
  await writeFile(join(own, 'agent.mjs'), agentFile({ skills: { a: { file: 'out.mjs' }, plan: { file: 'in.mjs' } } }));
  const { findings } = await loadAgent({ filePath: join(own, 'agent.mjs') });
  expect(findings.map(({ code, path }) => `${code} ${path}`)).toEqual(['AGT016 agent.skills.a']);
});

test.each([
  ['export const content = "High water.";', 'High water.'],
  [`export const prompt = { ${about}, content: "High water." };`, 'High water.'],
  [`export const prompt = { ${about}, contentFile: "./text/long.mjs" };`, 'Spring tide.'],
  [`export const prompt = { ${about} };\nexport const content = "High water.";`, 'High water.'],
])('reads the prompt file %s', async (text, content) => {
  const { status, messages, prompts } = await load({
    'agent.mjs': agentFile({ prompts: { tides: { file: 'prompts/tides.mjs' } } }),
    'prompts/tides.mjs': text,
    'prompts/text/long.mjs': 'export const content = "Spring tide.";',
  });
  expect({ status, messages, content: prompts.tides?.content }).toEqual({ status: true, messages: [], content });
});

test.each([
  ['export const content = "";', ['AGT017']],
  ['export const content = 4;', ['AGT017']],
  ['export const skill = { content: "High water." };', ['AGT017']],
  ['export const content = () => "High water.";', ['VAL006', 'AGT017']],
  ['export const prompt = { contentFile: "../../long.mjs" };', ['AGT016', 'AGT017']],
])('refuses the prompt file %s', async (text, expected) => {
  const {
    status,
    codes,
    findings,
    folder: own,
  } = await load({
    'agent.mjs': agentFile({ prompts: { tides: { file: 'prompts/tides.mjs' } } }),
    'prompts/tides.mjs': text,
  });
  expect({ status, codes }).toEqual({ status: false, codes: expected });
  expect(findings.at(-1)?.file).toBe(join(own, 'prompts/tides.mjs'));
});
