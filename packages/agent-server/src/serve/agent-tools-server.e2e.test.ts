import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { SchemaKit } from '@schemakit/core';
import express from 'express';
// @ts-expect-error It comes without types. Those of Express 5 do for what is used here.
import untyped from 'express4';
import fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type AgentMcp,
  type AgentServerConfig,
  type AgentToolConfig,
  AgentToolsServer,
  type Middleware,
  type RunEvent,
} from '../index.ts';
import { createScriptedModel, type ScriptedModel, type ScriptedModelOptions } from '../testing/index.ts';

const express4: typeof express = untyped;
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const answerSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };

const add = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: {
    type: 'object',
    properties: { one: { type: 'number' }, other: { type: 'number' } },
    required: ['one', 'other'],
  },
  annotations: { readOnlyHint: true },
  execute: ({ one, other }: Record<string, unknown>) => ({ sum: Number(one) + Number(other) }),
};

function tool(parts: Partial<AgentToolConfig> = {}): AgentToolConfig {
  return {
    name: 'calculate',
    description: 'Calculates.',
    inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    agent: { systemPrompt: 'You calculate.', model: 'anthropic/claude-test', answerSchema },
    toolSources: [{ type: 'tools', tools: [add] }],
    ...parts,
  };
}

async function start(
  script: ScriptedModelOptions,
  config: Partial<AgentServerConfig> = {},
): Promise<{ mcp: AgentMcp; model: ScriptedModel; events: RunEvent[] }> {
  const model = await createScriptedModel(script);
  const events: RunEvent[] = [];
  const { mcp } = AgentToolsServer.create({
    name: 'calculator',
    version: '1.2.3',
    llm: { baseURL: model.url, apiKey: 'the-key-of-the-model' },
    tools: [tool()],
    onEvent: (event) => events.push(event),
    ...config,
  });
  open.push(
    () => model.close(),
    () => mcp.close(),
  );
  return { mcp, model, events };
}

async function listen(handler: (...args: Parameters<Middleware>) => unknown): Promise<string> {
  const server = createServer((request, response) => {
    void handler(request, response, () => response.writeHead(404).end('Not here'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  open.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function connect(url: string, mode: 'legacy' | 'auto' = 'auto', capabilities = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
  open.push(() => client.close());
  return client;
}

const calls = (args: object) => ({ calls: [{ name: 'add', args: args as Record<string, unknown> }] });
const submit = (answer: object) => ({ calls: [{ name: 'submit_answer', args: answer as Record<string, unknown> }] });
const turns = [calls({ one: 1, other: 2 }), submit({ sum: 3 })];

describe.each(['legacy', 'auto'] as const)('a client of the SDK (%s)', (mode) => {
  it('lists the tool, sees progress, and gets the answer with a report', async () => {
    const { mcp } = await start({ turns });
    const client = await connect(await listen(mcp.middleware()), mode);
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([{ name: 'calculate', description: 'Calculates.', outputSchema: answerSchema }]);
    const progress: (string | undefined)[] = [];
    const result = await client.callTool(
      { name: 'calculate', arguments: { query: 'What is 1 + 2?' } },
      { onprogress: ({ message }) => progress.push(message) },
    );
    expect(result).toMatchObject({ structuredContent: { sum: 3 }, content: [{ type: 'text', text: '## sum\n3' }] });
    expect(result._meta?.['schemakit/run']).toMatchObject({
      status: 'success',
      rounds: 2,
      model: 'anthropic/claude-test',
      usage: { inputTokens: 200, outputTokens: 40, cachedTokens: 0, requests: 2 },
      tools: [{ name: 'add', calls: 1, failures: 0 }],
    });
    expect(progress.slice(0, 3)).toEqual([
      'calculate is waiting to start.',
      'Round 1: asking the model.',
      'Calling add.',
    ]);
  });

  it('gets wrong arguments back before the model is asked', async () => {
    const { mcp, model } = await start({ turns });
    const client = await connect(await listen(mcp.middleware()), mode);
    const result = await client.callTool({ name: 'calculate', arguments: { query: 7 } });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toContain('$.query must be string, and is number');
    expect(model.requests).toHaveLength(0);
  });

  it('sees why a tool failed, in one short line without secrets', async () => {
    const why = 'No harbour for the-key-of-the-model. ';
    const failing = {
      ...add,
      execute() {
        throw new Error(`${why.repeat(9)}\nMore`);
      },
    };
    const { mcp } = await start({ turns }, { tools: [tool({ toolSources: [{ type: 'tools', tools: [failing] }] })] });
    const client = await connect(await listen(mcp.middleware()), mode);
    const progress: (string | undefined)[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => void progress.push(message);
    await client.callTool({ name: 'calculate', arguments: { query: '?' } }, { onprogress });
    const [, reason = ''] = progress.flatMap((text) => /^add failed after \d+ ms: (.*)$/s.exec(text ?? '') ?? []);
    expect(reason).toMatch(/^No harbour for \[REDACTED\]\. No harbour .*…$/);
    expect(reason).toHaveLength(120);
  });

  it('ends the run when it cancels', async () => {
    const { mcp, events } = await start({ turns, faults: { 0: { delayMs: 60_000 } } });
    const client = await connect(await listen(mcp.middleware()), mode);
    const cancel = new AbortController();
    const call = client.callTool({ name: 'calculate', arguments: { query: '?' } }, { signal: cancel.signal });
    await expect.poll(() => events.some(({ type }) => type === 'round.started')).toBe(true);
    cancel.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => events.at(-1)).toMatchObject({ type: 'run.ended', status: 'error' });
  });
});

it('serves clients of the SDK before', async () => {
  const { mcp } = await start({ turns });
  const client = new OldClient({ name: 'old', version: '1.0.0' });
  await client.connect(new OldTransport(new URL(`${await listen(mcp.middleware())}/mcp`)) as never);
  open.push(() => client.close());
  const result = await client.callTool({ name: 'calculate', arguments: { query: '1 + 2' } });
  expect(result.structuredContent).toEqual({ sum: 3 });
});

describe('the middleware', () => {
  it.each([
    ['5 after', express, 'before'],
    ['5 before', express, 'after'],
    ['5 without', express, 'none'],
    ['4 after', express4, 'before'],
    ['4 before', express4, 'after'],
    ['4 without', express4, 'none'],
  ])('works in Express %s a body parser, beside other pages and another server', async (_, framework, parser) => {
    const one = await start({ turns });
    const two = await start({ turns }, { routePath: '/two', tools: [tool({ name: 'second' })] });
    const app = framework();
    if (parser === 'before') app.use(framework.json());
    app.use(one.mcp.middleware()).use(two.mcp.middleware());
    if (parser === 'after') app.use(framework.json());
    app.get('/', (_request, response) => void response.send('Home'));
    const url = await listen(app as unknown as Middleware);
    expect(await (await fetch(url)).text()).toBe('Home');
    const client = await connect(url);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['calculate']);
    const second = new Client({ name: 'test', version: '1.0.0' });
    await second.connect(new StreamableHTTPClientTransport(new URL('/two', url)));
    open.push(() => second.close());
    const result = await second.callTool({ name: 'second', arguments: { query: '1 + 2' } });
    expect(result.structuredContent).toEqual({ sum: 3 });
  });

  it('works in Fastify', async () => {
    const { mcp } = await start({ turns });
    const handle = mcp.middleware();
    const app = fastify();
    app.all('/mcp', async (request, reply) => {
      reply.hijack();
      await handle(Object.assign(request.raw, { body: request.body }), reply.raw);
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    open.push(() => app.close());
    const client = await connect(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
    const result = await client.callTool({ name: 'calculate', arguments: { query: '1 + 2' } });
    expect(result.structuredContent).toEqual({ sum: 3 });
  });

  it.each([
    ['/mcp', '/mcp/'],
    ['/agents/', '/agents'],
  ])('serves %s at %s, too', async (routePath, path) => {
    const { mcp } = await start({ turns }, { routePath });
    const { url } = await mcp.http({ port: 0 });
    for (const origin of [url, await listen(mcp.middleware())]) {
      const client = new Client({ name: 'test', version: '1.0.0' });
      await client.connect(new StreamableHTTPClientTransport(new URL(path, origin)));
      open.push(() => client.close());
      expect((await client.listTools()).tools).toHaveLength(1);
    }
  });

  it('takes targets that are whole URLs, as proxies send them', async () => {
    const { mcp } = await start({ turns });
    const url = await listen(mcp.middleware());
    const statusOf = async (path: string) => {
      const [response] = await once(get(url, { path }), 'response');
      response.resume();
      return response.statusCode;
    };
    // 404 is what comes after the middleware.
    expect(await statusOf(`${url}/other`)).toBe(404);
    expect(await statusOf(`${url}/mcp?a=1`)).toBe(await statusOf('/mcp?a=1'));
    expect(await statusOf(`${url}/mcp`)).not.toBe(404);
  });

  it('checks the token, the host and the size of requests', async () => {
    const { mcp } = await start({ turns }, { auth: 'a-long-token', maxBodyBytes: 2000 });
    const url = `${await listen(mcp.middleware())}/mcp`;
    const post = (headers: Record<string, string>, body = '{}') =>
      fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
    const authorization = 'Bearer a-long-token';
    expect((await post({})).status).toBe(401);
    expect((await post({ authorization }, ' '.repeat(3000))).status).toBe(413);
    const open = await start({ turns });
    const other = new URL('/mcp', await listen(open.mcp.middleware()));
    expect((await fetch(other, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  });
});

it('listens by itself with the checks of its settings', async () => {
  const { mcp } = await start({ turns }, { auth: 'a-long-token', routePath: '/agents' });
  const { url } = await mcp.http({ port: 0, auth: undefined as never });
  const post = () => fetch(`${url}/agents`, { method: 'POST', body: '{}' });
  expect((await post()).status).toBe(401);
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { authorization: 'Bearer a-long-token' } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/agents', url), { requestInit }));
  const result = await client.callTool({ name: 'calculate', arguments: { query: '1 + 2' } });
  expect(result.structuredContent).toEqual({ sum: 3 });
  await client.close();
  await mcp.close();
  await expect(post()).rejects.toThrow('fetch failed');
});

describe('without a transport', () => {
  it('lists and calls tools', async () => {
    const { mcp, events } = await start({ turns }, { tools: [tool({ execution: { taskSupport: 'optional' } })] });
    expect(mcp.listToolDefinitions()).toEqual({
      tools: [
        {
          name: 'calculate',
          description: 'Calculates.',
          inputSchema: tool().inputSchema,
          execution: { taskSupport: 'optional' },
        },
      ],
    });
    const seen: string[] = [];
    const onEvent = ({ type }: RunEvent) => void seen.push(type);
    const result = await mcp.callTool({ name: 'calculate', arguments: { query: '1 + 2' }, onEvent });
    expect(result.structuredContent).toEqual({ sum: 3 });
    expect(seen).toEqual(events.map(({ type }) => type));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  });

  it('answers an unknown tool with an error result', async () => {
    const { mcp } = await start({ turns });
    const result = await mcp.callTool({ name: 'calculat', arguments: {} });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: 'There is no tool calculat. Did you mean calculate?' }],
    });
  });

  it('ends all runs when it closes', async () => {
    const { mcp } = await start({ turns, faults: { 0: { delayMs: 60_000 } } });
    const call = mcp.callTool({ name: 'calculate', arguments: { query: '?' } });
    await mcp.close();
    expect(await call).toMatchObject({ isError: true, _meta: { 'schemakit/run': { status: 'error' } } });
  });

  it('says so when it is closed', async () => {
    const { mcp } = await start({ turns });
    await mcp.close();
    expect(await mcp.callTool({ name: 'calculate', arguments: { query: '?' } })).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'This server is closed. Create another one.' }],
    });
    await expect(mcp.http({ port: 0 })).rejects.toThrow('This server is closed.');
  });

  it('says what is missing when the model cannot be reached', async () => {
    const { mcp } = await start({ turns: [] });
    const result = await mcp.callTool({ name: 'calculate', arguments: { query: '?' } });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain('The script has 0 turns');
  });
});

describe('secrets', () => {
  it('of schemas, servers and the model never reach the model', async () => {
    const api = await listen((request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ echo: request.headers['x-key'] }));
    });
    const main = {
      namespace: 'echo',
      name: 'Echo',
      description: 'Echoes.',
      version: '3.0.0',
      root: api,
      requiredServerParams: ['ECHO_KEY'],
      headers: { 'X-Key': '{{ECHO_KEY}}' },
      tools: { say: { method: 'GET', path: '/', description: 'Says.', parameters: [] } },
    };
    expect(SchemaKit.validateMain({ main }).status).toBe(true);
    const leak = { ...add, name: 'leak', execute: () => 'key: the-key-of-the-model and s3cret-of-echo' };
    const { mcp, model, events } = await start(
      {
        turns: [
          { calls: [{ name: 'echo__say', args: {} }] },
          { calls: [{ name: 'leak', args: { one: 1, other: 1 } }] },
          submit({ sum: 0 }),
        ],
      },
      {
        tools: [
          tool({
            toolSources: [
              { type: 'flowmcp', schemas: [main], serverParams: { ECHO_KEY: 's3cret-of-echo' } },
              { type: 'tools', tools: [leak] },
            ],
          }),
        ],
      },
    );
    const result = await mcp.callTool({ name: 'calculate', arguments: { query: 'Say it.' } });
    expect(result.structuredContent).toEqual({ sum: 0 });
    const sent = JSON.stringify(model.requests.map(({ body }) => body));
    expect(sent).toContain('[REDACTED]');
    for (const text of [sent, JSON.stringify(events), JSON.stringify(result)]) {
      expect(text).not.toContain('s3cret-of-echo');
      expect(text).not.toContain('the-key-of-the-model');
    }
  });
});

describe('callTool never rejects', () => {
  const done = { calls: [{ name: 'submit_answer', args: { sum: 1 } }] };
  const query = { name: 'calculate', arguments: { query: 'x' } };

  it('whatever its listeners do', async () => {
    const fail = async () => {
      throw new Error('broken listener');
    };
    const { mcp } = await start({ turns: [done] }, { onEvent: fail, onError: fail });
    const onEvent = () => {
      throw new Error('broken listener');
    };
    expect(await mcp.callTool({ ...query, onEvent })).toMatchObject({ structuredContent: { sum: 1 } });
  });

  it('whatever it gets', async () => {
    const { mcp } = await start({ turns: [done] }, { clock: () => new Date(Number.NaN) });
    const circle: Record<string, unknown> = { query: 'x' };
    circle.self = circle;
    const calls = [undefined, { ...query, signal: {} }, query, { name: 'calculate', arguments: circle }];
    for (const call of calls) expect(await mcp.callTool(call as never)).toMatchObject({ isError: true });
  });
});

it('gives functions what ends agents that call each other over MCP', async () => {
  const depths: unknown[] = [];
  const execute = (_: object, { meta }: { meta: object }) => void depths.push(meta);
  const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' }, execute }];
  const turns = [{ calls: [{ name: 'look', args: {} }] }, { calls: [{ name: 'submit_answer', args: { sum: 1 } }] }];
  const { mcp } = await start({ turns }, { tools: [tool({ toolSources: [{ type: 'tools', tools }] })] });
  await mcp.callTool({ name: 'calculate', arguments: { query: 'x' } });
  expect(depths).toEqual([{ 'schemakit/depth': 1 }]);
});

it('hands out copies of its definitions', async () => {
  const { mcp } = await start({ turns: [] });
  const [definition] = mcp.listToolDefinitions().tools;
  Object.assign(definition?.inputSchema ?? {}, { type: 'array' });
  expect(mcp.listToolDefinitions().tools[0]?.inputSchema.type).toBe('object');
});
