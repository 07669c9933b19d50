import { trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { roundsOf, startCountingApi, taskAgent } from '../../fixtures/task-agent.ts';
import { openAgent } from '../manifest/open-agent.ts';
import { sealedRunStore } from '../store/sealed-run-store.ts';
import { createSqliteRunStore } from '../store/sqlite-run-store.ts';
import { parseStoreKeys } from '../store/store-keys.ts';
import { createScriptedModel } from '../testing/index.ts';
import { createTaskEngine, type TaskEngineOptions } from './task-engine.ts';

const look = (n: number) => ({ name: 'shop__look', args: { n } });
const tool = { listing: { name: 'shop' } } as Parameters<ReturnType<typeof createTaskEngine>['start']>[0];
const options = { owner: 'amy', client: {}, ttlMs: 600_000, callTool: async () => ({ content: [] }) };
const forever = new AbortController().signal;

async function setUp(script = roundsOf([look(1)])) {
  const [model, api] = [await createScriptedModel(script), await startCountingApi()];
  const agent = openAgent(taskAgent(api.url), { llm: { baseURL: model.url, apiKey: 'not-needed' } });
  let time = 1_800_000_000_000;
  const store = createSqliteRunStore(undefined, { now: () => time });
  onTestFinished(() => Promise.all([model.close(), api.close()]).then(() => {}));
  return {
    api,
    store,
    /** Somebody claims the only run so often, and is gone. */
    async kill(times: number) {
      for (let count = 0; count < times; count += 1) {
        await store.claim({ leaseMs: 5_000, tools: ['shop'] });
        time += 5_001;
      }
    },
    open(more: Partial<TaskEngineOptions> = {}) {
      const agents = new Map([['shop', agent]]);
      const engine = createTaskEngine({ store, agents, graceMs: 0, now: () => time, every: () => () => {}, ...more });
      onTestFinished(() => engine.close());
      return engine;
    },
  };
}

describe('a run', () => {
  it('that a server has no key for waits for one that has it, and counts no kills', async () => {
    const { store, open } = await setUp();
    const sealed = (id: string) => sealedRunStore(store, parseStoreKeys(`${id}:${'0a'.repeat(32)}`).keys);
    const { taskId } = await open({ store: sealed('k1'), maxRuns: 0 }).start(tool, { query: 'Go' }, options);
    const errors: string[] = [];
    let look = () => {};
    const every = (_: number, action: () => void) => {
      look = action;
      return () => {};
    };
    open({ store: sealed('k2'), onError: ({ message }) => errors.push(message), every });
    await expect.poll(() => errors).toEqual([expect.stringContaining(`The run ${taskId} waits for a server`)]);
    look();
    await expect.poll(() => store.get(taskId)).toMatchObject({ phase: 'waiting', kills: 0 });
    const { result } = (await open({ store: sealed('k1') }).wait(taskId, 'amy', forever)) ?? {};
    expect(result).toMatchObject({ structuredContent: { total: 1 } });
  });

  it('that cannot be read works or is cancelled for its client, and hides no others', async () => {
    const { store, open } = await setUp();
    const sealed = (id: string) => sealedRunStore(store, parseStoreKeys(`${id}:${'0a'.repeat(32)}`).keys);
    const engine = open({ store: sealed('k1') });
    const start = async () => (await engine.start(tool, { query: 'Go' }, options)).taskId;
    const done = await start();
    await engine.wait(done, 'amy', forever);
    const waiting = (await open({ store: sealed('k1'), maxRuns: 0 }).start(tool, { query: 'Go' }, options)).taskId;
    const errors: string[] = [];
    const other = open({ store: sealed('k2'), maxRuns: 0, onError: ({ message }) => errors.push(message) });
    expect(await other.get(waiting, 'amy')).toMatchObject({ status: 'working' });
    expect(await other.cancel(waiting, 'amy')).toMatchObject({ status: 'cancelled' });
    expect((await other.list('amy')).tasks).toMatchObject([{ taskId: waiting }]);
    await expect(other.get(done, 'amy')).rejects.toThrow(/^The tasks of this server cannot be read or stored/);
    expect(new Set(errors)).toEqual(new Set([expect.stringContaining('encrypted with the key k1')]));
  });

  it('waits, too, if the answer to its question cannot be read', async () => {
    const { store, open } = await setUp(roundsOf([{ name: 'ask_user', args: { message: 'How many?' } }]));
    const sealed = (id: string) => sealedRunStore(store, parseStoreKeys(`${id}:${'0a'.repeat(32)}`).keys);
    const engine = open({ store: { ...store, close: async () => {} } });
    const client = { capabilities: { elicitation: {} } };
    const { taskId } = await engine.start(tool, { query: 'Go' }, { ...options, client });
    await engine.wait(taskId, 'amy', forever);
    await engine.close();
    await sealed('k1').request(taskId, { type: 'answer', answer: '{"action":"decline"}' });
    const errors: string[] = [];
    open({ store: sealed('k2'), onError: ({ message }) => errors.push(message) });
    await expect.poll(() => errors).toEqual([expect.stringContaining(`Cannot read the answer to run ${taskId}`)]);
    await expect.poll(() => store.get(taskId)).toMatchObject({ phase: 'waiting', kills: 0 });
  });

  it('whose store fails tells its client nothing of it', async () => {
    const { store, open } = await setUp();
    const broken = {
      ...store,
      get: () => Promise.reject(new Error('Cannot use the runs in /srv/runs.db: disk I/O error')),
    };
    const errors: string[] = [];
    const engine = open({ store: broken, onError: ({ message }) => errors.push(message) });
    const { message } = (await engine.get('x', 'amy').catch((error: Error) => error)) as Error;
    expect(message).toBe('The tasks of this server cannot be read or stored at the moment. Try again later.');
    expect(errors).toEqual(['Cannot use the runs in /srv/runs.db: disk I/O error']);
  });

  it('is refused for a while if the store cannot be opened, and its client learns nothing of the place', async () => {
    const { open } = await setUp();
    const problem = 'Cannot open the runs at redis://queue:6379/0: connect ECONNREFUSED';
    const errors: string[] = [];
    const engine = open({ store: Promise.reject(new Error(problem)), onError: ({ message }) => errors.push(message) });
    await expect(engine.start(tool, { query: 'Go' }, options)).rejects.toMatchObject({
      code: -32000,
      data: { retryAfterMs: 5_000 },
      message: expect.not.stringContaining('redis'),
    });
    expect(errors).toContain(problem);
  });

  it('stores no token of its caller', async () => {
    const { store, open } = await setUp();
    const client = { maskToken: (text: string) => text.replace('sesame-token-of-the-caller', '') };
    const { taskId } = await open().start(
      tool,
      { query: 'Go with sesame-token-of-the-caller' },
      { ...options, client },
    );
    expect((await store.read(taskId)).join()).not.toContain('sesame');
  });

  it('survives 20 kills, then fails with its journal kept, and can be tried again', async () => {
    const { store, kill, open } = await setUp();
    const idle = open({ maxRuns: 0 });
    const { taskId } = await idle.start(tool, { query: 'Go' }, options);
    await kill(21);
    const engine = open();
    const failed = await engine.wait(taskId, 'amy', forever);
    expect(failed?.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('The server ended 21 times while it worked on this run') }],
    });
    await store.request(taskId, { type: 'retry' });
    await kill(20);
    const again = open();
    expect((await again.wait(taskId, 'amy', forever))?.result).toMatchObject({ structuredContent: { total: 1 } });
    const kinds = (await store.read(taskId)).map((entry) => JSON.parse(entry).type);
    expect(kinds.slice(0, 4)).toEqual(['run.started', 'run.ended', 'run.resumed', 'round.started']);
  });

  it('that was cancelled while it asked its user, and is tried again, asks again', async () => {
    const { store, open } = await setUp(roundsOf([{ name: 'ask_user', args: { message: 'How many?' } }]));
    const engine = open();
    const client = { capabilities: { elicitation: {} } };
    const { taskId } = await engine.start(tool, { query: 'Go' }, { ...options, client });
    expect((await engine.wait(taskId, 'amy', forever))?.status).toBe('input_required');
    await engine.cancel(taskId, 'amy');
    await expect.poll(async () => (await store.get(taskId))?.phase).toBe('ended');
    await store.request(taskId, { type: 'retry' });
    open();
    const again = await engine.wait(taskId, 'amy', forever);
    expect([again?.status, again?.statusMessage]).toEqual(['input_required', 'Asking the user: How many?']);
    const [key = ''] = Object.keys(again?.inputRequests ?? {});
    await engine.answer(taskId, 'amy', { [key]: { action: 'accept', content: { answer: '7' } } });
    expect((await engine.wait(taskId, 'amy', forever))?.result).toMatchObject({ structuredContent: { total: 1 } });
  });

  it('that is asked for again and again is not read from its beginning each time', async () => {
    const { api, store, open } = await setUp();
    const reads: number[] = [];
    const read: typeof store.read = (id, from = 0) => {
      reads.push(from);
      return store.read(id, from);
    };
    const engine = open({ store: { ...store, read } });
    const held = api.hold('GET /look?n=1');
    const { taskId } = await engine.start(tool, { query: 'Go' }, options);
    await held;
    const first = await engine.get(taskId, 'amy');
    reads.length = 0;
    const again = [await engine.get(taskId, 'amy'), await engine.get(taskId, 'amy')];
    expect(again).toEqual([first, first]);
    expect(first?.statusMessage).toBe('Calling shop__look.');
    expect(reads).toEqual([4, 4]);
    api.release();
    expect((await engine.wait(taskId, 'amy', forever))?.statusMessage).toBe('Answer submitted.');
  });

  it.each(['asks its user', 'is handed back'])('that %s leaves no span open', async (how) => {
    const spans = new InMemorySpanExporter();
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
    provider.register();
    onTestFinished(() => {
      trace.disable();
      return provider.shutdown();
    });
    const asks = how === 'asks its user';
    const { api, open } = await setUp(roundsOf([asks ? { name: 'ask_user', args: { message: '?' } } : look(1)]));
    // Its grace is over at once.
    const every: TaskEngineOptions['every'] = (ms, action) => {
      if (ms === 0) action();
      return () => {};
    };
    const engine = open({ every });
    const held = api.hold('GET /look?n=1');
    const client = { capabilities: { elicitation: {} } };
    const { taskId } = await engine.start(tool, { query: 'Go' }, { ...options, client });
    if (asks) await engine.wait(taskId, 'amy', forever);
    else await held;
    await engine.close();
    expect(spans.getFinishedSpans().map(({ name }) => name.split(' ')[0])).toEqual(
      asks ? ['chat', 'invoke_agent'] : ['chat', 'execute_tool', 'invoke_agent'],
    );
  });

  it('whose arguments do not fit any more ends with a plain error', async () => {
    const { open } = await setUp();
    const engine = open();
    const { taskId } = await engine.start(tool, { query: 7 }, options);
    const { status, result } = (await engine.wait(taskId, 'amy', forever)) ?? {};
    expect([status, result?.content]).toEqual([
      'completed',
      [{ type: 'text', text: expect.stringContaining('The arguments of shop are invalid') }],
    ]);
  });

  it('of an agent that a server does not have is left to others', async () => {
    const { store, open } = await setUp();
    const { taskId } = await open({ maxRuns: 0 }).start(tool, { query: 'Go' }, options);
    open({ agents: new Map() });
    expect((await store.get(taskId))?.phase).toBe('waiting');
    expect((await open().wait(taskId, 'amy', forever))?.status).toBe('completed');
  });

  it('is not waited for when the server closes', async () => {
    const { api, open } = await setUp();
    const closing = new AbortController();
    const engine = open({ closing: closing.signal });
    const held = api.hold('GET /look?n=1');
    const { taskId } = await engine.start(tool, { query: 'Go' }, options);
    await held;
    const waiting = expect(engine.wait(taskId, 'amy', forever)).rejects.toThrow('The server is closing.');
    closing.abort();
    await waiting;
    await expect(engine.start(tool, { query: 'Go' }, options)).rejects.toThrow('The server is closing.');
    api.release();
  });

  it('waits for its turn where many are running', async () => {
    const { api, store, open } = await setUp();
    const engine = open({ maxRuns: 2 });
    const held = api.hold('GET /look?n=1');
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { taskId } = await engine.start(tool, { query: 'Go' }, options);
      ids.push(taskId);
    }
    await held;
    const phases = (await store.list({ limit: 10 })).map(({ phase }) => phase);
    expect(phases.filter((phase) => phase === 'running').length).toBeLessThanOrEqual(2);
    api.release();
    const ends = await Promise.all(ids.map((id) => engine.wait(id, 'amy', forever)));
    expect(ends.map((end) => end?.status)).toEqual(Array(5).fill('completed'));
  });

  it('is listed to its owner only, and tells what it did from any number on', async () => {
    const { open } = await setUp();
    const engine = open();
    const { taskId } = await engine.start(tool, { query: 'Go' }, options);
    await engine.wait(taskId, 'amy', forever);
    expect((await engine.list('amy')).tasks).toMatchObject([{ taskId, statusMessage: 'Answer submitted.' }]);
    expect(await engine.list('bob')).toEqual({ tasks: [] });
    expect(await engine.list(undefined)).toEqual({ tasks: [] });
    await expect(engine.list('amy', 'unknown')).rejects.toThrow('Invalid cursor');
    const seen: unknown[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    engine.watch(
      taskId,
      'amy',
      (change) => {
        if (change.type === 'message') seen.push([change.seq, change.message]);
        if (change.type !== 'state') return;
        seen.push(change.state.status);
        resolve();
      },
      5,
    );
    await promise;
    expect(seen).toEqual([[5, 'Round 2: asking the model.'], [7, 'Answer submitted.'], 'completed']);
  });

  it('that was cancelled is not completed any more', async () => {
    const { api, open } = await setUp();
    const results = new Map<string, boolean>();
    const engine = open({ onResult: (id, { isError = false }) => results.set(id, isError) });
    const held = api.hold('GET /look?n=1');
    const { taskId } = await engine.start(tool, { query: 'Go' }, options);
    await held;
    expect(await engine.cancel(taskId, 'bob')).toBeUndefined();
    const states = await Promise.all([engine.cancel(taskId, 'amy'), engine.cancel(taskId, 'amy')]);
    expect(states.map((state) => state?.status)).toEqual(['cancelled', 'cancelled']);
    api.release();
    const done = await engine.start(tool, { query: 'Go' }, options);
    await engine.wait(done.taskId, 'amy', forever);
    expect((await engine.cancel(done.taskId, 'amy'))?.status).toBe('completed');
    // One that was cancelled has failed, and costs nothing.
    await expect.poll(() => [results.get(taskId), results.get(done.taskId)]).toEqual([true, false]);
  });
});
