import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StreamableHTTPClientTransport as FirstTransport,
  type StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { databases, hasDatabase } from '../../fixtures/database-servers.ts';
import { type AgentServerConfig, type AgentToolConfig, AgentToolsServer, openRuns, type RunEvent } from '../index.ts';
import { createScriptedModel, type ScriptedModelOptions } from '../testing/index.ts';

const submit = { name: 'submit_answer', args: { text: 'done' } };
const ask: AgentToolConfig = {
  name: 'ask',
  description: 'Asks.',
  inputSchema: { type: 'object' },
  agent: { systemPrompt: 'You ask.', model: 'a/b', answerSchema: { type: 'object' } },
  toolSources: [],
  execution: { taskSupport: 'optional' },
};

/** Servers and workers with one file of runs and one model. */
async function setUp(script: ScriptedModelOptions = { respond: () => ({ calls: [submit] }) }) {
  const folder = await mkdtemp(join(tmpdir(), 'workers-'));
  const tasks = `sqlite:${join(folder, 'runs.db')}`;
  const model = await createScriptedModel(script);
  const closers = [() => model.close()];
  onTestFinished(async () => {
    for (const close of closers.reverse()) await close();
    await rm(folder, { recursive: true });
  });
  const open = (more: Partial<AgentServerConfig> = {}) => {
    const llm = { baseURL: model.url, apiKey: 'the-key-of-the-model' };
    const { mcp } = AgentToolsServer.create({ name: 'test', version: '1.0.0', llm, tasks, tools: [ask], ...more });
    closers.push(() => mcp.close());
    return mcp;
  };
  return {
    model,
    tasks,
    open,
    /** A server that only queues. */
    queue: (more: Partial<AgentServerConfig> = {}) =>
      open({ maxRuns: 0, llm: { baseURL: 'http://127.0.0.1:1', apiKey: 'none' }, ...more }),
    async connect(
      mcp: ReturnType<typeof open>,
      mode: 'legacy' | 'auto' = 'auto',
      {
        fetch,
        ...capabilities
      }: { fetch?: typeof globalThis.fetch; elicitation?: { form: Record<string, never> } } = {},
    ) {
      const { url } = await mcp.http();
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities });
      await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { ...(fetch && { fetch }) }));
      closers.push(() => client.close());
      return client;
    },
  };
}

describe('a server that only queues runs', () => {
  it.each(['legacy', 'auto'] as const)(
    'lets a worker answer plain calls, and ask their user (%s client)',
    async (mode) => {
      const question = { calls: [{ name: 'ask_user', args: { message: 'Which town?' } }] };
      const { open, queue, connect } = await setUp({ turns: [question, { calls: [submit] }] });
      const server = queue();
      const client = await connect(server, mode, { elicitation: { form: {} } });
      client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { answer: 'Dover' } }));
      const called = client.callTool({ name: 'ask', arguments: {} });
      await open().work();
      expect((await called).structuredContent).toEqual({ text: 'done' });
    },
  );

  it('passes the events of a direct call on, and cancels its run', async () => {
    const { tasks, queue, open } = await setUp();
    const server = queue();
    const cancelled = new AbortController();
    const left = server.callTool({ name: 'ask', arguments: {}, signal: cancelled.signal });
    const runs = await openRuns(tasks);
    await expect.poll(() => runs.list()).toMatchObject([{ state: 'waiting' }]);
    cancelled.abort();
    expect(await left).toMatchObject({ isError: true });
    expect(await runs.list()).toMatchObject([{ state: 'cancelled' }]);
    await runs.close();
    await open().work();
    const events: RunEvent[] = [];
    const onEvent = (event: RunEvent) => events.push(event);
    expect((await server.callTool({ name: 'ask', arguments: {}, onEvent })).structuredContent).toEqual({
      text: 'done',
    });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)).toMatchObject({ type: 'run.ended', status: 'success' });
  });

  it('ends a run that was cancelled while it waited, so that it keeps no place in the queue', async () => {
    const { tasks, queue } = await setUp();
    const server = queue({ maxWaiting: 1 });
    const cancelled = new AbortController();
    const left = server.callTool({ name: 'ask', arguments: {}, signal: cancelled.signal });
    const runs = await openRuns(tasks);
    await expect.poll(() => runs.list()).toMatchObject([{ state: 'waiting' }]);
    cancelled.abort();
    await left;
    await expect.poll(() => server.metrics()).toContain('agent_runs{phase="ended"} 1\n');
    expect(await server.metrics()).toContain('agent_runs_ended_total{status="cancelled"} 1\n');
    const [run] = await runs.list();
    const { events } = (await runs.get(String(run?.id))) ?? {};
    expect(events?.map(({ type }) => type)).toEqual(['run.started', 'run.ended']);
    await runs.close();
  });

  it.skipIf(!hasDatabase('redis'))('ends one that another process has cancelled, such as the command', async () => {
    const redis = await databases.redis();
    onTestFinished(redis.close);
    const { queue } = await setUp();
    const server = queue({ tasks: redis.url, maxWaiting: 1 });
    const left = server.callTool({ name: 'ask', arguments: {} });
    const runs = await openRuns(redis.url);
    await expect.poll(() => runs.list()).toMatchObject([{ state: 'waiting' }]);
    const [run] = await runs.list();
    await runs.cancel(String(run?.id));
    expect(await left).toMatchObject({ isError: true });
    await expect.poll(() => server.metrics()).toContain('agent_runs{phase="ended"} 1\n');
    await runs.close();
  });

  it('takes no more runs than may wait, also of many calls at once', async () => {
    const { tasks, queue } = await setUp();
    const server = queue({ maxWaiting: 2 });
    const errors: string[] = [];
    const call = () => server.callTool({ name: 'ask', arguments: {} });
    for (let calls = 0; calls < 20; calls += 1)
      void call().then(
        (result) => errors.push(JSON.stringify(result)),
        (error) => errors.push(String(error)),
      );
    await expect.poll(() => errors).toHaveLength(18);
    expect(errors[0]).toContain('The queue is full (runs that wait: 2).');
    const runs = await openRuns(tasks);
    expect(await runs.list()).toHaveLength(2);
    await runs.close();
  });

  /** A server with one run, and room for no more. */
  async function fill() {
    const { queue, connect, tasks } = await setUp();
    const server = queue({ maxWaiting: 1 });
    void server.callTool({ name: 'ask' });
    const runs = await openRuns(tasks);
    await expect.poll(() => runs.list()).toHaveLength(1);
    await runs.close();
    return { server, connect };
  }
  const refusal = {
    code: -32000,
    message: 'The queue is full (runs that wait: 1). Try again in 1 second.',
    data: { retryAfterMs: 1_000 },
  };

  it.each(['legacy', 'auto'] as const)(
    'refuses runs while too many wait, with 503 and when to come back (%s client)',
    async (mode) => {
      const { server, connect } = await fill();
      const answered: { status: number; retryAfter: string | null }[] = [];
      const fetchAndNote: typeof fetch = async (...request) => {
        const response = await fetch(...request);
        answered.push({ status: response.status, retryAfter: response.headers.get('retry-after') });
        return response;
      };
      const client = await connect(server, mode, { fetch: fetchAndNote });
      const called = client.callTool({ name: 'ask', arguments: {} });
      // The client keeps the body as text.
      const { status, data } = (await called.catch((error: unknown) => error)) as SdkHttpError;
      expect(status).toBe(503);
      expect(JSON.parse(String(data.text))).toMatchObject({ jsonrpc: '2.0', id: expect.anything(), error: refusal });
      expect(answered).toContainEqual({ status: 503, retryAfter: '1' });
      expect(await server.metrics()).toContain('agent_runs{phase="waiting"} 1\n');
    },
  );

  it('tells version 1 of the client of MCP the same, in the message of its error', async () => {
    const { server } = await fill();
    const { url } = await server.http();
    const client = new FirstClient({ name: 'test', version: '1.0.0' });
    onTestFinished(() => client.close());
    await client.connect(new FirstTransport(new URL('/mcp', url)) as Transport);
    const error = await client.callTool({ name: 'ask', arguments: {} }).catch((caught: unknown) => caught);
    const { code, message } = error as StreamableHTTPError;
    expect(code).toBe(503);
    expect(JSON.parse(message.slice(message.indexOf('{')))).toMatchObject({ error: refusal });
  });
});

describe('a worker', () => {
  it('takes runs with a higher priority first', async () => {
    const { open, queue, tasks } = await setUp();
    const tools = [0, 9, 4].map((priority) => ({ ...ask, name: `ask${priority}`, priority }));
    const server = queue({ tools });
    const runs = await openRuns(tasks);
    const calls: Promise<unknown>[] = [];
    for (const { name } of tools) {
      calls.push(server.callTool({ name }));
      await expect.poll(() => runs.list()).toHaveLength(calls.length);
    }
    await runs.close();
    const ended: string[] = [];
    const onEvent = (event: RunEvent) => void (event.type === 'run.started' || ended.push(event.runId));
    await open({ tools, maxRuns: 1, onEvent }).work();
    const results = (await Promise.all(calls)) as { _meta: { 'schemakit/run': { runId: string } } }[];
    const ids = results.map(({ _meta }) => _meta['schemakit/run'].runId);
    expect([...new Set(ended)]).toEqual([ids[1], ids[2], ids[0]]);
  });

  it('waits for the rate limit that all processes share, and its runs lose no time by that', async () => {
    const look = { calls: [{ name: 'read_answer', args: { id: '1' } }] };
    const { open, queue, model } = await setUp({
      respond: ({ messages }) => (messages.length < 3 ? look : { calls: [submit] }),
    });
    const tools = [{ ...ask, agent: { ...ask.agent, timeoutMs: 1_000 } }];
    const llm = { baseURL: model.url, apiKey: 'the-key-of-the-model' };
    const rateLimit = { requests: 1, perMs: 700 };
    const server = queue({ tools });
    await open({ tools, llm: { ...llm, rateLimit } }).work();
    const errors: string[] = [];
    const other = { ...llm, rateLimit: { requests: 100, perMs: 1 } };
    await open({ tools, llm: other, onError: ({ message }) => errors.push(message) }).work();
    await expect.poll(() => errors).toEqual([expect.stringContaining('{"requests":1,"perMs":700} in other processes')]);
    const events: RunEvent[] = [];
    const call = () => server.callTool({ name: 'ask', onEvent: (event) => events.push(event) });
    const results = await Promise.all([call(), call()]);
    expect(results.map(({ structuredContent }) => structuredContent)).toEqual([{ text: 'done' }, { text: 'done' }]);
    const waits = events.flatMap((event) => (event.type === 'model.answered' ? [event.waitedMs ?? 0] : []));
    expect(waits).toHaveLength(4);
    expect(Math.max(...waits)).toBeGreaterThan(500);
  });

  it('hands back at once a run that only waits for the rate limit', async () => {
    const look = { calls: [{ name: 'read_answer', args: { id: '1' } }] };
    const { open, queue, model, tasks } = await setUp({ respond: () => look });
    void queue().callTool({ name: 'ask' });
    const events: string[] = [];
    const rateLimit = { requests: 1, perMs: 600_000 };
    const llm = { baseURL: model.url, apiKey: 'the-key-of-the-model', rateLimit };
    const worker = open({ llm, graceMs: 600_000, onEvent: ({ type }) => events.push(type) });
    await worker.work();
    await expect.poll(() => events.filter((type) => type === 'round.started')).toHaveLength(2);
    await worker.close();
    const runs = await openRuns(tasks);
    expect(await runs.list()).toMatchObject([{ state: 'waiting', kills: 0 }]);
    await runs.close();
  });

  it('needs a store that servers can queue runs in', async () => {
    const { open } = await setUp();
    await expect(open({ tasks: 'memory:' }).work()).rejects.toMatchObject({
      findings: [{ code: 'AGS001', path: 'tasks' }],
    });
    expect(() => open({ tasks: 'memory:', maxRuns: 0 })).toThrow('maxRuns must be at least 1');
  });
});
