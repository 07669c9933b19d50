import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createTaskSessionFromClient, type RawClientDispatch } from '@modelcontextprotocol/ext-tasks/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createServer, InMemoryTaskStore, storeTasks } from '@schemakit/server';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { taskTools } from '../conformance/task-server.ts';

const info = { name: 'test', version: '1.0.0' };
const command = {
  command: process.execPath,
  args: ['--conditions=@schemakit/source', join(import.meta.dirname, 'fixtures', 'serve-tasks.ts')],
  env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' },
};

let url: string;
let close: () => Promise<void>;
beforeAll(async () => {
  const tasks = storeTasks(new InMemoryTaskStore());
  ({ url, close } = await createServer({ tools: taskTools }, { tasks }).http());
});
afterAll(() => close?.());

describe.each([
  ['Streamable HTTP', () => new OldHttpTransport(new URL(`${url}/mcp`))],
  ['HTTP+SSE', () => new SSEClientTransport(new URL(`${url}/sse`))],
  ['stdio', () => new OldStdioTransport(command)],
])('the client of the first SDK, over %s', (_, transport) => {
  async function connect(): Promise<OldClient> {
    const capabilities = { elicitation: {}, tasks: { requests: { elicitation: { create: {} } } } };
    const client = new OldClient(info, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { confirm: true } }));
    await client.connect(transport() as never);
    onTestFinished(() => client.close());
    await client.listTools();
    return client;
  }

  /** The messages of a call as a task, each as a line. */
  async function follow(client: OldClient, name: string, args: Record<string, unknown>): Promise<string[]> {
    const stream = client.experimental.tasks.callToolStream({ name, arguments: args }, undefined, {
      task: { ttl: 60_000 },
    });
    const lines: string[] = [];
    for await (const message of stream) {
      if (message.type === 'taskCreated' || message.type === 'taskStatus') {
        lines.push(`${message.type} ${message.task.status}`);
      } else lines.push(message.type === 'error' ? message.error.message : JSON.stringify(message.result.content));
    }
    return [...new Set(lines)];
  }

  test('follows a task to its result', async () => {
    const lines = await follow(await connect(), 'slow_compute', { seconds: 0.2, label: 'pi' });
    expect(lines.at(0)).toBe('taskCreated working');
    expect(lines.at(-1)).toContain('Computed pi in 0.2 s.');
  });

  test('asks its user what a task asks', async () => {
    const lines = await follow(await connect(), 'confirm_delete', { filename: 'a.txt' });
    expect(lines.at(-1)).toContain('Deleted a.txt.');
  });

  test('sees a task fail, lists it and cancels another', async () => {
    const client = await connect();
    const lines = await follow(client, 'protocol_error_job', {});
    expect(lines.at(-1)).toMatch(/^(McpError|MCP error|Task)/i);
    const [failed] = (await client.experimental.tasks.listTasks()).tasks;
    expect(failed).toMatchObject({ status: 'failed', statusMessage: 'The job ended with an error of the protocol.' });
    const stream = client.experimental.tasks.callToolStream(
      { name: 'slow_compute', arguments: { seconds: 60 } },
      undefined,
      { task: { ttl: 60_000 } },
    );
    const { value: created } = await stream.next();
    const { task } = created as Extract<typeof created, { type: 'taskCreated' }>;
    expect(await client.experimental.tasks.cancelTask(task.taskId)).toMatchObject({ status: 'cancelled' });
  });
});

describe('the client of the Tasks extension', () => {
  /** Sends requests that the SDK does not know. */
  const rawDispatch: RawClientDispatch = async (request) => {
    const { method, params } = request as { method: string; params: { name?: string; taskId?: string } };
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': method,
        'Mcp-Name': params.name ?? params.taskId ?? '',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: never; error: never };
    return error === undefined ? { kind: 'result', result } : { kind: 'error', error };
  };

  const http = () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`));
  const clientCapabilities = { elicitation: {} };
  const v2RequestFraming = { protocolVersion: '2026-07-28', clientInfo: info, clientCapabilities };

  test.each([
    ['2025-11-25 over HTTP', 'legacy' as const, http, {}],
    ['2025-11-25 over stdio', 'legacy' as const, () => new StdioClientTransport(command), {}],
    ['2026-07-28 over HTTP', { pin: '2026-07-28' }, http, { rawDispatch, v2RequestFraming }],
  ])('calls tools in %s', async (_, mode, transport, options) => {
    const client = new Client(info, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } });
    await client.connect(transport());
    onTestFinished(() => client.close());
    const session = createTaskSessionFromClient(client, {
      endpointId: 'suite',
      ...(options as { rawDispatch: RawClientDispatch; v2RequestFraming: typeof v2RequestFraming }),
      onInputRequest: (async () => ({ action: 'accept', content: { confirm: true } })) as never,
    });
    onTestFinished(() => session.close());
    for (const [name, args, expected] of [
      ['greet', { name: 'Eva' }, 'Hello, Eva!'],
      ['slow_compute', { seconds: 0.1, label: 'pi' }, 'Computed pi'],
      ['confirm_delete', { filename: 'a.txt' }, 'Deleted a.txt.'],
    ] as const) {
      const execution = await session.callTool(name, args);
      expect(JSON.stringify((await execution.settle()).outcome)).toContain(expected);
    }
  });
});

test('over stdio, a client of 2026-07-28 is notified of its tasks', async () => {
  const { stdin, stdout } = spawn(command.command, command.args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void stdin.end());
  const lines = createInterface(stdout)[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': info,
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  };
  const send = (id: number, method: string, params: object, meta: object = _meta) =>
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } })}\n`);
  send(1, 'tools/call', { name: 'slow_compute', arguments: { seconds: 0.5, label: 'pi' } });
  const { taskId } = (await next()).result;
  send(2, 'subscriptions/listen', { notifications: { taskIds: [taskId] } });
  expect(await next()).toMatchObject({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { taskIds: [taskId] } },
  });
  const notified = { method: 'notifications/tasks', params: { taskId, status: 'working' } };
  expect(await next()).toMatchObject(notified);
  expect(await next()).toMatchObject({ params: { status: 'completed', result: { content: [{ type: 'text' }] } } });
  const undeclared = { ..._meta, 'io.modelcontextprotocol/clientCapabilities': {} };
  send(3, 'subscriptions/listen', { notifications: { taskIds: [taskId] } }, undeclared);
  expect(await next()).toMatchObject({ id: 3, error: { code: -32021 } });
});

test('a client that knows nothing of tasks calls the tools that may run as one', async () => {
  for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
    const client = new Client(info, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    const { content } = await client.callTool({ name: 'slow_compute', arguments: { seconds: 0, label: 'pi' } });
    expect(content).toEqual([{ type: 'text', text: 'Computed pi in 0 s.' }]);
    await expect(client.callTool({ name: 'failing_job' })).rejects.toThrow('runs only as a task');
    await client.close();
  }
});
