import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTaskStore } from '@schemakit/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { roundsOf, startCountingApi, taskAgent } from '../../fixtures/task-agent.ts';
import { type AgentServerConfig, AgentToolsServer } from '../index.ts';
import { createScriptedModel, type ScriptedModelOptions } from '../testing/index.ts';

const look = (n: number) => ({ name: 'shop__look', args: { n } });

async function setUp(script: ScriptedModelOptions = roundsOf([look(1), look(2)])) {
  const folder = await mkdtemp(join(tmpdir(), 'tasks-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [model, api] = [await createScriptedModel(script), await startCountingApi()];
  onTestFinished(() => Promise.all([model.close(), api.close()]).then(() => {}));
  const config = {
    name: 'shop',
    version: '1.0.0',
    llm: { baseURL: model.url, apiKey: 'not-needed' },
    tasks: `sqlite:${join(folder, 'runs.db')}`,
  };
  return {
    api,
    file: join(folder, 'runs.db'),
    async serve({
      taskSupport = 'optional' as 'optional' | 'required',
      ...more
    }: Partial<AgentServerConfig> & { taskSupport?: 'optional' | 'required' } = {}) {
      const tools = [{ ...taskAgent(api.url), execution: { taskSupport } }];
      const { mcp } = AgentToolsServer.create({ ...config, tools, ...more });
      onTestFinished(() => mcp.close());
      const { url } = await mcp.http({ port: 0 });
      return { mcp, url: `${url}/mcp` };
    },
  };
}

const go = { name: 'shop', arguments: { query: 'Go' } };

async function legacyClient(url: string, { sessionId, token }: { sessionId?: string; token?: string } = {}) {
  const client = new OldClient({ name: 'test', version: '1.0.0' });
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const transport = new OldTransport(new URL(url), { ...(sessionId && { sessionId }), requestInit: { headers } });
  await client.connect(transport as Parameters<OldClient['connect']>[0]);
  onTestFinished(() => client.close());
  return {
    sessionId: transport.sessionId,
    async start() {
      const params = { ...go, task: { ttl: 60_000 } };
      return (await client.request({ method: 'tools/call', params }, CreateTaskResultSchema)).task.taskId;
    },
    result: (taskId: string) => client.request({ method: 'tasks/result', params: { taskId } }, CallToolResultSchema),
    cancel: (taskId: string) => client.experimental.tasks.cancelTask(taskId),
  };
}

/** Sends a request of MCP 2026-07-28 as a client that knows tasks and can ask its user. */
async function send(url: string, method: string, params: Record<string, unknown>, token?: string) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      'Mcp-Name': String(params.taskId ?? params.name),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': {
            elicitation: {},
            extensions: { 'io.modelcontextprotocol/tasks': {} },
          },
        },
      },
    }),
  });
  const text = await response.text();
  const message = text.startsWith('{')
    ? text
    : (text
        .split('\n')
        .findLast((line) => line.startsWith('data: '))
        ?.slice(6) ?? '{}');
  return JSON.parse(message) as { result: Record<string, unknown>; error?: { code: number; message: string } };
}

const statusOf = async (url: string, taskId: string) => (await send(url, 'tasks/get', { taskId })).result.status;

describe('a client whose server was closed and started again', () => {
  it('gets its result in its old session (2025-11-25)', async () => {
    const { api, serve } = await setUp();
    const first = await serve();
    const { sessionId = '', start } = await legacyClient(first.url);
    const held = api.hold('GET /look?n=1');
    const taskId = await start();
    await held;
    const closing = first.mcp.close();
    api.release();
    await closing;
    // At another port: the connection to the old one has ended, and its client would use it again.
    const again = await legacyClient((await serve()).url, { sessionId });
    expect(await again.result(taskId)).toMatchObject({ structuredContent: { total: 2 } });
    expect(api.arrived.map(({ request }) => request)).toEqual(['GET /look?n=1', 'GET /look?n=2']);
  });

  it('gets its result by the id of the task (2026-07-28)', async () => {
    const { api, serve } = await setUp();
    const first = await serve();
    const held = api.hold('GET /look?n=1');
    const { result } = await send(first.url, 'tools/call', go);
    await held;
    expect(result).toMatchObject({ resultType: 'task', status: 'working' });
    const closing = first.mcp.close();
    api.release();
    await closing;
    const { url } = await serve();
    const taskId = String(result.taskId);
    await expect.poll(() => statusOf(url, taskId)).toBe('completed');
    const done = await send(url, 'tasks/get', { taskId });
    expect(done.result.result).toMatchObject({ structuredContent: { total: 2 } });
    expect(api.arrived).toHaveLength(2);
  });
});

describe('a task', () => {
  it('asks the user, and goes on with the answer, also after a restart', async () => {
    const { serve } = await setUp({
      respond: ({ messages }) => {
        const [last] = messages.at(-1)?.results ?? [];
        if (last === undefined) return { calls: [{ name: 'ask_user', args: { message: 'How many?' } }] };
        return { calls: [{ name: 'submit_answer', args: { total: Number(/\d+/.exec(last.text)?.[0]) } }] };
      },
    });
    const first = await serve();
    const taskId = String((await send(first.url, 'tools/call', go)).result.taskId);
    await expect.poll(() => statusOf(first.url, taskId)).toBe('input_required');
    await first.mcp.close();
    const { url } = await serve();
    const { result } = await send(url, 'tasks/get', { taskId });
    const [[key = '', request] = []] = Object.entries(Object(result.inputRequests));
    expect(request).toMatchObject({ method: 'elicitation/create', params: { message: 'How many?' } });
    await send(url, 'tasks/update', {
      taskId,
      inputResponses: { other: { action: 'accept', content: { answer: '1' } } },
    });
    expect(await statusOf(url, taskId)).toBe('input_required');
    await send(url, 'tasks/update', {
      taskId,
      inputResponses: { [key]: { action: 'accept', content: { answer: '7' } } },
    });
    await expect.poll(() => statusOf(url, taskId)).toBe('completed');
    const done = await send(url, 'tasks/get', { taskId });
    expect(done.result.result).toMatchObject({ structuredContent: { total: 7 } });
  });

  it('that is cancelled ends within a second, and stays cancelled', async () => {
    const { api, serve } = await setUp();
    const [holder, other] = [await serve(), await serve()];
    const held = api.hold('GET /look?n=1');
    const taskId = String((await send(holder.url, 'tools/call', go)).result.taskId);
    await held;
    const start = performance.now();
    await send(other.url, 'tasks/cancel', { taskId });
    expect(await statusOf(holder.url, taskId)).toBe('cancelled');
    await expect.poll(() => other.mcp.metrics()).toContain('agent_runs{phase="ended"} 1\n');
    const { status, statusMessage } = (await send(other.url, 'tasks/get', { taskId })).result;
    expect([status, statusMessage]).toEqual(['cancelled', 'Cancelled by the client.']);
    expect(performance.now() - start).toBeLessThan(1_500);
    api.release();
    expect(api.arrived).toHaveLength(1);
  });

  it('is unknown to others', async () => {
    const { serve } = await setUp();
    const { url } = await serve({
      auth: async ({ headers }) => ({
        token: '',
        clientId: headers.get('authorization') ?? '',
        scopes: [],
      }),
    });
    const mine = await legacyClient(url, { token: 'amy' });
    const taskId = await mine.start();
    expect(await mine.result(taskId)).toMatchObject({ structuredContent: { total: 2 } });
    const { error } = await send(url, 'tasks/get', { taskId }, 'bob');
    const { error: unknown } = await send(url, 'tasks/get', { taskId: 'x' }, 'bob');
    expect([error?.code, error?.message.replace(taskId, 'x')]).toEqual([unknown?.code, unknown?.message]);
    expect((await send(url, 'tasks/get', { taskId }, 'amy')).result.status).toBe('completed');
  });

  it('is what a call of a tool becomes that requires it', async () => {
    const { serve } = await setUp();
    const { url } = await serve({ taskSupport: 'required', tasks: { store: new InMemoryTaskStore() } });
    const client = await legacyClient(url);
    expect(await client.result(await client.start())).toMatchObject({ structuredContent: { total: 2 } });
  });

  it('streams its events from any of them on', async () => {
    const { api, serve } = await setUp();
    const { url } = await serve({ auth: 'secret', events: true });
    const client = await legacyClient(url, { token: 'secret' });
    const held = api.hold('GET /look?n=2');
    const taskId = await client.start();
    await held;
    const events = async (task: string, lastEventId?: string) =>
      fetch(`${url}/events?task=${task}`, {
        headers: { Authorization: 'Bearer secret', ...(lastEventId && { 'Last-Event-ID': lastEventId }) },
      });
    const { body } = await events(taskId, `${taskId}.2`);
    const seen: string[] = [];
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      seen.push(...chunk.split('\n').filter((line) => line.startsWith('id: ')));
      if (seen.length >= 4) api.release();
      if (chunk.includes('run.ended')) break;
    }
    expect(seen.slice(0, 2)).toEqual([`id: ${taskId}.3`, `id: ${taskId}.4`]);
    expect(seen).toHaveLength(new Set(seen).size);
    expect((await events('x')).status).toBe(404);
  });

  it('is encrypted with the key of the environment', async () => {
    vi.stubEnv('TASKS_KEY', `k1:${'0a'.repeat(32)}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { serve, file } = await setUp();
    const { mcp, url } = await serve();
    const client = await legacyClient(url);
    await client.result(await client.start());
    await mcp.close();
    expect(await readFile(file, 'latin1')).toContain('sealed:k1:');
    expect(await readFile(file, 'latin1')).not.toContain('"query"');
  });

  it('that cannot be stored is refused, and the program is told why', async () => {
    const { serve } = await setUp();
    const errors: string[] = [];
    const tasks = 'sqlite:/nowhere/runs.db';
    await expect(serve({ tasks, onError: ({ message }) => errors.push(message) })).rejects.toThrow(
      'Cannot open the runs in /nowhere/runs.db',
    );
    expect(errors).toEqual([expect.stringContaining('/nowhere/runs.db')]);
  });
});
