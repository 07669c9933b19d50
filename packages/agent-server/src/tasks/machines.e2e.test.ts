import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type DatabaseServer, databases, hasDatabase } from '../../fixtures/database-servers.ts';
import { startAgentProcess } from '../../fixtures/start-agent-process.ts';
import { askServer, createStormClient } from '../../fixtures/storm-client.ts';
import { roundsOf, startCountingApi } from '../../fixtures/task-agent.ts';
import type { RunEvent } from '../run/events.ts';
import { createScriptedModel } from '../testing/index.ts';

/** Two servers and a worker, each in a process of its own, and one run, which stays in its first call. */
async function setUp(tasks: string) {
  const look = (n: number) => ({ name: 'shop__look', args: { n } });
  const [model, api] = [await createScriptedModel(roundsOf([look(1), look(2)])), await startCountingApi()];
  onTestFinished(() => Promise.all([model.close(), api.close()]).then(() => {}));
  const start = async (more: object = {}) => {
    const started = await startAgentProcess({ tasks, modelUrl: model.url, apiUrl: api.url, ...more });
    onTestFinished(started.kill);
    return started;
  };
  const [first, second] = await Promise.all([start(), start(), start({ isWorker: 'true' })]);
  const ask = createStormClient(1, () => [first.url]);
  const askOther = createStormClient(1, () => [second.url]);
  const held = api.hold('GET /look?n=1');
  const { taskId } = await ask('tools/call', { name: 'shop', arguments: { query: 'Go' } });
  await held;
  return { api, ask, askOther, askAsStranger: createStormClient(2, () => [first.url]), url: first.url, taskId };
}

type Ask = ReturnType<typeof createStormClient>;

async function openFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'machines-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return `sqlite:${join(folder, 'runs.db')}`;
}

test('the page of a run follows it on another machine, through any server', async () => {
  const { api, ask, askOther, askAsStranger, taskId } = await setUp(await openFile());
  const progress = async (through: Ask, which: object) => {
    const call = { name: 'run_progress', arguments: { tool: 'shop', ...which } };
    const { structuredContent } = await through('tools/call', call);
    return (structuredContent as { events: RunEvent[] }).events;
  };
  const begun = ['run.started', 'round.started', 'model.answered', 'tool.called'];
  const first = await progress(ask, { arguments: { query: 'Go' } });
  expect(first.map(({ type }) => type)).toEqual(begun);
  expect(first[0]?.runId).toBe(taskId);
  expect(await progress(askOther, { runId: taskId, after: 0 })).toEqual(first.slice(1));
  expect(await progress(askOther, { runId: taskId, tool: 'another' })).toEqual([]);
  expect(await progress(askAsStranger, { runId: taskId })).toEqual([]);
  expect(await progress(askAsStranger, { arguments: { query: 'Go' } })).toEqual([]);
  api.release();
  await expect
    .poll(async () => (await progress(askOther, { runId: taskId, after: 3 })).at(-1))
    .toMatchObject({ type: 'run.ended', answer: null });
  // It is not the run of a call that begins.
  expect(await progress(ask, { arguments: { query: 'Go' } })).toEqual([]);
});

async function openDatabase(kind: keyof typeof databases): Promise<DatabaseServer> {
  const database = await databases[kind]();
  onTestFinished(database.close);
  return database;
}

const stores: Record<string, () => Promise<string>> = { SQLite: openFile };
for (const kind of ['redis', 'postgres'] as const)
  if (hasDatabase(kind)) stores[kind] = async () => (await openDatabase(kind)).url;

test.each(Object.entries(stores))('cancelling stops a run on another machine within a second (%s)', async (_, open) => {
  const { api, askOther, taskId } = await setUp(await open());
  const cancelledAt = performance.now();
  await askOther('tasks/cancel', { taskId });
  await expect.poll(() => api.abandoned, { interval: 10 }).toEqual(['GET /look?n=1']);
  expect(performance.now() - cancelledAt).toBeLessThan(1_000);
  expect(await askOther('tasks/get', { taskId })).toMatchObject({ status: 'cancelled' });
  expect(api.arrived).toHaveLength(1);
});

test.skipIf(!hasDatabase('redis'))('clients are told when to come back while the store cannot be reached', async () => {
  const database = await openDatabase('redis');
  const { url, taskId } = await setUp(database.url);
  const events = async () => {
    const leave = new AbortController();
    const address = `${url}/events?task=${taskId}`;
    const response = await fetch(address, { headers: { Authorization: 'Bearer 1' }, signal: leave.signal });
    const { status, headers } = response;
    const text = status === 200 ? '' : await response.text();
    leave.abort();
    return { status, retryAfter: headers.get('retry-after'), text };
  };
  await database.kill();
  const [refused] = await Promise.all([
    events(),
    expect(askServer(url, 1, 'tasks/get', { taskId })).rejects.toThrow(
      '"code":-32000,"message":"The tasks of this server',
    ),
    expect(askServer(url, 1, 'tools/call', { name: 'shop', arguments: { query: 'Go' } })).rejects.toThrow(
      '"data":{"retryAfterMs":5000}',
    ),
  ]);
  const text = expect.stringContaining(
    'The tasks of this server cannot be read or stored at the moment. Try again later.',
  );
  expect(refused).toEqual({ status: 503, retryAfter: '5', text });
  await database.start();
  await expect.poll(events).toMatchObject({ status: 200 });
});
