import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Answer, type BareClient, messagesOf, modernClient, serveKitchen, text } from '../fixtures/task-tools.ts';
import { storeTasks } from './store-tasks.ts';
import type { TaskProvider } from './task-provider.ts';
import { InMemoryTaskStore } from './task-store.ts';

const extension = 'io.modelcontextprotocol/tasks';
const subscription = 'io.modelcontextprotocol/subscriptionId';
const undeclared = { code: -32021, data: { requiredCapabilities: { extensions: { [extension]: {} } } } };

let tasks: TaskProvider;
beforeEach(() => {
  tasks = storeTasks(new InMemoryTaskStore());
});

async function serve(options: Parameters<typeof serveKitchen>[0] = { tasks }) {
  const kitchen = await serveKitchen(options);
  onTestFinished(kitchen.close);
  const baker = modernClient(kitchen.url);
  const start = async (name = 'bake') => {
    const calling = kitchen.nextCall();
    const { result } = (await baker.send('tools/call', { name })).message;
    return { taskId: String(result.taskId), calling };
  };
  return { ...kitchen, client: baker, start };
}

const withoutMeta = ({ message: { result } }: Answer) => {
  const { _meta, ...rest } = result;
  return rest;
};

describe('for a client of 2026-07-28 that declares the extension', () => {
  test('the server decides, and the task has the result', async () => {
    const { client, start } = await serve();
    const { taskId, calling } = await start();
    const { end, options } = await calling;
    options.onProgress?.('kneading');
    const working = withoutMeta(await client.send('tasks/get', { taskId }));
    expect(working).toMatchObject({ resultType: 'complete', taskId, status: 'working', statusMessage: 'kneading' });
    expect(working).toMatchObject({ ttlMs: 3_600_000, pollIntervalMs: 1000 });
    end(text('bread'));
    await tasks.wait(taskId, undefined, new AbortController().signal);
    const completed = withoutMeta(await client.send('tasks/get', { taskId }));
    expect(completed).toMatchObject({ status: 'completed', result: text('bread') });
  });

  test('a tool that fails completes with isError, and one that throws fails', async () => {
    const { client, start } = await serve();
    const brewing = await start('brew');
    const baking = await start();
    (await baking.calling).fail(new Error('no flour'));
    for (const { taskId } of [brewing, baking]) {
      await tasks.wait(taskId, undefined, new AbortController().signal);
    }
    expect(withoutMeta(await client.send('tasks/get', brewing))).toMatchObject({
      status: 'completed',
      result: { isError: true, content: text('It is cold.').content },
    });
    const failed = withoutMeta(await client.send('tasks/get', baking));
    const error = { code: -32603, message: 'no flour' };
    expect(failed).toMatchObject({ status: 'failed', statusMessage: 'no flour', error });
    expect(failed).not.toHaveProperty('result');
  });

  test('tasks/update answers the questions of a task, and ignores what was not asked', async () => {
    const { client, start } = await serve();
    const { taskId } = await start('taste');
    await expect
      .poll(async () => withoutMeta(await client.send('tasks/get', { taskId })).status)
      .toBe('input_required');
    const { inputRequests } = withoutMeta(await client.send('tasks/get', { taskId }));
    expect(inputRequests).toMatchObject({
      taste: { method: 'elicitation/create', params: { message: 'Is it sweet?' } },
    });
    const other = { smell: { action: 'accept', content: {} } };
    expect(withoutMeta(await client.send('tasks/update', { taskId, inputResponses: other }))).toEqual({
      resultType: 'complete',
    });
    expect(withoutMeta(await client.send('tasks/get', { taskId })).status).toBe('input_required');
    const inputResponses = { taste: { action: 'accept', content: { taste: 'yes' } } };
    await client.send('tasks/update', { taskId, inputResponses });
    const ended = await tasks.wait(taskId, undefined, new AbortController().signal);
    expect(ended?.result?.content).toMatchObject([{ text: expect.stringContaining('"taste":"yes"') }]);
  });

  test('tasks/cancel ends the call, and says no more', async () => {
    const { client, start } = await serve();
    const { taskId, calling } = await start();
    const { options } = await calling;
    for (const _ of ['once', 'again']) {
      expect(withoutMeta(await client.send('tasks/cancel', { taskId }))).toEqual({ resultType: 'complete' });
    }
    expect(options.signal?.aborted).toBe(true);
    expect(withoutMeta(await client.send('tasks/get', { taskId }))).toMatchObject({ status: 'cancelled' });
  });

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('%s of an unknown task is an error', async (method) => {
    const { client } = await serve();
    const { error } = (await client.send(method, { taskId: 'x', inputResponses: {} })).message;
    expect(error).toMatchObject({ code: -32602, message: 'Task x not found. It may have expired.' });
  });

  test.each(['tasks/result', 'tasks/list'])('there is no %s', async (method) => {
    const { client } = await serve();
    expect((await client.send(method, { taskId: 'x' })).message.error?.code).toBe(-32601);
  });

  test('a task of another subject is unknown', async () => {
    const auth = async (request: Request) => {
      const sub = request.headers.get('authorization') ?? '';
      return { token: '', clientId: 'app', scopes: [], extra: { sub } };
    };
    const { url, close } = await serveKitchen({ tasks }, { auth });
    onTestFinished(close);
    const as = (authorization: string) => modernClient(url, { headers: { authorization } });
    const { taskId } = (await as('eva').send('tools/call', { name: 'bake' })).message.result;
    expect((await as('max').send('tasks/get', { taskId })).message.error?.code).toBe(-32602);
    expect((await as('eva').send('tasks/get', { taskId })).message.result.status).toBe('working');
  });

  test('the header must name the task', async () => {
    const { client, start } = await serve();
    const { taskId } = await start();
    const answer = await client.post({ id: 1, method: 'tasks/get', params: { taskId } }, { 'mcp-name': 'another' });
    expect([answer.status, messagesOf(await answer.text())[0]?.error?.code]).toEqual([400, -32020]);
  });
});

describe('for a client that does not declare the extension', () => {
  test.each([
    ['tools/call', { name: 'brew' }],
    ['tasks/get', { taskId: 'x' }],
    ['tasks/update', { taskId: 'x', inputResponses: {} }],
    ['tasks/cancel', { taskId: 'x' }],
    ['subscriptions/listen', { notifications: { taskIds: ['x'] } }],
  ])('%s %o is refused', async (method, params) => {
    const { url } = await serve();
    const { status, message } = await modernClient(url, { capabilities: {} }).send(method, params);
    expect([status, message.error]).toEqual([400, expect.objectContaining(undeclared)]);
  });

  test('a tool that may run as a task is answered when it has ended', async () => {
    const { url, nextCall } = await serve();
    void nextCall().then(({ end }) => end(text('bread')));
    const { message } = await modernClient(url, { capabilities: {} }).send('tools/call', { name: 'bake', task: {} });
    expect(message.result).toMatchObject({ resultType: 'complete', ...text('bread') });
  });
});

test('the extension is announced only if there are tasks', async () => {
  const capabilities = async ({ client }: { client: BareClient }) =>
    (await client.send('server/discover')).message.result.capabilities;
  expect(await capabilities(await serve())).toMatchObject({ extensions: { [extension]: {} } });
  expect(await capabilities(await serve())).not.toHaveProperty('tasks');
  expect((await capabilities(await serve({}))).extensions).not.toHaveProperty(extension);
});

describe('subscriptions/listen', () => {
  async function listen(client: BareClient, notifications: object) {
    const { body } = await client.post({ id: 'sub', method: 'subscriptions/listen', params: { notifications } });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    const messages: object[] = [];
    return {
      next: async () => {
        while (messages.length === 0) {
          const { value, done } = (await reader?.read()) ?? { done: true };
          if (done) return undefined;
          messages.push(...messagesOf(String(value)));
        }
        return messages.shift();
      },
      leave: () => reader?.cancel(),
    };
  }

  test('tells how tasks stand now and after each change, and ends with them', async () => {
    const { client, start } = await serve();
    const { taskId, calling } = await start();
    const { options, end } = await calling;
    const { next } = await listen(client, { taskIds: [taskId, 'unknown'] });
    const _meta = { [subscription]: 'sub' };
    const notified = (params: object) => ({ method: 'notifications/tasks', params: { taskId, _meta, ...params } });
    expect(await next()).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] }, _meta },
    });
    expect(await next()).toMatchObject(notified({ status: 'working' }));
    options.onProgress?.('kneading');
    expect(await next()).toMatchObject(notified({ status: 'working', statusMessage: 'kneading' }));
    end(text('bread'));
    expect(await next()).toMatchObject(notified({ status: 'completed', result: text('bread') }));
    expect(await next()).toMatchObject({ id: 'sub', result: { resultType: 'complete' } });
    expect(await next()).toBeUndefined();
  });

  test('of unknown tasks ends at once', async () => {
    const { client } = await serve();
    const { next } = await listen(client, { taskIds: ['unknown'] });
    expect(await next()).toMatchObject({ params: { notifications: {} } });
    expect(await next()).toMatchObject({ id: 'sub' });
    expect(await next()).toBeUndefined();
  });

  test('ends when the server does', async () => {
    const kitchen = await serveKitchen({ tasks });
    const client = modernClient(kitchen.url);
    const { taskId } = (await client.send('tools/call', { name: 'bake' })).message.result;
    const { next } = await listen(client, { taskIds: [taskId] });
    await next();
    await next();
    await kitchen.close();
    expect(await next()).toMatchObject({ id: 'sub', result: { resultType: 'complete' } });
  });
});
