import { describe, expect, test } from 'vitest';
import { asTask, endTask, type RunningTask } from '../tasks.ts';
import { HandlerAbortController, HandlerAbortSignal } from './abort-signal.ts';

describe('HandlerAbortSignal', () => {
  test('notifies each listener once', () => {
    const { signal, ...controller } = withAbort();
    const heard: unknown[] = [];
    signal.onabort = (event: { type: string }) => heard.push(event.type);
    signal.addEventListener('abort', { handleEvent: () => heard.push('object') });
    const removed = () => heard.push('removed');
    signal.addEventListener('abort', removed);
    signal.removeEventListener('abort', removed);
    controller.abort('why');
    controller.abort('again');
    expect(heard.sort()).toEqual(['abort', 'object']);
    expect([signal.aborted, signal.reason]).toEqual([true, 'why']);
    expect(() => signal.throwIfAborted()).toThrow('why');
  });

  test('has the reasons of the standard', async () => {
    expect(HandlerAbortSignal.abort().reason).toMatchObject({ name: 'AbortError' });
    const signal = asTask(task(), () => HandlerAbortSignal.timeout(1));
    await expect.poll(() => signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  test('times out only while its task is running', async () => {
    const [over, going] = [task(), task()];
    const signal = asTask(over, () => HandlerAbortSignal.timeout(1));
    endTask(over);
    const later = asTask(going, () => HandlerAbortSignal.timeout(5));
    await expect.poll(() => later.aborted).toBe(true);
    expect(signal.aborted).toBe(false);
    endTask(going);
    expect(() => HandlerAbortSignal.timeout(1)).toThrow('has ended');
  });

  test('follows any of several', () => {
    const [first, second] = [withAbort(), withAbort()];
    const any = HandlerAbortSignal.any([first.signal, second.signal]);
    expect(any.aborted).toBe(false);
    second.abort(2);
    first.abort(1);
    expect(any.reason).toBe(2);
    expect(HandlerAbortSignal.any([first.signal]).reason).toBe(1);
  });

  test('cannot be constructed by handlers', () => {
    expect(() => new HandlerAbortSignal()).toThrow('Illegal constructor');
  });
});

let lastId = 0;

function task(): RunningTask {
  const nothing = () => undefined;
  const { signal } = new HandlerAbortController();
  return { id: ++lastId, key: 'one', signal, cancel: nothing, end: nothing, fail: nothing, cleanups: new Set() };
}

function withAbort() {
  const controller = new HandlerAbortController();
  return { signal: controller.signal, abort: (reason?: unknown) => controller.abort(reason) };
}
