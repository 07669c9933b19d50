import { describe, expect, test } from 'vitest';
import { HandlerAbortController, HandlerAbortSignal } from './abort-signal.ts';

describe('HandlerAbortSignal', () => {
  test('tells its listeners once, each of them', () => {
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
    const signal = HandlerAbortSignal.timeout(1);
    await expect.poll(() => signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
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

  test('cannot be made by hand', () => {
    expect(() => new HandlerAbortSignal()).toThrow('Illegal constructor');
  });
});

function withAbort() {
  const controller = new HandlerAbortController();
  return { signal: controller.signal, abort: (reason?: unknown) => controller.abort(reason) };
}
