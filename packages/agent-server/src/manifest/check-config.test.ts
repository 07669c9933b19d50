import { describe, expect, it } from 'vitest';
import { AgentConfigError, type AgentServerConfig, AgentToolsServer } from '../index.ts';

const llm = { baseURL: 'http://127.0.0.1:1', apiKey: 'key' };
const tool = {
  name: 'ask',
  description: 'Asks.',
  inputSchema: { type: 'object' },
  agent: { systemPrompt: 'You are.', model: 'a/b' },
  toolSources: [],
};

function faults(config: unknown): AgentConfigError {
  try {
    AgentToolsServer.create(config as AgentServerConfig);
  } catch (error) {
    if (error instanceof AgentConfigError) return error;
  }
  throw new Error('it was accepted');
}

describe('a configuration', () => {
  it('is told all of its faults at once, with codes and places', () => {
    const error = faults({
      name: '',
      llm: { baseURL: 'ftp://x', api: 'soap' },
      routPath: '/mcp',
      routePath: 'mcp',
      events: true,
      tools: [
        tool,
        {
          ...tool,
          inputSchema: { type: 'array' },
          agent: { systemPrompt: 'x', model: 'a/b', maxRounds: 0, maxtokens: 5 },
          toolSources: [{ type: 'soap' }, { type: 'mcp' }, { type: 'flowmcp', schemas: [{ nothing: true }] }],
          execution: { taskSupport: 'never' },
        },
        { ...tool, name: 'has.dots' },
      ],
    });
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toMatch(/^AgentToolsServer.create: /);
    expect([...new Set(error.findings.map(({ code, path }) => `${code} ${path}`))]).toEqual([
      'AGS002 routPath',
      'AGS001 name',
      'AGS001 version',
      'AGS001 routePath',
      'AGS001 events',
      'AGS001 llm.baseURL',
      'AGS001 llm.apiKey',
      'AGS001 llm.api',
      'AGS001 tools[1].inputSchema',
      'AGS002 tools[1].agent.maxtokens',
      'AGS001 tools[1].agent.maxRounds',
      'AGS001 tools[1].execution.taskSupport',
      'AGS001 tools[1].toolSources[0].type',
      'AGS001 tools[1].toolSources[1]',
      'AGS004 tools[1].toolSources[2].schemas[0]',
      'AGS001 tools[2].name',
      'AGS003 tools[1].name',
    ]);
    const hints = new Map(error.findings.map(({ path, hint }) => [path, hint]));
    expect(hints.get('routPath')).toBe('Did you mean routePath?');
    expect(hints.get('tools[1].execution.taskSupport')).toContain('Leave execution out');
    expect(error.findings.every(({ severity, message }) => severity === 'error' && message !== '')).toBe(true);
  });

  it.each([[undefined], [null], ['text'], [[]]])('%j is an error too', (config) => {
    expect(faults(config).findings.length).toBeGreaterThan(0);
  });

  it.each([
    ['no prices', undefined],
    ['prices of other models', { 'a/c': { input: 1, output: 2 } }],
  ])('with a limit of cost and %s is refused, because it would never be reached', (_, prices) => {
    const limited = { ...tool, agent: { ...tool.agent, maxCost: 1 } };
    const config = { name: 'x', version: '1.0.0', llm, tools: [limited], ...(prices && { prices }) };
    expect(faults(config).findings).toMatchObject([{ code: 'AGS001', path: 'tools[0].agent.maxCost' }]);
    const priced = { ...config, prices: { 'a/b': { input: 1, output: 2 } } };
    expect(() => AgentToolsServer.create(priced as AgentServerConfig)).not.toThrow();
    const reported = { ...config, llm: { ...llm, baseURL: 'https://openrouter.ai/api' } };
    expect(() => AgentToolsServer.create(reported as AgentServerConfig)).not.toThrow();
    const model = { doGenerate: () => {}, provider: 'lab.chat' };
    expect(faults({ ...config, llm: { model } }).findings).toMatchObject([{ path: 'tools[0].agent.maxCost' }]);
    const router = { ...config, llm: { model: { ...model, provider: 'openrouter.chat' } } } as never;
    expect(() => AgentToolsServer.create(router)).not.toThrow();
    const text = { ...config, prices: { 'a/b': { input: '1', output: 2 } } };
    expect(faults(text).findings).toMatchObject([{ code: 'AGS001', path: 'prices' }]);
  });

  it('with schemas that are no valid JSON Schemas is refused, with the places', () => {
    const invalid = {
      type: 'object',
      properties: { a: { type: 'strng' }, b: { $ref: '#/$defs/nothing' }, c: 'string' },
      required: 'a',
      anyOf: [{ items: { enum: 1 } }],
    };
    const faulty = {
      ...tool,
      inputSchema: invalid,
      agent: { ...tool.agent, answerSchema: invalid },
      toolSources: [
        { type: 'tools', tools: [{ name: 'x', description: 'X.', inputSchema: invalid, execute: () => 1 }] },
      ],
    };
    const parts = ['.properties.a.type', '.properties.b.$ref', '.properties.c', '.required', '.anyOf[0].items.enum'];
    const { findings } = faults({ name: 'x', version: '1.0.0', llm, tools: [faulty] });
    expect(findings.map(({ code, path }) => `${code} ${path}`).sort()).toEqual(
      ['inputSchema', 'agent.answerSchema', 'toolSources[0].tools[0].inputSchema']
        .flatMap((place) => parts.map((part) => `AGS001 tools[0].${place}${part}`))
        .sort(),
    );
    expect(findings[0]?.message).toBe(
      'tools[0].inputSchema.properties.a.type must be array, boolean, integer, null, number, object or string, or an array of them',
    );
  });

  it('with schemas of any dialect is accepted', () => {
    const inputSchema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      definitions: { name: { type: ['string', 'null'], format: 'a-name' } },
      properties: {
        type: { $ref: '#/definitions/name' },
        required: { type: 'array', items: [{ type: 'string' }], additionalItems: false },
        other: { $ref: 'https://schemas.example.com/other' },
        whole: { $ref: '#' },
        enum: true,
        ours: { 'x-order': 1, default: { type: 'no schema' }, constructor: 1, required: undefined },
      },
    };
    const config = { name: 'x', version: '1.0.0', llm, tools: [{ ...tool, inputSchema }] };
    expect(() => AgentToolsServer.create(config)).not.toThrow();
  });

  it('that would fail only when it is used is refused', () => {
    const secret = 'a-secret';
    const error = faults({
      name: 'x',
      version: '1.0.0',
      llm: { baseURL: `https://me:${secret}@llm.example.com`, apiKey: `${secret}\n` },
      routePath: '/sse',
      tasks: {},
      auth: {},
      allowedHosts: [''],
      tools: [
        {
          ...tool,
          agent: { ...tool.agent, maxTokens: 30_000 },
          toolSources: [
            { type: 'mcp', url: `https://${secret}@tools.example.com/mcp`, headers: { 'X-Key': `${secret}\n` } },
          ],
        },
        { ...tool, name: 'other', agent: { ...tool.agent, contextTokens: 5_000 } },
      ],
    });
    expect(error.findings.map(({ path, hint }) => [path, hint])).toEqual([
      ['tasks', undefined],
      ['routePath', undefined],
      ['auth', undefined],
      ['allowedHosts', undefined],
      ['llm.baseURL', 'The key belongs in apiKey.'],
      ['llm.apiKey', 'Such as value.trim().'],
      ['tools[0].toolSources[0].url', 'They belong in headers: { Authorization: … }.'],
      ['tools[0].toolSources[0].headers.X-Key', 'Such as value.trim().'],
      ['tools[0].agent.maxTokens', 'Lower it, or set contextTokens to what the model can read.'],
      ['tools[1].agent.maxTokens', 'Lower it, or set contextTokens to what the model can read.'],
    ]);
    expect(error.findings.at(-2)?.message).toBe(
      'tools[0].agent.maxTokens must be less than 80% of contextTokens (32000), and is 30000',
    );
    expect(JSON.stringify(error.findings) + error.message).not.toContain(secret);
  });

  it('names what is wrong with the place and the keys of tasks, without quoting them', () => {
    const key = 'ab'.repeat(31);
    const findings = ['sqlite:', 'redis://me:a-secret@', 'runs.db'].map(
      (tasks) => faults({ name: 'x', version: '1.0.0', llm, tools: [tool], tasks, taskKeys: `k1:${key}` }).findings,
    );
    expect(findings.map((found) => found.map(({ message }) => message))).toEqual(
      ['names no file', 'names no server', 'is not a URL'].map((problem) => [
        `tasks ${problem}; it must be 'memory:', 'sqlite:<file>', 'redis://<host>' or 'postgres://<host>/<database>'`,
        'taskKeys: key 1 is not one: expected <id>:<64 hexadecimal digits>, several with commas between them',
      ]),
    );
    expect(JSON.stringify(findings)).not.toMatch(/a-secret|abab/);
  });

  it('has no grace that a timer cannot wait', () => {
    const settings = { name: 'x', version: '1.0.0', llm, tools: [tool] };
    expect(AgentToolsServer.create({ ...settings, graceMs: 86_400_000 })).toBeDefined();
    expect(faults({ ...settings, graceMs: 99_999_999_999 }).findings).toEqual([
      {
        code: 'AGS001',
        severity: 'error',
        path: 'graceMs',
        message: 'graceMs must be milliseconds from 0 to 86400000',
      },
    ]);
  });

  it('is told of what no request could use', () => {
    const circle: Record<string, unknown> = { type: 'object' };
    circle.properties = { inner: circle };
    const answerSchema = { type: 'objekt', properties: { a: { type: 'strin' }, b: { type: 'string', pattern: '(' } } };
    const { findings, message } = faults({
      name: 'x',
      version: '1.0.0',
      llm: { baseURL: 'https://llm.example.com/?key=1', apiKey: undefined },
      routePath: '/a/../b',
      tasks: { store: {} },
      tools: [{ ...tool, inputSchema: circle, agent: { ...tool.agent, answerSchema } }],
    });
    expect(findings.map(({ path }) => path).sort()).toEqual([
      'llm.apiKey',
      'llm.baseURL',
      'routePath',
      'tasks',
      'tools[0].agent.answerSchema',
      'tools[0].agent.answerSchema.properties.a.type',
      'tools[0].agent.answerSchema.properties.b.pattern',
      'tools[0].inputSchema',
    ]);
    expect(findings.find(({ path }) => path === 'llm.apiKey')?.hint).toContain('environment variable');
    expect(message.split('\n- ')).toHaveLength(findings.length + 1);
  });

  it('of the specification is accepted', () => {
    const { mcp } = AgentToolsServer.create({ name: 'x', version: '1.0.0', llm, tools: [tool] });
    expect(mcp.listToolDefinitions().tools).toHaveLength(1);
  });
});

describe('fromManifest', () => {
  it('rejects with a name that no tool can have', async () => {
    const tests = [1, 2, 3].map((n) => ({ _description: 'd', input: `q${n}`, expectedTools: ['g'] }));
    const g = { root: 'http://127.0.0.1:1', method: 'GET', path: '/x', description: 'Gets.', parameters: [] };
    const manifest = {
      name: 'a'.repeat(80),
      version: 'schemakit/3.0.0',
      description: 'd',
      model: 'x/y',
      systemPrompt: 'SP',
    };
    const opening = AgentToolsServer.fromManifest({ manifest: { ...manifest, tools: { g }, tests }, llm });
    await expect(opening).rejects.toThrow('agent.name must be at most 64');
  });

  it('rejects with all faults of its settings', async () => {
    const settings = { llm: {}, agent: { maxCost: -1 } } as never;
    const error = await AgentToolsServer.fromManifest(settings).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AgentConfigError);
    expect((error as AgentConfigError).findings.map(({ path }) => path)).toEqual([
      'manifest',
      'llm.baseURL',
      'llm.apiKey',
      'agent.maxCost',
    ]);
  });
});
