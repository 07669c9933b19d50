import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hashForms, SchemaKit } from '@schemakit/core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { AgentConfigError, AgentToolsServer } from '../index.ts';
import { createScriptedModel, type ScriptedTurn } from '../testing/index.ts';
import type { ManifestSettings } from './from-manifest.ts';

// An API that echoes its path, and a folder with a schema, shared lists and the texts of an agent.
let root = '';
let folder = '';
const api = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ path: request.url, key: request.headers['x-key'] }));
});

const param = (key: string, location: string, primitive = 'string()') => ({
  position: { key, value: '{{USER_PARAM}}', location },
  z: { primitive, options: [] },
});

const files = (): Record<string, string> => ({
  'tides.mjs': `export const main = ${JSON.stringify({
    namespace: 'tides',
    name: 'Tides',
    description: 'Tides.',
    version: '3.0.0',
    root,
    requiredServerParams: [],
    headers: {},
    tools: {
      getTides: { method: 'GET', path: '/tides/{{port}}', description: 'Gets.', parameters: [param('port', 'insert')] },
      listPorts: { method: 'GET', path: '/ports', description: 'Lists.', parameters: [] },
      removePort: {
        method: 'DELETE',
        path: '/ports/{{port}}',
        description: 'Removes.',
        parameters: [param('port', 'insert')],
      },
    },
    prompts: { about: { description: 'About tides.', contentFile: './about.mjs' } },
    resources: {
      manual: { source: 'markdown', origin: 'inline', name: 'manual.md', description: 'The manual of tides.' },
    },
  })};`,
  'about.mjs': "export const content = 'High water first: {{tool:getTides}}.';",
  'resources/manual.md': '# Tides\n\n## Springs\n\nAt new moon.\n',
  '_lists/ports.mjs': `export const list = {
    meta: { name: 'ports', version: '1.0.0', fields: [{ key: 'alias', type: 'string', description: 'Name.' }] },
    entries: [{ alias: 'dover' }, { alias: 'brest' }],
  };`,
  'agent/prompts/start.mjs':
    "export const content = 'Ask {{tool:tides/getTides}} before {{tool:callPilot}}, and read {{resource:tides/manual}}.';",
  'agent/skills/enter.mjs': `export const skill = {
    name: 'enter',
    version: 'schemakit-skill/1.0.0',
    description: 'Enter a harbour.',
    requires: { tools: ['tides/tool/getTides'] },
    input: [{ key: 'harbour', type: 'string', description: 'Where.', required: true }],
    content: 'Get the tides of {{input:harbour}} with {{tool:tides/tool/getTides}}.',
    output: 'An hour.',
  };`,
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schemakit-manifest-'));
  await once(api.listen(0, '127.0.0.1'), 'listening');
  root = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  for (const [name, text] of Object.entries(files())) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
});
afterAll(async () => {
  api.close();
  await rm(folder, { recursive: true, force: true });
});

const test = (input: string) => ({ _description: input, input, expectedTools: ['tides/tool/getTides'] });

const manifest = (parts: object = {}) => ({
  name: 'tide-guide',
  version: 'schemakit/3.0.0',
  description: 'Answers questions about tides.',
  model: 'anthropic/claude-sonnet-5',
  systemPrompt: 'You guide sailors.',
  tools: { 'tides/tool/getTides': null },
  tests: [test('One?'), test('Two?'), test('Three?')],
  ...parts,
});

const callPilot = () => ({
  root,
  method: 'GET',
  path: '/pilot/{{port}}',
  description: 'Calls a pilot.',
  headers: { 'X-Key': '{{PILOT_KEY}}' },
  parameters: [param('port', 'insert', 'enum({{ports:alias}})')],
});

const done: ScriptedTurn = { calls: [{ name: 'submit_answer', args: { text: 'Done.' } }] };
const call = (name: string, args: object = {}): ScriptedTurn => ({ calls: [{ name, args }] });

/** Writes a manifest and serves it with the schema of tides. */
async function serve(parts: object, turns: ScriptedTurn[] = [done], settings: Partial<ManifestSettings> = {}) {
  const model = await createScriptedModel({ turns });
  const file = join(folder, 'agent', `${Math.random()}.mjs`);
  await writeFile(file, `export const agent = ${JSON.stringify(manifest(parts))};`);
  const tides = await SchemaKit.loadSchema({ filePath: join(folder, 'tides.mjs') });
  expect(tides.status).toBe(true);
  const { mcp, findings } = await AgentToolsServer.fromManifest({
    ...(settings.manifest === undefined && { file }),
    llm: { baseURL: model.url, apiKey: 'key' },
    schemas: [tides],
    ...settings,
    agent: { answerSchema: { type: 'object' }, ...settings.agent },
  });
  onTestFinished(async () => {
    await mcp.close();
    await model.close();
  });
  const run = async (args: Record<string, unknown> = { query: 'When?' }) => {
    const result = await mcp.callTool({ name: 'tide-guide', arguments: args });
    const [first] = model.requests;
    return {
      result,
      system: first?.system ?? '',
      offered: first?.tools.map(({ name }) => name) ?? [],
      results: model.requests.flatMap(({ messages }) => messages.flatMap((message) => message.results)),
    };
  };
  return { mcp, model, findings, run };
}

async function faultsOf(opening: Promise<unknown>) {
  const error = await opening.catch((reason: unknown) => reason);
  if (!(error instanceof AgentConfigError)) throw new Error('It was accepted', { cause: error });
  return error.findings;
}

const builtIn = ['ask_user', 'read_answer', 'submit_answer'];

describe('the tools of an agent', () => {
  it('are those that the manifest names', async () => {
    const { mcp, findings, run } = await serve({}, [call('tides__getTides', { port: 'dover' }), done]);
    expect(findings).toEqual([]);
    expect(mcp.listToolDefinitions().tools).toEqual([
      {
        name: 'tide-guide',
        description: 'Answers questions about tides.',
        inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
        execution: { taskSupport: 'optional' },
      },
    ]);
    const { result, offered, results } = await run();
    expect(offered).toEqual(['tides__getTides', ...builtIn]);
    expect(results[0]?.text).toContain('"path":"/tides/dover"');
    expect(result.isError).toBeUndefined();
  });

  it('and its own, with secrets and shared lists', async () => {
    const parts = {
      tools: { callPilot: callPilot() },
      requiredServerParams: ['PILOT_KEY'],
      sharedLists: ['ports'],
      tests: ['a', 'b', 'c'].map((input) => ({ ...test(input), expectedTools: ['callPilot'] })),
    };
    const turns = [call('tideguide__callPilot', { port: 'dover' }), call('tideguide__callPilot', { port: 'x' }), done];
    const { run, model } = await serve(parts, turns, { serverParams: { PILOT_KEY: 's3cret-of-pilots' } });
    const { offered, results } = await run();
    expect(offered).toEqual(['tideguide__callPilot', ...builtIn]);
    expect(results[0]?.text).toContain('"path":"/pilot/dover"');
    expect(results.at(-1)?.text).toContain('expected one of "dover", "brest"');
    expect(JSON.stringify(model.requests)).not.toContain('s3cret-of-pilots');
  });

  it('find shared lists in the folder that the program names', async () => {
    const bare = manifest({
      tools: { callPilot: callPilot() },
      requiredServerParams: ['PILOT_KEY'],
      sharedLists: ['ports'],
    });
    const { run } = await serve({}, [done], { manifest: bare, listsDir: join(folder, '_lists') });
    expect((await run()).offered).toContain('tideguide__callPilot');
  });

  it('include resources, its own and those of schemas, by both forms of ids', async () => {
    const own = { source: 'markdown', origin: 'inline', name: 'log.md', description: 'The log.' };
    await mkdir(join(folder, 'agent/resources'), { recursive: true });
    await writeFile(join(folder, 'agent/resources/log.md'), '# Log\n\nCalm.\n');
    for (const id of ['tides/resource/manual', 'tides/manual']) {
      const turns = [call('tides__manual'), call('tideguide__log'), done];
      const { run } = await serve({ resources: { [id]: null, log: own } }, turns);
      const { offered, results } = await run();
      expect(offered.slice().sort()).toEqual(['tideguide__log', 'tides__getTides', 'tides__manual', ...builtIn].sort());
      expect(results[0]?.text).toContain('At new moon.');
      expect(results.at(-1)?.text).toContain('Calm.');
    }
  });

  it('that may destroy something are left out with AGS006, unless the program allows them', async () => {
    const parts = { tools: { 'tides/tool/getTides': null, 'tides/tool/removePort': null } };
    const careful = await serve(parts);
    expect(careful.findings).toEqual([
      {
        file: expect.stringMatching(/\.mjs$/),
        code: 'AGS006',
        severity: 'warning',
        path: 'agent.tools.tides/tool/removePort',
        message: 'tides__removePort is left out, because it may destroy something',
        hint: 'To allow it: agent: { allowDestructive: true }.',
      },
    ]);
    expect((await careful.run()).offered).not.toContain('tides__removePort');
    const bold = await serve(parts, [done], { agent: { allowDestructive: true } });
    expect(bold.findings).toEqual([]);
    expect((await bold.run()).offered).toContain('tides__removePort');
  });

  it('that no schema has are AGS005, all at once', async () => {
    const parts = {
      tools: { 'tides/tool/getTide': null },
      prompts: { 'tides/prompt/abut': null },
      resources: { 'tides/resource/manul': null },
    };
    const findings = await faultsOf(serve(parts));
    expect(findings.map(({ code, path, hint }) => [code, path, hint])).toEqual([
      ['AGS005', 'agent.tools.tides/tool/getTide', expect.stringContaining('Did you mean tides')],
      ['AGS005', 'agent.resources.tides/resource/manul', 'Pass the schema that has it in schemas.'],
      ['AGS005', 'agent.prompts.tides/prompt/abut', 'Pass the schema that has it in schemas.'],
    ]);
  });
});

describe('a tool that the manifest names', () => {
  it('and no schema has anything like it: the hint says where schemas go', async () => {
    const [finding] = await faultsOf(serve({}, [], { schemas: [] }));
    expect(finding?.hint).toBe('Pass the schema that has it in schemas.');
  });

  it('and two schemas have is AGS005 too', async () => {
    const files = ['tides.mjs', 'copy/tides.mjs'].map((name) => join(folder, name));
    const [file = '', copy = ''] = files;
    await mkdir(dirname(copy), { recursive: true });
    for (const part of ['about.mjs', 'resources'])
      await cp(join(folder, part), join(folder, 'copy', part), { recursive: true });
    await cp(file, copy);
    const schemas = await Promise.all(files.map((filePath) => SchemaKit.loadSchema({ filePath })));
    const [finding] = await faultsOf(serve({}, [], { schemas }));
    expect(finding).toMatchObject({
      code: 'AGS005',
      message: 'agent.tools names tides/tool/getTides, which several schemas have',
      hint: 'Pass only one of them in schemas.',
    });
  });
});

describe('the texts of an agent', () => {
  it('are in the system prompt, with the names by which the model calls tools', async () => {
    const { run } = await serve({
      tools: { 'tides/tool/getTides': null, callPilot: callPilot() },
      requiredServerParams: ['PILOT_KEY'],
      sharedLists: ['ports'],
      resources: { 'tides/resource/manual': null },
      prompts: { start: { file: './prompts/start.mjs' }, 'tides/prompt/about': null },
    });
    const { system } = await run();
    expect(system).toMatch(/^You guide sailors\./);
    expect(system).toContain('## start\nAsk tides__getTides before tideguide__callPilot, and read tides__manual.');
    expect(system).toContain('## tides/prompt/about\nHigh water first: tides__getTides.');
    expect(system.indexOf('You guide')).toBeLessThan(system.indexOf('# How the tools work'));
  });

  it('take external prompts by the short form of ids too', async () => {
    const { run } = await serve({ prompts: { 'tides/about': null } });
    expect((await run()).system).toContain('## tides/about\nHigh water first: tides__getTides.');
  });

  it('offer skills by name, which the model reads when it needs them', async () => {
    const turns = [call('read_skill', { name: 'enter' }), call('read_skill', { name: 'leave' }), done];
    const { run } = await serve({ skills: { enter: { file: './skills/enter.mjs' } } }, turns);
    const { system, offered, results } = await run();
    expect(system).toContain('- enter: Enter a harbour.');
    expect(system).not.toContain('Get the tides of');
    expect(offered).toContain('read_skill');
    expect(results[0]?.text).toContain('Get the tides of <harbour> with tides__getTides.');
    expect(results.at(-1)).toMatchObject({ isError: true, text: expect.stringContaining('enter') });
  });
});

describe('the rest of a manifest', () => {
  it('is its limits, its input schema and its model, in whose place a program may put others', async () => {
    const inputSchema = { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] };
    const parts = { maxRounds: 1, maxTokens: 77, inputSchema };
    const { run, model, mcp } = await serve(parts);
    expect(mcp.listToolDefinitions().tools[0]?.inputSchema).toEqual(inputSchema);
    expect((await run({ query: 'When?' })).result.isError).toBe(true);
    const { result } = await run({ port: 'dover' });
    expect(result._meta?.['schemakit/run']).toMatchObject({ rounds: 1, degraded: 'forced' });
    expect(model.requests[0]).toMatchObject({ model: 'anthropic/claude-sonnet-5', body: { max_tokens: 77 } });
    const given = await serve(parts, [done], { agent: { model: 'lab/other', maxTokens: 88, maxRounds: 5 } });
    expect((await given.run({ port: 'dover' })).result._meta?.['schemakit/run']).not.toHaveProperty('degraded');
    expect(given.model.requests[0]).toMatchObject({ model: 'lab/other', body: { max_tokens: 88 } });
  });

  it('may be an object in place of a file', async () => {
    const { run, mcp } = await serve({}, [done], { manifest: manifest() });
    expect(mcp.listToolDefinitions().tools[0]?.name).toBe('tide-guide');
    expect((await run()).offered).toContain('tides__getTides');
  });

  it('has a hash, in one of two forms, which is compared', async () => {
    const { main } = await SchemaKit.loadSchema({ filePath: join(folder, 'tides.mjs') });
    const tool = hashForms({ tool: { main, name: 'getTides' } });
    for (const form of ['canonical', 'plain'] as const) {
      const tools = [{ id: 'tides/tool/getTides', hash: tool[form] ?? '' }];
      const hash = hashForms({ agent: { tools } })[form];
      expect((await serve({ hash })).findings).toEqual([]);
    }
    const { findings, run } = await serve({ hash: `sha256:${'0'.repeat(64)}` });
    expect(findings).toMatchObject([{ severity: 'warning', path: 'agent.hash' }]);
    expect((await run()).result.isError).toBeUndefined();
  });

  it('that is wrong is told with the codes of loadAgent', async () => {
    const findings = await faultsOf(serve({ systemPrompt: undefined, tools: {} }));
    expect(findings.map(({ code }) => code)).toContain('AGT006');
  });
});

describe('the settings beside it', () => {
  it('are checked as those of create', async () => {
    const schemas = [await SchemaKit.loadSchema({ filePath: join(folder, 'none.mjs') })];
    const findings = await faultsOf(
      serve({}, [], { schemas, events: true, execution: { taskSupport: 'never' as never } }),
    );
    expect([...new Set(findings.map(({ code, path }) => `${code} ${path}`))]).toEqual([
      'AGS001 events',
      'AGS001 execution.taskSupport',
      'AGS004 schemas[0]',
    ]);
  });
});

it('a limit of cost needs the prices of the model that the manifest names', async () => {
  const agent = { maxCost: 1 };
  expect(await faultsOf(serve({}, [], { agent }))).toMatchObject([{ code: 'AGS001', path: 'agent.maxCost' }]);
  const prices = { 'anthropic/claude-sonnet-5': { input: 3, output: 15 } };
  const { run } = await serve({}, [done], { agent, prices });
  expect((await run()).result._meta?.['schemakit/run']).toMatchObject({ cost: 0.0006 });
});

it('what a manifest itself says about tokens and input is checked like a setting', async () => {
  const inputSchema = { type: 'object', properties: { query: { type: 'strng' } } };
  const faults = await faultsOf(serve({ maxTokens: 200_000, inputSchema }));
  expect(faults.map(({ code, path }) => `${code} ${path}`)).toEqual([
    'AGS001 agent.maxTokens',
    'AGS001 agent.inputSchema.properties.query.type',
  ]);
});

describe('fromManifests', () => {
  const llm = { baseURL: 'http://127.0.0.1:1', apiKey: 'key' };
  const inline = () => ({ tools: { ping: { root, method: 'GET', path: '/', description: 'Pings.', parameters: [] } } });

  it('serves several agents, each with its own settings', async () => {
    const model = await createScriptedModel({ respond: () => done });
    const { mcp } = await AgentToolsServer.fromManifests({
      name: 'harbour',
      version: '2.0.0',
      llm: { baseURL: model.url, apiKey: 'key' },
      agents: ['one', 'two'].map((name) => ({
        manifest: manifest({ name, ...inline() }),
        agent: { model: `lab/${name}`, answerSchema: { type: 'object' } },
      })),
    });
    const results = await Promise.all(['one', 'two'].map((name) => mcp.callTool({ name, arguments: { query: '?' } })));
    expect(results.map(({ isError }) => isError)).toEqual([undefined, undefined]);
    expect(model.requests.map((request) => request.model).sort()).toEqual(['lab/one', 'lab/two']);
    await mcp.close();
    await model.close();
  });

  it('refuses agents of one name, and settings that are missing', async () => {
    const agents = [{ manifest: manifest(inline()) }, { manifest: manifest(inline()) }];
    const twice = await faultsOf(AgentToolsServer.fromManifests({ name: 'x', version: '1.0.0', llm, agents }));
    expect(twice).toMatchObject([{ code: 'AGS003', path: 'agents[1].name' }]);
    const none = await faultsOf(AgentToolsServer.fromManifests({ llm } as never));
    expect(none.map(({ path }) => path)).toEqual(['name', 'version', 'agents']);
  });
});
