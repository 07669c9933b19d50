import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { legacyClient, serveKitchen, text } from '../fixtures/task-tools.ts';
import { storeTasks } from '../tasks/store-tasks.ts';
import { InMemoryTaskStore } from '../tasks/task-store.ts';

test('without sessions, each request of an older client may reach another server', async () => {
  const tasks = storeTasks(new InMemoryTaskStore());
  const kitchens = await Promise.all([1, 2].map(() => serveKitchen({ tasks }, { sessions: false })));
  onTestFinished(() => Promise.all(kitchens.map(({ close }) => close())).then(() => {}));
  const statuses: number[] = [];
  const fetchInTurn: typeof fetch = async (_url, init) => {
    const response = await fetch(kitchens[statuses.length % 2]?.url ?? '', init);
    expect(response.headers.get('mcp-session-id')).toBeNull();
    statuses.push(response.status);
    return response;
  };
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(kitchens[0]?.url ?? ''), { fetch: fetchInTurn }));
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('greet');
  expect(await client.callTool({ name: 'greet', arguments: {} })).toMatchObject(text('hello'));
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
});

test('without sessions, whoever has the id of a task gets its result at any server', async () => {
  const tasks = storeTasks(new InMemoryTaskStore());
  const kitchens = await Promise.all([1, 2].map(() => serveKitchen({ tasks }, { sessions: false })));
  onTestFinished(() => Promise.all(kitchens.map(({ close }) => close())).then(() => {}));
  const [one, other] = await Promise.all(kitchens.map(({ url }) => legacyClient(url)));
  const baking = kitchens[0]?.nextCall();
  const started = await one?.send('tools/call', { name: 'bake', task: {} });
  const taskId = started?.message.result.task.taskId;
  (await baking)?.end(text('bread'));
  expect((await other?.send('tasks/result', { taskId }))?.message.result).toMatchObject(text('bread'));
});
