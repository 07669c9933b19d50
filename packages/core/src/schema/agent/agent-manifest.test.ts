import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../finding.ts';
import { agentCodes } from '../finding-codes.ts';
import { parseAgentManifest } from './agent-manifest.ts';

const inlineTool = {
  root: 'https://trips.example.com/v1',
  method: 'GET',
  path: '/plan',
  description: 'Plan a trip',
  parameters: [],
  output: { mimeType: 'application/json', schema: { type: 'object' } },
  tests: [{ _description: 'a' }, { _description: 'b' }, { _description: 'c' }],
};

const test = (input: string) => ({
  _description: `Asks ${input}`,
  input,
  expectedTools: ['tides/tool/getTides'],
  expectedContent: ['high'],
});

const valid = {
  name: 'trip-planner',
  version: 'schemakit/3.0.0',
  description: 'Plans trips by boat',
  model: 'anthropic/claude-sonnet-4',
  systemPrompt: 'You plan trips.',
  tools: { 'tides/tool/getTides': null, plan: inlineTool },
  prompts: { about: { file: './prompts/about.mjs' }, 'tides/prompt/about': null },
  skills: { 'plan-trip': { file: './skills/plan-trip.mjs' } },
  resources: { own: { source: 'markdown', description: 'Notes', name: 'notes.md' }, 'tides/resource/harbours': null },
  tests: [test('one'), test('two'), { ...test('three'), expectedTools: ['plan', 'tides/getTides'] }],
  sharedLists: ['harbours'],
};

function read(value: unknown) {
  const findings: Finding[] = [];
  const agent = parseAgentManifest(value, (finding) => findings.push(finding));
  return { agent, findings, said: findings.map(({ code, severity, path }) => `${code} ${severity} ${path}`) };
}

describe('parseAgentManifest', () => {
  it('reads a manifest and adds defaults', () => {
    const { agent, findings } = read(valid);
    expect(findings).toEqual([]);
    expect(agent).toEqual({ ...valid, requiredServerParams: [], maxRounds: 10, maxTokens: 4096 });
  });

  it("keeps the author's values", () => {
    const chosen = {
      maxRounds: 3,
      maxTokens: 100,
      inputSchema: { type: 'object', properties: {} },
      hash: `sha256:${'a'.repeat(64)}`,
    };
    expect(read({ ...valid, ...chosen })).toMatchObject({ agent: chosen, findings: [] });
  });

  it('accepts missing optional fields', () => {
    const { prompts, skills, resources, sharedLists, ...rest } = valid;
    expect(read(rest)).toMatchObject({
      findings: [],
      agent: { prompts: {}, skills: {}, resources: {}, sharedLists: [] },
    });
  });

  it('reads the version and the array of tools of older manifests', () => {
    const { agent, said } = read({
      ...valid,
      version: 'flowmcp/3.0.0',
      tools: ['tides/tool/getTides', 'ferries/tool/list'],
    });
    expect(agent?.tools).toEqual({ 'tides/tool/getTides': null, 'ferries/tool/list': null });
    expect(said).toEqual(['AGT006 warning agent.tools', 'AGT011 error agent.tests[2].expectedTools[0]']);
  });

  it('reads the arrays of parts of older manifests', () => {
    const skills = [{ name: 'plan-trip', file: './plan.mjs', description: 'How to plan' }];
    const { agent, said } = read({ ...valid, skills, prompts: ['tides/prompt/about'], resources: [] });
    expect(agent).toMatchObject({
      skills: { 'plan-trip': { file: './plan.mjs' } },
      prompts: { 'tides/prompt/about': null },
      resources: {},
    });
    expect(said).toEqual([
      'AGT013 warning agent.prompts',
      'AGT014 warning agent.skills',
      'AGT015 warning agent.resources',
    ]);
  });

  it.each<[Record<string, unknown>, string[]]>([
    [{ name: 'Trip Planner' }, ['AGT001 error agent.name']],
    [{ name: undefined }, ['AGT001 error agent.name']],
    [{ description: ' ' }, ['AGT002 error agent.description']],
    [{ model: 'claude' }, ['AGT003 error agent.model']],
    [{ model: undefined }, ['AGT003 error agent.model']],
    [{ version: '3.0.0' }, ['AGT004 error agent.version']],
    [{ version: 'schemakit/2.0.0' }, ['AGT004 error agent.version']],
    [{ version: undefined }, ['AGT004 error agent.version']],
    [{ version: 'other/3.0.0' }, ['AGT004 warning agent.version']],
    [{ systemPrompt: 3 }, ['AGT005 error agent.systemPrompt']],
    [{ prompts: ['about'] }, ['AGT013 error agent.prompts']],
    [{ prompts: { about: './about.mjs' } }, ['AGT013 error agent.prompts.about']],
    [{ prompts: { 'tides/prompt/about': { file: 'a.mjs' } } }, ['AGT020 error agent.prompts["tides/prompt/about"]']],
    [{ prompts: { 'tides/tool/about': null } }, ['AGT007 error agent.prompts["tides/tool/about"]']],
    [{ skills: [4] }, ['AGT014 error agent.skills']],
    [{ skills: { plan: {} } }, ['AGT014 error agent.skills.plan']],
    [{ skills: { 'tides/skill/plan': null } }, ['AGT014 error agent.skills["tides/skill/plan"]']],
    [{ resources: 'none' }, ['AGT015 error agent.resources']],
    [{ resources: { own: null } }, ['AGT015 error agent.resources.own']],
    [{ resources: { 'tides/resource/a': {} } }, ['AGT020 error agent.resources["tides/resource/a"]']],
    [{ resources: { own: { source: 'markdown', description: 'Trips' } } }, ['RES005 error agent.resources.own']],
    [{ resources: { own: { source: 'excel', description: 'Trips' } } }, ['RES001 error agent.resources.own.source']],
    [{ requiredServerParams: 'KEY' }, ['AGT031 error agent.requiredServerParams']],
    [{ tests: [test('one'), test('two')] }, ['AGT008 error agent.tests']],
    [{ tests: 'many' }, ['AGT008 error agent.tests']],
    [{ sharedLists: 'harbours' }, ['AGT024 warning agent.sharedLists']],
    [{ sharedLists: [{ ref: 'harbours' }] }, ['AGT024 warning agent.sharedLists[0]']],
    [{ maxRounds: 0 }, ['AGT025 warning agent.maxRounds']],
    [{ maxTokens: '100' }, ['AGT025 warning agent.maxTokens']],
    [{ inputSchema: { type: 'string' } }, ['AGT026 warning agent.inputSchema']],
    [{ hash: 'abc' }, ['AGT027 warning agent.hash']],
    [{ systemPromt: 'You' }, ['VAL003 warning agent.systemPromt']],
  ])('finds what is wrong with %j', (change, expected) => expect(read({ ...valid, ...change }).said).toEqual(expected));

  it.each<[unknown, string[]]>([
    [undefined, ['AGT006 error agent.tools']],
    [{}, ['AGT006 error agent.tools']],
    [[], ['AGT006 error agent.tools']],
    [['tides/tool/getTides', 4], ['AGT006 error agent.tools']],
    [{ 'Tides/tool/x': null }, ['AGT007 error agent.tools["Tides/tool/x"]']],
    [{ 'tides/tols/x': null }, ['AGT007 error agent.tools["tides/tols/x"]']],
    [{ 'tides/prompt/x': null }, ['AGT007 error agent.tools["tides/prompt/x"]']],
    [{ 'demo/ping.mjs': null }, ['AGT007 error agent.tools["demo/ping.mjs"]']],
    [{ 'tides/getTides': null }, ['ID005 warning agent.tools["tides/getTides"]']],
    [{ 'tides/tool/getTides': inlineTool }, ['AGT020 error agent.tools["tides/tool/getTides"]']],
    [{ plan: null }, ['AGT019 error agent.tools.plan']],
    [{ plan: { ...inlineTool, method: undefined } }, ['AGT019 error agent.tools.plan']],
    [{ plan: { ...inlineTool, method: 'FETCH' } }, ['VAL032 error agent.tools.plan.method']],
    [{ plan: { ...inlineTool, parameters: [{}] } }, ['VAL040 error agent.tools.plan.parameters[0]']],
    [{ plan: { ...inlineTool, root: undefined } }, ['AGT030 warning agent.tools.plan']],
    [{ plan: { ...inlineTool, root: 'trips.example.com' } }, ['VAL019 error agent.tools.plan.root']],
    [{ plan: { ...inlineTool, root: 'https://trips.example.com/{{KEY}}' } }, ['VAL027 error agent.tools.plan.root']],
    [{ plan: { ...inlineTool, headers: { 'X-Key': '{{KEY}}' } } }, ['VAL027 error agent.tools.plan.headers["X-Key"]']],
    [{ plan: { ...inlineTool, root: undefined, path: 'https://trips.example.com/plan' } }, []],
    [
      { plan: { ...inlineTool, root: undefined, path: 'http://trips.example.com' } },
      ['VAL019 warning agent.tools.plan.path'],
    ],
    [{ 'plan trip': inlineTool }, ['VAL030 warning agent.tools["plan trip"]']],
    [{ plan: { ...inlineTool, path: '/plan?key={{SERVER_PARAM:KEY}}' } }, ['VAL027 error agent.tools.plan.path']],
  ])('finds what is wrong with the tools %j', (tools, expected) => {
    const { said } = read({ ...valid, tools });
    expect(said.filter((line) => !line.includes('agent.tests'))).toEqual(expected);
  });

  it('accepts the secrets that inline tools declare', () => {
    const tools = { ...valid.tools, plan: { ...inlineTool, path: '/plan?key={{SERVER_PARAM:KEY}}' } };
    expect(read({ ...valid, tools, requiredServerParams: ['KEY'] }).said).toEqual([]);
  });

  it.each<[Record<string, unknown>, string[]]>([
    [{ input: '' }, ['AGT009 error agent.tests[0].input']],
    [{ input: 'TWO ' }, ['AGT012 warning agent.tests[1].input']],
    [{ expectedTools: [] }, ['AGT010 error agent.tests[0].expectedTools']],
    [{ expectedTools: 'tides/tool/getTides' }, ['AGT010 error agent.tests[0].expectedTools']],
    [{ expectedTools: ['getTides'] }, ['AGT011 error agent.tests[0].expectedTools[0]']],
    [{ expectedTools: ['tides/tool/other'] }, ['AGT021 warning agent.tests[0].expectedTools[0]']],
    [{ expectedContent: undefined }, []],
    [
      {
        expectedContent: [
          { field: 'a.b', contains: 'x' },
          { field: 'a', equals: null },
          { field: 'a', type: 'number' },
        ],
      },
      [],
    ],
    [{ expectedContent: 'high' }, ['AGT022 warning agent.tests[0].expectedContent']],
    [
      { expectedContent: ['high', { field: 'a' }, ''] },
      ['AGT022 warning agent.tests[0].expectedContent[1]', 'AGT022 warning agent.tests[0].expectedContent[2]'],
    ],
    [{ _description: undefined }, ['AGT023 warning agent.tests[0]']],
  ])('finds what is wrong with a test that has %j', (change, expected) => {
    const [first, ...others] = valid.tests;
    expect(read({ ...valid, tests: [{ ...first, ...change }, ...others] }).said).toEqual(expected);
  });

  it('names the manifest in findings of schema rules', () => {
    const { findings } = read({
      ...valid,
      tools: { plan: { ...inlineTool, root: 'https://a.example/{{KEY}}', path: '/{{SERVER_PARAM:KEY}}' } },
    });
    expect(findings.filter(({ code }) => code === 'VAL027')).toMatchObject([
      {
        message: 'serverParams not declared: agent.tools.plan.root uses {{KEY}}',
        hint: 'Add "KEY" to agent.requiredServerParams.',
      },
      { message: expect.stringContaining('(agent.tools.plan)'), hint: 'Add "KEY" to agent.requiredServerParams.' },
    ]);
  });

  it('refuses values that are not objects', () => {
    for (const value of [undefined, null, [], 'agent']) {
      expect(read(value)).toMatchObject({ agent: undefined, said: ['AGT029 error agent'] });
    }
  });

  it('each finding about a part has its path', () => {
    const { findings } = read({ ...valid, tools: { a: null, b: null }, prompts: { c: 1, d: 2 } });
    expect(new Set(findings.map(({ message }) => message)).size).toBe(findings.length);
  });

  it('never throws, and has the severities of the table or milder ones', () => {
    const anything = fc.anything({ withNullPrototype: true, withMap: true, withSparseArray: true });
    const fields = Object.fromEntries(
      Object.entries(valid).map(([key, value]) => [key, fc.oneof(anything, fc.constant(value))]),
    );
    fc.assert(
      fc.property(fc.oneof(anything, fc.record(fields, { requiredKeys: [] })), (value) => {
        for (const { code, severity } of read(value).findings) {
          const [standard] = agentCodes[code as keyof typeof agentCodes] ?? [];
          expect(standard === undefined || standard === severity || severity === 'warning').toBe(true);
        }
      }),
    );
  });
});
