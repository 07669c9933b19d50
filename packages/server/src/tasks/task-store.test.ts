import { afterEach, describe, expect, it, vi } from 'vitest';
import { InMemoryTaskStore } from './task-store.ts';

afterEach(() => void vi.useRealTimers());

describe('InMemoryTaskStore', () => {
  const create = (store: InMemoryTaskStore, sessionId?: string, ttl: number | null = null) =>
    store.createTask({ ttl }, 1, {}, sessionId);

  it('keeps a task with its result, and shows it to its session only', async () => {
    const store = new InMemoryTaskStore();
    const { taskId, ...task } = await create(store, 'one');
    expect(taskId).toMatch(/^[0-9a-f]{32}$/);
    expect(task).toMatchObject({ status: 'working', ttl: null, pollInterval: 1000 });
    expect(await store.getTask(taskId, 'other')).toBeNull();
    await expect(store.getTaskResult(taskId, 'one')).rejects.toThrow('has no result');
    await store.updateTaskStatus(taskId, 'input_required', 'Which town?', 'one');
    await store.storeTaskResult(taskId, 'completed', { content: [] }, 'one');
    expect(await store.getTask(taskId, 'one')).toMatchObject({ status: 'completed' });
    expect(await store.getTaskResult(taskId, 'one')).toEqual({ content: [] });
    await expect(store.updateTaskStatus(taskId, 'cancelled', undefined, 'one')).rejects.toThrow('has ended: completed');
    await expect(store.storeTaskResult(taskId, 'failed', {}, 'other')).rejects.toThrow('There is no task');
  });

  it('forgets a task after its time to live', async () => {
    vi.useFakeTimers();
    const store = new InMemoryTaskStore();
    const { taskId } = await create(store, undefined, 1000);
    expect(await store.getTask(taskId)).not.toBeNull();
    vi.advanceTimersByTime(1001);
    expect(await store.getTask(taskId)).toBeNull();
    expect((await store.listTasks()).tasks).toEqual([]);
  });

  it('lists the tasks of a session in pages', async () => {
    const store = new InMemoryTaskStore();
    for (let count = 0; count < 150; count += 1) await create(store, count % 3 === 0 ? 'other' : 'own');
    const first = await store.listTasks(undefined, 'own');
    expect(first.tasks).toHaveLength(100);
    const second = await store.listTasks(undefined, 'other');
    expect([second.tasks.length, second.nextCursor]).toEqual([50, undefined]);
    for (let count = 0; count < 60; count += 1) await create(store, 'own');
    const page = await store.listTasks(undefined, 'own');
    const rest = await store.listTasks(page.nextCursor, 'own');
    expect(rest.tasks).toHaveLength(60);
    await expect(store.listTasks('nothing', 'own')).rejects.toThrow('Invalid cursor');
  });
});
