import { expect, it, onTestFinished } from 'vitest';
import { roundsOf, startCountingApi, taskAgent } from '../../fixtures/task-agent.ts';
import { openAgent } from '../manifest/open-agent.ts';
import { LeaseLostError, type NewEntries, type RunStore } from '../store/run-store.ts';
import { createSqliteRunStore } from '../store/sqlite-run-store.ts';
import { createScriptedModel } from '../testing/index.ts';
import { createTaskEngine } from './task-engine.ts';
import { parseEvents } from './task-state.ts';

const tool = { listing: { name: 'shop' } } as Parameters<ReturnType<typeof createTaskEngine>['start']>[0];
const options = { owner: 'amy', client: {}, ttlMs: 600_000, callTool: async () => ({ content: [] }) };
const forever = new AbortController().signal;

/** An engine whose store does something else with some appends. */
async function setUp(append: (store: RunStore, id: string, added: NewEntries) => ReturnType<RunStore['append']>) {
  const calls = [1, 2].map((n) => ({ name: 'shop__order', args: { n } }));
  const [model, api] = [await createScriptedModel(roundsOf(calls)), await startCountingApi()];
  const agent = openAgent(taskAgent(api.url), { llm: { baseURL: model.url, apiKey: 'not-needed' } });
  const store = createSqliteRunStore();
  const errors: string[] = [];
  const engine = createTaskEngine({
    store: { ...store, append: (id, added) => append(store, id, added) },
    agents: new Map([['shop', agent]]),
    onError: ({ message }) => errors.push(message),
    // Tries again at once.
    every: (ms, action) => {
      const timer = setInterval(action, ms / 100);
      return () => clearInterval(timer);
    },
  });
  onTestFinished(async () => {
    await engine.close();
    await Promise.all([model.close(), api.close()]);
  });
  return { api, store, engine, errors };
}

it.each([
  ['before', false],
  ['after', true],
])('a run goes on whose store fails %s each of its writes', async (_, isStored) => {
  const tried = new Set<string>();
  const { api, store, engine, errors } = await setUp(async (under, id, added) => {
    const entry = added.entries.join();
    if (tried.has(entry)) return under.append(id, added);
    tried.add(entry);
    if (isStored) await under.append(id, added);
    throw new Error('The connection was reset.');
  });
  const { taskId } = await engine.start(tool, { query: 'Go' }, options);
  const { result } = (await engine.wait(taskId, 'amy', forever)) ?? {};
  expect(result).toMatchObject({ structuredContent: { total: 2 } });
  const events = parseEvents(taskId, await store.read(taskId));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index));
  expect(events.map(({ type }) => type)).not.toContain('run.resumed');
  expect(await store.get(taskId)).toMatchObject({ kills: 0, fence: 1 });
  expect(api.arrived).toHaveLength(2);
  expect(errors).toEqual([]);
});

it('a worker that has lost its run while the store failed writes and sends nothing more', async () => {
  let isLost = false;
  const { api, store, engine } = await setUp(async (under, id, added) => {
    if (isLost) throw new LeaseLostError('Another worker has it.');
    if (!added.entries.join().includes('tool.called')) return under.append(id, added);
    isLost = true;
    throw new Error('The connection was reset.');
  });
  const { taskId } = await engine.start(tool, { query: 'Go' }, options);
  await expect.poll(() => engine.metrics()).toContain('agent_worker_runs 1\n');
  await expect.poll(() => engine.metrics()).toContain('agent_worker_runs 0\n');
  expect(api.arrived).toEqual([]);
  expect(parseEvents(taskId, await store.read(taskId)).at(-1)?.type).toBe('model.answered');
});

it('reports metrics also where the store could not be opened', async () => {
  const engine = createTaskEngine({ store: Promise.reject(new Error('ECONNREFUSED')), agents: new Map() });
  onTestFinished(() => engine.close());
  await expect(engine.ready).rejects.toThrow('ECONNREFUSED');
  expect(await engine.metrics()).toMatch(/^agent_store_up 0$.*^agent_worker_runs 0$/ms);
});
