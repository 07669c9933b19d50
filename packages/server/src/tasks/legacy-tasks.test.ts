import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { legacyClient, messagesOf, serveKitchen, text } from '../fixtures/task-tools.ts';
import { storeTasks } from './store-tasks.ts';
import type { TaskProvider } from './task-provider.ts';
import { InMemoryTaskStore } from './task-store.ts';

const related = (taskId: string) => ({ 'io.modelcontextprotocol/related-task': { taskId } });
const hex = /^[0-9a-f]{32}$/;

let tasks: TaskProvider;
beforeEach(() => {
  tasks = storeTasks(new InMemoryTaskStore());
});

async function serve(options: Parameters<typeof serveKitchen>[0] = { tasks }) {
  const kitchen = await serveKitchen(options);
  onTestFinished(kitchen.close);
  return { ...kitchen, client: await legacyClient(kitchen.url) };
}

describe('in a session of 2025-11-25, a call', () => {
  test('becomes a task, which is followed to its result', async () => {
    const { client, nextCall } = await serve();
    const calling = nextCall();
    const { message } = await client.send('tools/call', { name: 'bake', arguments: {}, task: { ttl: 60_000 } });
    const { content, task } = message.result;
    expect(content).toEqual([]);
    expect(task).toMatchObject({ taskId: expect.stringMatching(hex), status: 'working', ttl: 60_000 });
    expect(task).toMatchObject({
      pollInterval: 1000,
      createdAt: expect.any(String),
      lastUpdatedAt: expect.any(String),
    });
    const { taskId } = task;
    const { options, end } = await calling;
    options.onProgress?.('kneading');
    expect((await client.send('tasks/get', { taskId })).message.result).toMatchObject({
      taskId,
      status: 'working',
      statusMessage: 'kneading',
    });
    const result = client.send('tasks/result', { taskId });
    end(text('bread'));
    expect((await result).message.result).toEqual({ ...text('bread'), _meta: related(taskId) });
    expect((await client.send('tasks/get', { taskId })).message.result.status).toBe('completed');
  });

  test('without the parameter is answered when it has ended', async () => {
    const { client, nextCall } = await serve();
    void nextCall().then(({ end }) => end(text('bread')));
    expect((await client.send('tools/call', { name: 'bake' })).message.result).toEqual(text('bread'));
    expect((await client.send('tasks/list')).message.result).toEqual({ tasks: [] });
  });

  test.each([
    ['brew', undefined, 'brew runs only as a task'],
    ['greet', {}, 'greet does not run as a task'],
  ])('of %s with the parameter %o is refused', async (name, task, reason) => {
    const { client } = await serve();
    const { error } = (await client.send('tools/call', { name, task })).message;
    expect(error).toMatchObject({ code: -32601, message: expect.stringContaining(reason) });
  });

  test('of a server without tasks ignores the parameter', async () => {
    const { client } = await serve({});
    expect((await client.send('tools/call', { name: 'greet', task: {} })).message.result).toEqual(text('hello'));
    expect((await client.send('tasks/get', { taskId: 'x' })).message.error?.code).toBe(-32601);
  });

  test.each([
    [7 * 24 * 3_600_000, 24 * 3_600_000],
    [1, 1000],
    [undefined, 3_600_000],
  ])('asks for a lifetime of %s ms and is told %s', async (ttl, told) => {
    const { client } = await serve();
    const { message } = await client.send('tools/call', { name: 'bake', task: { ttl } });
    expect(message.result.task.ttl).toBe(told);
  });
});

test('the capability is announced', async () => {
  const { url } = await serve();
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const [{ result } = {}] = messagesOf(await (await fetch(url, { method: 'POST', headers, body })).text());
  const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
  expect(result?.capabilities).toMatchObject({ tasks });
  expect(result?.capabilities.extensions).not.toHaveProperty('io.modelcontextprotocol/tasks');
});

test('a tool that fails makes its task fail, and its result tells why', async () => {
  const { client } = await serve();
  const { taskId } = (await client.send('tools/call', { name: 'brew', task: {} })).message.result.task;
  const { message } = await client.send('tasks/result', { taskId });
  expect(message.result).toEqual({ ...text('It is cold.'), isError: true, _meta: related(taskId) });
  const state = (await client.send('tasks/get', { taskId })).message.result;
  expect(state).toMatchObject({ status: 'failed', statusMessage: 'It is cold.' });
});

test('a tool that throws makes its task fail with the error', async () => {
  const { client, nextCall } = await serve();
  const calling = nextCall();
  const { taskId } = (await client.send('tools/call', { name: 'bake', task: {} })).message.result.task;
  (await calling).fail(Object.assign(new Error('no flour'), { code: -32050, data: { left: 0 } }));
  const { error } = (await client.send('tasks/result', { taskId })).message;
  expect(error).toEqual({ code: -32050, message: 'no flour', data: { left: 0 } });
  const state = (await client.send('tasks/get', { taskId })).message.result;
  expect(state).toMatchObject({ status: 'failed', statusMessage: 'no flour' });
});

describe('tasks/cancel', () => {
  test('ends the call, and a task ends once', async () => {
    const { client, nextCall } = await serve();
    const calling = nextCall();
    const { taskId } = (await client.send('tools/call', { name: 'bake', task: {} })).message.result.task;
    const { options } = await calling;
    const waiting = client.send('tasks/result', { taskId });
    const { message } = await client.send('tasks/cancel', { taskId });
    expect(message.result).toMatchObject({ taskId, status: 'cancelled' });
    expect(options.signal?.aborted).toBe(true);
    expect((await waiting).message.error).toMatchObject({ message: expect.stringContaining('was cancelled') });
    const again = (await client.send('tasks/cancel', { taskId })).message.error;
    expect(again).toMatchObject({ code: -32602, message: expect.stringContaining('ended already: cancelled') });
  });

  test('of a task that has completed changes nothing', async () => {
    const { client, nextCall } = await serve();
    void nextCall().then(({ end }) => end(text('bread')));
    const { taskId } = (await client.send('tools/call', { name: 'bake', task: {} })).message.result.task;
    await client.send('tasks/result', { taskId });
    expect((await client.send('tasks/cancel', { taskId })).message.error?.code).toBe(-32602);
    expect((await client.send('tasks/result', { taskId })).message.result.content).toEqual(text('bread').content);
  });
});

describe('a task belongs to its session', () => {
  test.each(['tasks/get', 'tasks/result', 'tasks/cancel'])('%s of another is as unknown as none', async (method) => {
    const { url, client } = await serve();
    const { taskId } = (await client.send('tools/call', { name: 'bake', task: {} })).message.result.task;
    const other = await legacyClient(url);
    const foreign = (await other.send(method, { taskId })).message.error;
    const unknown = (await other.send(method, { taskId: 'f'.repeat(32) })).message.error;
    expect(foreign).toEqual({ code: -32602, message: `Task ${taskId} not found. It may have expired.` });
    expect(unknown?.code).toBe(-32602);
    expect((await client.send('tasks/get', { taskId })).message.result.status).toBe('working');
  });

  test('or to the subject of its token, in all of its sessions', async () => {
    const auth = async (request: Request) => {
      const name = request.headers.get('authorization') ?? '';
      return { token: '', clientId: 'app', scopes: [], extra: { sub: name } };
    };
    const { url, close } = await serveKitchen({ tasks }, { auth });
    onTestFinished(close);
    const as = (authorization: string) => legacyClient(url, { headers: { authorization } });
    const { taskId } = (await (await as('eva')).send('tools/call', { name: 'bake', task: {} })).message.result.task;
    expect((await (await as('eva')).send('tasks/get', { taskId })).message.result.status).toBe('working');
    expect((await (await as('max')).send('tasks/get', { taskId })).message.error?.code).toBe(-32602);
  });

  test('tasks/list has the own ones in pages', async () => {
    const { url, client } = await serve();
    await (await legacyClient(url)).send('tools/call', { name: 'taste', task: {} });
    for (let count = 0; count < 120; count += 1) await client.send('tools/call', { name: 'taste', task: {} });
    const first = (await client.send('tasks/list')).message.result;
    const second = (await client.send('tasks/list', { cursor: first.nextCursor })).message.result;
    expect([first.tasks.length, second.tasks.length, second.nextCursor]).toEqual([100, 20, undefined]);
    expect(first.tasks[0]).toMatchObject({ ttl: 3_600_000 });
    expect((await client.send('tasks/list', { cursor: 'nothing' })).message.error?.code).toBe(-32602);
  });
});

describe('a question to the user', () => {
  test('is asked on the stream of the last tasks/result', async () => {
    const { client } = await serve();
    const { taskId } = (await client.send('tools/call', { name: 'taste', task: {} })).message.result.task;
    const ask = async (id: number) => {
      const { body } = await client.post({ id, method: 'tasks/result', params: { taskId } });
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      const next = async () => messagesOf(String((await reader?.read())?.value))[0];
      return { next, question: await next() };
    };
    const lost = await ask(91);
    expect(lost.question).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Is it sweet?', _meta: related(taskId) },
    });
    const { question, next } = await ask(92);
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Is it sweet?' } });
    expect(await lost.next()).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: lost.question?.id },
    });
    expect((await client.send('tasks/get', { taskId })).message.result.status).toBe('input_required');
    await client.post({ id: question?.id, result: { action: 'accept', content: { taste: 'yes' } } });
    const said = { kind: 'elicit', action: 'accept', content: { taste: 'yes' } };
    const result = { ...text(`tasting: ${JSON.stringify(said)}`), _meta: related(taskId) };
    expect((await next())?.result).toEqual(result);
    expect(await lost.next()).toEqual({ jsonrpc: '2.0', id: 91, result });
  });

  test('that the client cannot ask is cancelled', async () => {
    const { client } = await serve();
    const { taskId } = (await client.send('tools/call', { name: 'taste', task: {} })).message.result.task;
    const { body } = await client.post({ id: 91, method: 'tasks/result', params: { taskId } });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    const [question] = messagesOf(String((await reader?.read())?.value));
    await client.post({ id: question?.id, error: { code: -32601, message: 'Method not found' } });
    const [answer] = messagesOf(String((await reader?.read())?.value));
    expect(JSON.stringify(answer?.result.content)).toContain('cancel');
  });
});

describe('progress', () => {
  test('is numbered, and replayed to a client that asks for the result', async () => {
    const { client, nextCall } = await serve();
    const calling = nextCall();
    const { taskId } = (await client.send('tools/call', { name: 'bake', task: {} })).message.result.task;
    const { options, end } = await calling;
    for (const message of ['flour', 'water', 'salt']) options.onProgress?.(message);
    const progress = ['flour', 'water', 'salt'].map((message, index) => ({
      ...{ progressToken: 'p', progress: index + 1, message, _meta: related(taskId) },
    }));
    const replayed = async (id: number, meta: object, expected: object[]) => {
      const params = { taskId, _meta: { progressToken: 'p', ...meta } };
      const { body } = await client.post({ id, method: 'tasks/result', params });
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      let seen = '';
      while (messagesOf(seen).length < expected.length) seen += (await reader?.read())?.value;
      expect(messagesOf(seen).map(({ params }) => params)).toEqual(expected);
    };
    await replayed(31, {}, progress);
    await replayed(32, { 'schemakit/from': 2 }, progress.slice(2));
    end(text('bread'));
  });

  test('and the states of a task are on the stream of the session', async () => {
    const { url, client, nextCall } = await serve();
    const headers = { accept: 'text/event-stream', 'mcp-session-id': client.sessionId };
    const stream = await fetch(url, { headers });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    const calling = nextCall();
    const call = { name: 'bake', task: {}, _meta: { progressToken: 7 } };
    const { taskId } = (await client.send('tools/call', call)).message.result.task;
    const { options, end } = await calling;
    options.onProgress?.('kneading');
    end(text('bread'));
    let seen = '';
    while (messagesOf(seen).length < 2) seen += (await reader?.read())?.value;
    expect(messagesOf(seen)).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 7, progress: 1, _meta: related(taskId) } },
      { method: 'notifications/tasks/status', params: { taskId, status: 'completed' } },
    ]);
    await reader?.cancel();
  });
});

describe('after a restart', () => {
  /** Two servers, one after the other, with the same tasks. */
  async function restart(options: { headers?: Record<string, string> } = {}) {
    const first = await serveKitchen({ tasks });
    const calling = first.nextCall();
    const client = await legacyClient(first.url, options);
    const { taskId } = (await client.send('tools/call', { name: 'bake', task: {} })).message.result.task;
    const call = await calling;
    const waiting = client.send('tasks/result', { taskId });
    await client.send('tasks/get', { taskId });
    await first.close();
    expect((await waiting).message.error).toMatchObject({ code: -32000 });
    const second = await serveKitchen({ tasks });
    onTestFinished(second.close);
    const { sessionId } = client;
    return { taskId, call, sessionId, url: second.url, client: await legacyClient(second.url, { sessionId }) };
  }

  test('the session of a task goes on', async () => {
    const { taskId, call, client } = await restart();
    const answers = await Promise.all([1, 2, 3].map(() => client.send('tasks/get', { taskId })));
    expect(answers.map(({ message }) => message.result.status)).toEqual(['working', 'working', 'working']);
    call.end(text('bread'));
    expect((await client.send('tasks/result', { taskId })).message.result.content).toEqual(text('bread').content);
    expect((await client.send('tools/call', { name: 'greet' })).message.result).toEqual(text('hello'));
  });

  test('a session that its client has ended stays ended, and so does one without tasks', async () => {
    const { client, sessionId, url } = await restart();
    const ended = await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': sessionId } });
    expect(ended.status).toBe(200);
    expect((await client.send('tasks/list')).status).toBe(404);
    const taskless = await legacyClient(url, { sessionId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff' });
    expect((await taskless.send('tools/list')).status).toBe(404);
  });

  test('it stays with its subject', async () => {
    const auth = async (request: Request) => {
      const sub = request.headers.get('authorization') ?? '';
      return { token: '', clientId: 'app', scopes: [], extra: { sub } };
    };
    const first = await serveKitchen({ tasks }, { auth });
    const headers = { authorization: 'eva' };
    const { sessionId, send } = await legacyClient(first.url, { headers });
    await send('tools/call', { name: 'bake', task: {} });
    await first.close();
    const second = await serveKitchen({ tasks }, { auth });
    onTestFinished(second.close);
    const thief = await legacyClient(second.url, { sessionId, headers: { authorization: 'max' } });
    expect((await thief.send('tasks/list')).status).toBe(404);
    const own = await legacyClient(second.url, { sessionId, headers });
    expect((await own.send('tasks/list')).message.result.tasks).toHaveLength(1);
  });
});

test('the user is asked before a task begins', async () => {
  const { url, nextCall, close, tools } = await serveKitchen({ tasks, confirmWrites: 'required' });
  onTestFinished(close);
  for (const { listing } of tools) Object.assign(listing.annotations ?? {}, { readOnlyHint: false });
  const client = await legacyClient(url);
  const calling = nextCall();
  const called = await client.post({ id: 5, method: 'tools/call', params: { name: 'bake', task: {} } });
  const reader = called.body?.pipeThrough(new TextDecoderStream()).getReader();
  const [question] = messagesOf(String((await reader?.read())?.value));
  expect(question).toMatchObject({ method: 'elicitation/create' });
  await client.post({ id: question?.id, result: { action: 'accept', content: { confirm: true } } });
  await calling;
  const [answer] = messagesOf(String((await reader?.read())?.value));
  expect(answer?.result.task.status).toBe('working');
});

test('tasks are counted, and their calls are recorded with their time limit', async () => {
  const { client, origin } = await serve({ tasks, timeoutMs: 50 });
  const { taskId } = (await client.send('tools/call', { name: 'bake', task: {} })).message.result.task;
  const { result } = (await client.send('tasks/result', { taskId })).message;
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('longer than 50 ms') }] });
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  expect(metrics).toContain('mcp_tasks_total{tool="bake"} 1');
  expect(metrics).toContain('mcp_tool_calls_total{tool="bake",outcome="error"} 1');
});
