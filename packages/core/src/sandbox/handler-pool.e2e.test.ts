import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { callHook, hookOf, programOf, run } from './fixtures/program.ts';
import { closeHandlerPool, createHandlerPool, type HandlerJob, type HandlerPool } from './handler-pool.ts';

afterAll(closeHandlerPool);

describe('a handler that does not end', () => {
  test.each([
    ['waits for nothing', 'await new Promise(() => {})'],
    ['loops', 'while (true) {}'],
    ['loops in promises', 'const again = () => Promise.resolve().then(again); await again()'],
    ['loops in a pattern', `/^(a+)+$/.test('a'.repeat(40) + 'b')`],
    ['loops while its answer is read', 'return { get x() { while (true) {} } }'],
  ])('%s: its call fails at the deadline, and the next one works', async (_, body) => {
    await expect(run(body, {}, { timeoutMs: 300 })).rejects.toMatchObject({ code: 'HANDLER_TIMEOUT' });
    expect(await run('return 1')).toBe(1);
  });

  test('is stopped even in the statements of the module', async () => {
    const looping = programOf('while (true) {}; const handlers = () => ({});');
    await expect(callHook(looping, {}, { timeoutMs: 300 })).rejects.toMatchObject({ code: 'HANDLER_TIMEOUT' });
  });

  test('has no timers left afterwards', async () => {
    const counting = programOf(`
      let seen = 0;
      const handlers = () => ({ tool: { executeRequest: async ({ count }) => {
        if (count) return seen;
        setInterval(() => { seen += 1 }, 1);
        await new Promise((r) => setTimeout(r, 20));
        return seen > 0;
      } } });`);
    expect(await callHook(counting)).toBe(true);
    const first = await callHook(counting, { count: true });
    await run('await new Promise((r) => setTimeout(r, 30))');
    expect(await callHook(counting, { count: true })).toBe(first);
  });
});

describe('a handler that needs too much memory', () => {
  test.each([
    ['objects', 'const all = []; while (true) all.push({ x: [1, 2, 3] })'],
    ['bytes', 'const all = []; while (true) all.push(new Uint8Array(1e7).fill(1))'],
    ['a long text', `let text = 'x'; while (true) text = [text, text].map((t) => t + 'y').join('')`],
  ])('%s: only its own host ends', async (_, body) => {
    await expect(run(body, {}, { timeoutMs: 20_000 })).rejects.toMatchObject({
      code: expect.stringMatching(/^HANDLER_(CRASHED|THREW)$/),
    });
    expect(await run('return 1')).toBe(1);
  });
});

describe('an aborted call', () => {
  test('fails at once', async () => {
    const controller = new AbortController();
    const call = run('await new Promise(() => {})', {}, { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await expect(call).rejects.toMatchObject({ code: 'HANDLER_ABORTED' });
  });

  test('is not started when the signal was aborted before', async () => {
    await expect(run('return 1', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'HANDLER_ABORTED',
    });
  });

  test.each([0, 1, 5, 20, 100])('ends a loop when it is aborted after %i ms', async (delay) => {
    const controller = new AbortController();
    const call = run('while (true) {}', {}, { signal: controller.signal });
    setTimeout(() => controller.abort(), delay);
    await expect(call).rejects.toMatchObject({ code: 'HANDLER_ABORTED' });
    expect(await run('return 1')).toBe(1);
  });
});

describe('a pool', () => {
  let pool: HandlerPool;
  afterEach(() => pool.close());

  const job = (body: string, rest: Partial<HandlerJob> = {}): HandlerJob => {
    const program = rest.program ?? hookOf(body);
    const task = { kind: 'call', name: 'tool', hook: 'executeRequest', context: { visible: {}, hidden: [] } } as const;
    return { task, program, timeoutMs: 5000, ...rest };
  };
  const done = (value: unknown) => ({ type: 'done', json: JSON.stringify({ value, changes: {} }) });
  /** Answers `started` once a call's code runs, so that a test can act at that moment. */
  const whenStarted = (body: string, rest: Partial<HandlerJob> = {}) => {
    const { promise: started, resolve } = Promise.withResolvers<void>();
    const outcome = pool.run(job(`console.log('started'); ${body}`, { onLog: () => resolve(), ...rest }));
    return { started, outcome };
  };

  test('moves a call that has not started to another host when its host ends', async () => {
    pool = createHandlerPool({ size: 1 });
    await pool.run(job('return 0'));
    const loop = whenStarted('while (true) {}', { timeoutMs: 300 });
    // Sent after the loop, which the host gets first.
    const behind = pool.run(job('return 1'));
    expect(await loop.outcome).toMatchObject({ type: 'failed', failure: { code: 'HANDLER_TIMEOUT' } });
    expect(await behind).toEqual(done(1));
  });

  test('lets the other calls of a host complete when one times out while it waits', async () => {
    pool = createHandlerPool({ size: 1 });
    const slow = whenStarted('await new Promise((r) => setTimeout(r, 600)); return 2');
    await slow.started;
    expect(await pool.run(job('await new Promise(() => {})', { timeoutMs: 100 }))).toMatchObject({ type: 'failed' });
    expect(await slow.outcome).toEqual(done(2));
  });

  test('does not use a host that is in a loop if it can start another', async () => {
    pool = createHandlerPool({ size: 2 });
    const loop = whenStarted('while (true) {}', { timeoutMs: 15_000 });
    await loop.started;
    // The first call learns that the host does not react; those after it go elsewhere.
    void pool.run(job('return 0'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await Promise.race([pool.run(job('return 1')), loop.outcome])).toEqual(done(1));
  });

  test('gives a program with libraries its own host, and evicts other hosts for it', async () => {
    pool = createHandlerPool({ size: 1 });
    const body = `globalThis.mark = 1; return 1`;
    expect(await pool.run(job(body))).toEqual(done(1));
    const missing = { name: 'left-pad', entry: '/nowhere/left-pad.js', folders: ['/nowhere'] };
    const program = hookOf('return 2', { libraries: [missing] });
    expect(await pool.run(job('', { program }))).toMatchObject({
      type: 'failed',
      failure: { code: 'LIBRARY_MISSING' },
    });
    expect(await pool.run(job('return 3'))).toEqual(done(3));
  });

  test('fails a call that gets no host before its deadline', async () => {
    pool = createHandlerPool({ size: 1 });
    const loop = whenStarted('while (true) {}', { timeoutMs: 2000 });
    await loop.started;
    const library = { name: 'x', entry: '/nowhere/x.js', folders: [] };
    const late = await pool.run(job('', { program: hookOf('', { libraries: [library] }), timeoutMs: 100 }));
    expect(late).toMatchObject({ type: 'failed', failure: { message: 'No handler host became free within 100 ms' } });
  });

  test('ends an idle host', async () => {
    pool = createHandlerPool({ size: 1, idleMs: 30 });
    const marked = job('const before = globalThis.mark; globalThis.mark = 1; return before ?? 0');
    expect(await pool.run(marked)).toEqual(done(0));
    expect(await pool.run(marked)).toEqual(done(1));
    // Asked less often than the host may be idle, it is a new one at some point.
    await expect.poll(() => pool.run(marked), { interval: 100 }).toEqual(done(0));
  });

  test('replaces a host with an uncaught error', async () => {
    pool = createHandlerPool({ size: 1 });
    const marked = job(
      'const before = globalThis.mark; globalThis.mark = 1; Promise.reject(new Error()); return before ?? 0',
    );
    expect(await pool.run(marked)).toEqual(done(0));
    // The rejection is found after the answer was sent, so the host may have got one more call by then.
    await expect.poll(() => pool.run(marked)).toEqual(done(0));
  });

  test('fails only the call with an unhandled rejection', async () => {
    pool = createHandlerPool({ size: 1 });
    const neighbour = whenStarted('await new Promise((r) => setTimeout(r, 200)); return 2');
    await neighbour.started;
    const careless = pool.run(job(`await null; Promise.reject(new Error('left')); await new Promise(() => {})`));
    expect(await careless).toMatchObject({ type: 'failed', failure: { code: 'HANDLER_THREW', message: 'left' } });
    expect(await neighbour.outcome).toEqual(done(2));
  });

  test('kills running calls when it is closed', async () => {
    pool = createHandlerPool({ size: 1 });
    const call = whenStarted('await new Promise(() => {})');
    await call.started;
    await pool.close();
    expect(await call.outcome).toMatchObject({ type: 'lost', cause: 'all hosts were closed' });
  });
});
