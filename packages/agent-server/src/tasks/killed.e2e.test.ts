import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type CountingApi, roundsOf, startCountingApi } from '../../fixtures/task-agent.ts';
import type { RunEvent } from '../run/events.ts';
import { openRunStore } from '../store/open-run-store.ts';
import type { RunStore } from '../store/run-store.ts';
import { createScriptedModel, type ScriptedCall } from '../testing/index.ts';
import { parseEvents } from './task-state.ts';

const program = join(import.meta.dirname, '../../fixtures/task-process.ts');

async function setUp(calls: readonly ScriptedCall[]) {
  const folder = await mkdtemp(join(tmpdir(), 'tasks-'));
  const model = await createScriptedModel(roundsOf(calls));
  const api = await startCountingApi();
  const tasks = `sqlite:${join(folder, 'runs.db')}`;
  const store = await openRunStore(tasks);
  const processes: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of processes) child.kill('SIGKILL');
    await store.close();
    await Promise.all([model.close(), api.close()]);
    await rm(folder, { recursive: true });
  });
  return {
    model,
    api,
    store,
    async startProcess(): Promise<ChildProcess> {
      const setup = JSON.stringify({ tasks, modelUrl: model.url, apiUrl: api.url });
      const child = fork(program, [setup], { execArgv: ['--conditions=@schemakit/source'] });
      processes.push(child);
      await once(child, 'message');
      return child;
    },
  };
}

async function startRun(child: ChildProcess): Promise<string> {
  const started = once(child, 'message');
  child.send({ query: 'Go' });
  const [{ taskId }] = (await started) as [{ taskId: string }];
  return taskId;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function endOf(store: RunStore, id: string): Promise<RunEvent[]> {
  await expect.poll(async () => (await store.get(id))?.phase, { timeout: 30_000 }).toBe('ended');
  return parseEvents(id, await store.read(id));
}

const countOf = ({ arrived }: CountingApi) =>
  Object.fromEntries(
    Map.groupBy(arrived, ({ request }) => request)
      .entries()
      .map(([key, all]) => [key, all.length]),
  );

const call = (name: string, n: number): ScriptedCall => ({ name: `shop__${name}`, args: { n } });

test('a run that was killed in four calls goes on, and repeats only what does no harm', {
  timeout: 120_000,
}, async () => {
  const calls = [call('look', 1), call('look', 2), call('order', 3), call('pay', 4), call('put', 5), call('order', 6)];
  const { api, store, model, startProcess } = await setUp(calls);
  let child = await startProcess();
  const held = api.hold('GET /look?n=2');
  const id = await startRun(child);
  await held;
  for (const next of ['POST /order?n=3', 'POST /pay?n=4', 'PUT /put?n=5', undefined]) {
    const arrives = next && api.hold(next);
    await kill(child);
    child = await startProcess();
    await arrives;
  }
  const events = await endOf(store, id);
  expect(events.at(-1)).toMatchObject({ type: 'run.ended', status: 'success', answer: { total: 6 } });
  expect(events.filter(({ type }) => type === 'run.ended')).toHaveLength(1);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  expect((await store.get(id))?.kills).toBe(4);
  expect(countOf(api)).toEqual({
    'GET /look?n=1': 1,
    'GET /look?n=2': 2,
    'POST /order?n=3': 1,
    'POST /pay?n=4': 2,
    'PUT /put?n=5': 2,
    'POST /order?n=6': 1,
  });
  const keys = api.arrived.flatMap(({ key }) => key ?? []);
  expect(new Set(keys)).toEqual(new Set([keys[0]]));
  const told = model.requests.at(-1)?.messages.flatMap(({ results }) => results.map(({ text }) => text)) ?? [];
  expect(told.filter((text) => text.includes('Outcome unknown: shop__order was sent at 20'))).toHaveLength(1);
  expect(told.filter((text) => text.includes('was sent twice, first at 20'))).toHaveLength(2);
});

test('a process that was stopped while another took over its run writes and sends nothing more', async () => {
  const calls = [call('look', 1), call('order', 2), call('look', 3)];
  const { api, store, startProcess } = await setUp(calls);
  const first = await startProcess();
  const held = api.hold('GET /look?n=1');
  const id = await startRun(first);
  await held;
  first.kill('SIGSTOP');
  await startProcess();
  const events = await endOf(store, id);
  first.kill('SIGCONT');
  api.release();
  // It answers, so it has seen the answer that it waited for and found that the run is not its own.
  await endOf(store, await startRun(first));
  expect(parseEvents(id, await store.read(id))).toEqual(events);
  expect(events.filter(({ type }) => type === 'run.ended')).toHaveLength(1);
  expect(countOf(api)).toEqual({ 'GET /look?n=1': 3, 'POST /order?n=2': 2, 'GET /look?n=3': 2 });
});
