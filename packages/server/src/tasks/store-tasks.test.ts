import { inputRequired } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CallResult, ServedTool } from '../catalog/tool-catalog.ts';
import type { ToolCaller } from '../tool-calls.ts';
import { storeTasks } from './store-tasks.ts';
import type { StartOptions, TaskChange } from './task-provider.ts';
import { InMemoryTaskStore } from './task-store.ts';

afterEach(() => void vi.useRealTimers());

const tool = { listing: { name: 'bake' } } as ServedTool;
const owner = 'eva';
const never = new AbortController().signal;
const bread: CallResult = { content: [{ type: 'text', text: 'bread' }] };

function startOptions(callTool: ToolCaller, ttlMs = 60_000): StartOptions {
  return { owner, ttlMs, client: {}, callTool };
}

/** A call that the test ends. */
function held() {
  const { promise, resolve } = Promise.withResolvers<CallResult>();
  const context = Promise.withResolvers<Parameters<ToolCaller>[2]>();
  const callTool: ToolCaller = (_tool, _args, given) => {
    context.resolve(given);
    return promise;
  };
  return { callTool, end: resolve, context: context.promise };
}

function question(...keys: string[]): CallResult {
  const requestedSchema = { type: 'object', properties: {} } as const;
  const ask = inputRequired.elicit({ message: 'Sweet?', requestedSchema });
  return inputRequired({ inputRequests: Object.fromEntries(keys.map((key) => [key, ask])) }) as never;
}

describe('storeTasks', () => {
  test('cancels the call at once', async () => {
    const tasks = storeTasks(new InMemoryTaskStore());
    const { callTool, context } = held();
    const { taskId } = await tasks.start(tool, {}, startOptions(callTool));
    const { signal } = await context;
    const start = performance.now();
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve());
    const [state] = await Promise.all([tasks.cancel(taskId, owner), aborted]);
    expect(performance.now() - start).toBeLessThan(100);
    expect(state).toMatchObject({ status: 'cancelled', statusMessage: 'Cancelled by the client.' });
  });

  test('lets a task end once, however cancel and completion meet', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.boolean(), async (scheduler, isSlow) => {
        class SlowStore extends InMemoryTaskStore {
          override async storeTaskResult(...args: Parameters<InMemoryTaskStore['storeTaskResult']>) {
            if (isSlow) await scheduler.schedule(Promise.resolve());
            await super.storeTaskResult(...args);
          }
          override async updateTaskStatus(...args: Parameters<InMemoryTaskStore['updateTaskStatus']>) {
            if (isSlow) await scheduler.schedule(Promise.resolve());
            await super.updateTaskStatus(...args);
          }
        }
        const tasks = storeTasks(new SlowStore());
        const { callTool, end } = held();
        const { taskId } = await tasks.start(tool, {}, startOptions(callTool));
        const states: string[] = [];
        tasks.watch(taskId, owner, (change) => change.type === 'state' && states.push(change.state.status));
        const cancelled = scheduler.schedule(Promise.resolve()).then(() => tasks.cancel(taskId, owner));
        void scheduler.schedule(Promise.resolve()).then(() => end(bread));
        const told = scheduler.waitFor(cancelled);
        const state = await told;
        const final = await tasks.wait(taskId, owner, never);
        expect(final).toEqual(state);
        expect(final?.status === 'completed').toBe(final?.result !== undefined);
        expect(states).toEqual([final?.status]);
      }),
    );
  });

  test('asks one round after the other with keys of their own', async () => {
    const tasks = storeTasks(new InMemoryTaskStore());
    const seen: unknown[] = [];
    const callTool: ToolCaller = async (_tool, _args, { client }) => {
      seen.push(client?.inputResponses);
      return seen.length < 3 ? question('sweet', 'salty') : bread;
    };
    const { taskId } = await tasks.start(tool, {}, startOptions(callTool));
    const asked = await tasks.wait(taskId, owner, never);
    expect(Object.keys(asked?.inputRequests ?? {})).toEqual(['sweet', 'salty']);
    const half = await tasks.answer(taskId, owner, { sweet: 1, other: 2 });
    expect([half?.status, Object.keys(half?.inputRequests ?? {})]).toEqual(['input_required', ['salty']]);
    expect(await tasks.answer(taskId, 'max', { salty: 9 })).toBeUndefined();
    await tasks.answer(taskId, owner, { sweet: 3, salty: 4 });
    const again = await tasks.wait(taskId, owner, never);
    expect(Object.keys(again?.inputRequests ?? {})).toEqual(['sweet#2', 'salty#2']);
    await tasks.answer(taskId, owner, { 'sweet#2': 5, 'salty#2': 6 });
    expect((await tasks.wait(taskId, owner, never))?.result).toEqual(bread);
    expect(seen).toEqual([undefined, { sweet: 1, salty: 4 }, { sweet: 5, salty: 6 }]);
  });

  test('numbers messages, and tells them from any number on', async () => {
    const tasks = storeTasks(new InMemoryTaskStore());
    const { callTool, context, end } = held();
    const { taskId } = await tasks.start(tool, {}, startOptions(callTool));
    const { onProgress } = await context;
    onProgress?.('flour');
    onProgress?.('water');
    const changes: TaskChange[] = [];
    tasks.watch(taskId, owner, (change) => changes.push(change), 1);
    tasks.watch(taskId, 'max', () => expect.unreachable());
    onProgress?.('salt');
    end(bread);
    await tasks.wait(taskId, owner, never);
    expect(changes).toMatchObject([
      { type: 'message', seq: 1, message: 'water' },
      { type: 'message', seq: 2, message: 'salt' },
      { type: 'state', state: { status: 'completed', result: bread } },
    ]);
  });

  test('forgets a task after its lifetime, and stops it', async () => {
    vi.useFakeTimers();
    const tasks = storeTasks(new InMemoryTaskStore());
    const { callTool, context } = held();
    const { taskId } = await tasks.start(tool, {}, startOptions(callTool, 1000));
    await vi.advanceTimersByTimeAsync(1001);
    expect(await tasks.get(taskId, owner)).toBeUndefined();
    expect((await context).signal.aborted).toBe(true);
  });

  test('keeps sessions as long as asked', async () => {
    vi.useFakeTimers();
    const { sessions } = storeTasks(new InMemoryTaskStore());
    await sessions.keep('one', { initialize: 1 }, 1000);
    expect(await sessions.find('one')).toEqual({ initialize: 1 });
    vi.advanceTimersByTime(1001);
    expect(await sessions.find('one')).toBeUndefined();
  });

  test('follows a task that another process runs', async () => {
    const store = new InMemoryTaskStore();
    const { taskId } = await store.createTask({ ttl: null, pollInterval: 10 }, 1, {}, owner);
    const waiting = storeTasks(store).wait(taskId, owner, never);
    await store.storeTaskResult(taskId, 'completed', bread, owner);
    expect(await waiting).toMatchObject({ status: 'completed', result: bread });
  });
});
