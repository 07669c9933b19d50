import { afterEach, describe, expect, test } from 'vitest';
import { doneWith, jobOf, jobOfProgram } from './fixtures/pool-job.ts';
import { hookOf } from './fixtures/program.ts';
import { createHandlerPool, type HandlerJob, type HandlerPool } from './handler-pool.ts';

let pool: HandlerPool;
afterEach(() => pool.close());

const silence = () => new Promise<never>(() => {});

/** Begins a call in a host of which it is the second one, cancels it, and tells whether the next one finds the same host. */
async function cancel(body: string) {
  pool = createHandlerPool({ size: 1 });
  const marked = jobOf('const before = globalThis.mark ?? 0; globalThis.mark = 1; return before');
  expect(await pool.run(marked)).toEqual(doneWith(0));
  const controller = new AbortController();
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const { promise: requestAborted, resolve: onAbort } = Promise.withResolvers<void>();
  const fetch: HandlerJob['fetch'] = (_, signal) => {
    signal.addEventListener('abort', () => onAbort());
    resolve();
    return silence();
  };
  const outcome = pool.run(jobOf(body, { onLog: () => resolve(), fetch, signal: controller.signal }));
  await begun;
  controller.abort();
  expect(await outcome).toEqual({ type: 'aborted' });
  const isSameHost = JSON.stringify(await pool.run(marked)) === JSON.stringify(doneWith(1));
  return { isSameHost, requestAborted };
}

describe('a call that is cancelled', () => {
  test('aborts its requests, and its host goes on', async () => {
    const { isSameHost, requestAborted } = await cancel(`await fetch('https://api.example')`);
    await requestAborted;
    expect(isSameHost).toBe(true);
  });

  test('gets an AbortError while it waits for a request, and may clean up', async () => {
    const requests: string[] = [];
    const body = `
      globalThis.seen = [];
      try { await fetch('https://api.example') } catch (error) { globalThis.seen.push(error.name) } finally { globalThis.seen.push('clean') }
      try { await fetch('https://api.example/again') } catch (error) { globalThis.seen.push(error.message) }`;
    const program = hookOf(`if (context.look) return globalThis.seen; ${body}`);
    const fetch: HandlerJob['fetch'] = ({ url }) => {
      requests.push(url);
      resolve();
      return silence();
    };
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    pool = createHandlerPool({ size: 1 });
    const controller = new AbortController();
    const outcome = pool.run(jobOfProgram(program, {}, { fetch, signal: controller.signal }));
    await begun;
    controller.abort();
    expect(await outcome).toEqual({ type: 'aborted' });
    expect(await pool.run(jobOfProgram(program, { look: true }))).toEqual(
      doneWith(['AbortError', 'clean', 'fetch failed: the call that makes this request has ended']),
    );
    expect(requests).toEqual(['https://api.example/']);
  });

  test('is notified by the signal of its argument, and its host goes on', async () => {
    const body = `
      if (context.signal.aborted) throw new Error('too early');
      console.log('begun');
      await new Promise((_, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason)));`;
    expect((await cancel(body)).isSameHost).toBe(true);
  });

  test('ends while it waits for another thread, and its host goes on', async () => {
    const body = `console.log('begun'); while (true) await crypto.subtle.digest('SHA-256', new Uint8Array(1000))`;
    expect((await cancel(body)).isSameHost).toBe(true);
  });

  test.each([
    ['waits for nothing', 'await new Promise(() => {})'],
    ['waits for a timer', 'await new Promise((resolve) => setTimeout(resolve, 60_000))'],
    ['does not yield', 'while (true) {}'],
  ])('and %s leaves no host behind in which it goes on', async (_, body) => {
    expect((await cancel(`console.log('begun'); ${body}`)).isSameHost).toBe(false);
  });

  test('does not fail other calls with errors that it throws later', async () => {
    pool = createHandlerPool({ size: 1 });
    const controller = new AbortController();
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const body = `
      console.log('begun');
      context.signal.addEventListener('abort', () => { Promise.reject(new Error('left behind')); throw new Error('in a listener') });
      await new Promise(() => {});`;
    const cancelled = pool.run(jobOf(body, { onLog: () => resolve(), signal: controller.signal }));
    const neighbour = pool.run(jobOf('await new Promise((resolve) => setTimeout(resolve, 500)); return 2'));
    await begun;
    controller.abort();
    expect(await cancelled).toEqual({ type: 'aborted' });
    expect(await neighbour).toEqual(doneWith(2));
  });
});

test('the signal of a call is aborted at its deadline', async () => {
  pool = createHandlerPool({ size: 1 });
  const program = hookOf(`
    if (context.look) return globalThis.aborted;
    globalThis.aborted = false;
    context.signal.addEventListener('abort', () => { globalThis.aborted = true });
    await fetch('https://api.example');`);
  const late = pool.run(jobOfProgram(program, {}, { timeoutMs: 200, fetch: silence }));
  expect(await late).toMatchObject({ type: 'failed', failure: { code: 'HANDLER_TIMEOUT' } });
  expect(await pool.run(jobOfProgram(program, { look: true }))).toEqual(doneWith(true));
});
