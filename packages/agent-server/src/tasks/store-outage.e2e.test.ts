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
/** How often a worker renews its leases. */
const renewMs = 1_600;
const forever = new AbortController().signal;

type Append = (store: RunStore, id: string, added: NewEntries) => ReturnType<RunStore['append']>;

/** An engine whose store does something else with some appends, and maybe with more. */
async function setUp(append: Append, more: Partial<RunStore> = {}) {
  const calls = [1, 2].map((n) => ({ name: 'shop__order', args: { n } }));
  const [model, api] = [await createScriptedModel(roundsOf(calls)), await startCountingApi()];
  const agent = openAgent(taskAgent(api.url), { llm: { baseURL: model.url, apiKey: 'not-needed' } });
  const store = createSqliteRunStore();
  const errors: string[] = [];
  let dueRenewals = 0;
  const engine = createTaskEngine({
    store: { ...store, append: (id, added) => append(store, id, added), ...more },
    agents: new Map([['shop', agent]]),
    onError: ({ message }) => errors.push(message),
    // Tries again at once.
    every: (ms, action) => {
      const act = () => {
        if (ms === renewMs) dueRenewals += 1;
        action();
      };
      const timer = setInterval(act, ms / 100);
      return () => clearInterval(timer);
    },
  });
  onTestFinished(async () => {
    await engine.close();
    await Promise.all([model.close(), api.close()]);
  });
  return { api, store, engine, errors, dueRenewals: () => dueRenewals };
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

it('whoever follows a run reads on also where nothing tells of its changes', async () => {
  const { engine } = await setUp((under, id, added) => under.append(id, added), { watch: () => () => {} });
  const { taskId } = await engine.start(tool, { query: 'Go' }, options);
  const followed: string[] = [];
  const stop = await engine.follow(taskId, 'amy', ({ type }) => followed.push(type));
  await expect.poll(() => followed.at(-1)).toBe('run.ended');
  stop?.();
});

it('whoever follows a run hears that it is gone', async () => {
  let isGone = false;
  const { engine, store, api } = await setUp((under, id, added) => under.append(id, added), {
    get: async (id) => (isGone ? undefined : store.get(id)),
  });
  const held = api.hold('POST /order?n=1');
  const { taskId } = await engine.start(tool, { query: 'Go' }, options);
  await held;
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  const changes: string[] = [];
  const endings = [
    await engine.follow(taskId, 'amy', () => {}, { onGone: resolve }),
    engine.watch(taskId, 'amy', ({ type }) => changes.push(type)),
  ];
  await expect.poll(() => changes).toContain('message');
  isGone = true;
  await gone;
  await expect.poll(() => changes.at(-1)).toBe('gone');
  isGone = false;
  api.release();
  for (const end of endings) end?.();
});

it('an id that no run can have is not looked for', async () => {
  const { engine } = await setUp((under, id, added) => under.append(id, added), {
    get: async () => {
      throw new Error('invalid byte sequence');
    },
  });
  expect(await engine.get('one\0', 'amy')).toBeUndefined();
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

it('a store that is slow gets no second renewal of a lease before it has answered the first', async () => {
  const waiting: (() => void)[] = [];
  let most = 0;
  const { api, store, engine, dueRenewals } = await setUp((under, id, added) => under.append(id, added), {
    async renew(id, fence, leaseMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      most = Math.max(most, waiting.push(resolve));
      await promise;
      return store.renew(id, fence, leaseMs);
    },
  });
  const held = api.hold('POST /order?n=1');
  const { taskId } = await engine.start(tool, { query: 'Go' }, options);
  await held;
  for (let renewals = 0; renewals < 3; renewals += 1) {
    await expect.poll(() => waiting).toHaveLength(1);
    const due = dueRenewals();
    await expect.poll(dueRenewals).toBeGreaterThan(due + 2);
    waiting.pop()?.();
  }
  api.release();
  await engine.wait(taskId, 'amy', forever);
  expect(most).toBe(1);
});

it('reports metrics also where the store could not be opened', async () => {
  const engine = createTaskEngine({ store: Promise.reject(new Error('ECONNREFUSED')), agents: new Map() });
  onTestFinished(() => engine.close());
  await expect(engine.ready).rejects.toThrow('ECONNREFUSED');
  expect(await engine.metrics()).toMatch(/^agent_store_up 0$.*^agent_worker_runs 0$/ms);
});

it('reports metrics also while the store does not answer', async () => {
  const store = { ...createSqliteRunStore(), counts: () => new Promise<never>(() => {}) };
  const engine = createTaskEngine({ store, agents: new Map() });
  onTestFinished(() => engine.close());
  expect(await engine.metrics()).toMatch(/^agent_store_up 0$/m);
});
