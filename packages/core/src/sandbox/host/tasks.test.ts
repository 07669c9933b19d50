import { describe, expect, test } from 'vitest';
import { asTask, endTask, findTask, type RunningTask, taskInProgress, taskOfProgram } from './tasks.ts';
import { HandlerAbortController } from './web/abort-signal.ts';

const taskOf = (id: number, key: string): RunningTask => ({
  id,
  key,
  signal: new HandlerAbortController().signal,
  cancel: () => undefined,
  end: () => undefined,
  fail: () => undefined,
  cleanups: new Set(),
});

describe('a task', () => {
  test('is the current task of code that it started, until it ends', async () => {
    const task = taskOf(1, 'one');
    const { promise, resolve } = Promise.withResolvers<void>();
    const later = asTask(task, async () => {
      expect(taskInProgress()).toBe(task);
      await promise;
      return taskInProgress();
    });
    expect(taskInProgress()).toBeUndefined();
    endTask(task);
    resolve();
    expect(await later).toBeUndefined();
    expect(findTask(1)).toBeUndefined();
  });

  test('is not available to code of another program', () => {
    const task = taskOf(2, 'one');
    expect(asTask(task, () => taskOfProgram('two'))).toBeUndefined();
    expect(asTask(task, () => taskOfProgram('one'))).toBe(task);
    endTask(task);
  });

  test('stops its lingering work when it ends', () => {
    const task = taskOf(3, 'one');
    const stopped: string[] = [];
    task.cleanups.add(() => stopped.push('timer'));
    asTask(task, () => undefined);
    endTask(task);
    endTask(task);
    expect(stopped).toEqual(['timer']);
  });
});
