import { afterEach, describe, expect, test } from 'vitest';
import { doneWith, jobOf, jobOfProgram } from './fixtures/pool-job.ts';
import { hookOf, installPackages } from './fixtures/program.ts';
import { createHandlerPool, type HandlerPool } from './handler-pool.ts';

let pool: HandlerPool;
afterEach(() => pool.close());

/** Answers how often it has run in its host before. */
const counting = jobOf('globalThis.count = (globalThis.count ?? -1) + 1; return globalThis.count');

const derive = `
  const key = await crypto.subtle.importKey('raw', new Uint8Array(16), 'PBKDF2', false, ['deriveBits']);
  const work = { name: 'PBKDF2', hash: 'SHA-512', salt: new Uint8Array(8), iterations: 2_000_000_000 };
  for (let i = 0; i < 4; i += 1) crypto.subtle.deriveBits(work, key, 512).catch(() => undefined);`;
const later = (work: string) => `(async () => { for (let i = 0; i < 100; i += 1) await null; ${work} })();`;

describe('lingering work of a call', () => {
  test.each([
    ['a loop', later('for (;;);')],
    ['a loop of promises', later('for (;;) await null;')],
    ['a loop that fills the memory', later('const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1));')],
    ['work in threads', derive],
  ])('ends with its host: %s', async (_, body) => {
    pool = createHandlerPool({ size: 2, memoryMb: 64 });
    const leaving = jobOf(`${body} return 'left';`);
    expect(await pool.run(counting)).toEqual(doneWith(0));
    expect(await pool.run(leaving)).toEqual(doneWith('left'));
    // Where there is only one host, it is a new one that answers this.
    await expect.poll(() => pool.run(counting), { interval: 300 }).toEqual(doneWith(0));
  });

  test('is not attributed to another call', async () => {
    pool = createHandlerPool({ size: 1 });
    expect(await pool.run(jobOf(later('for (;;);')))).toMatchObject({ type: 'done' });
    const begunAt = performance.now();
    expect(await pool.run(counting)).toEqual(doneWith(0));
    expect(performance.now() - begunAt).toBeLessThan(8000);
  });

  test('in threads is not started any more, and does not block other calls', async () => {
    pool = createHandlerPool({ size: 1 });
    const neighbour = jobOf(`
      console.log('begun');
      for (let i = 0; i < 20; i += 1) {
        await crypto.subtle.digest('SHA-256', new Uint8Array(1000));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return 'answered'`);
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const answer = pool.run({ ...neighbour, onLog: () => resolve() });
    await begun;
    expect(await pool.run(jobOf(`${derive} return 'left';`))).toEqual(doneWith('left'));
    expect(await answer).toEqual(doneWith('answered'));
  });

  test('gets no more results of threads, timers and signals', async () => {
    pool = createHandlerPool({ size: 1 });
    const program = hookOf(`
      if (context.look) return globalThis.heard;
      globalThis.heard = [];
      const hear = (what) => () => globalThis.heard.push(what);
      AbortSignal.timeout(1).addEventListener('abort', hear('signal'));
      setTimeout(hear('timer'), 1);
      crypto.subtle.digest('SHA-256', new Uint8Array(1000)).then(hear('thread'));`);
    await pool.run(jobOfProgram(program));
    // Timers and threads of a later call, which end after those of the first one would have.
    const after = jobOf(`
      await new Promise((resolve) => setTimeout(resolve, 20));
      for (let i = 0; i < 20; i += 1) await crypto.subtle.digest('SHA-256', new Uint8Array(100_000));`);
    expect(await pool.run(after)).toMatchObject({ type: 'done' });
    expect(await pool.run(jobOfProgram(program, { look: true }))).toEqual(doneWith([]));
  });

  test('of a library ends with its host when that has been idle', async () => {
    const packages = await installPackages({
      'busy/package.json': '{"name":"busy","type":"module","main":"index.js"}',
      'busy/index.js': `
        const work = () => { for (const end = Date.now() + 90; Date.now() < end; ); };
        export const begin = () => { setInterval(work, 100); return process.pid; };`,
    });
    pool = createHandlerPool({ size: 1, idleMs: 1000 });
    const program = hookOf('return libraries.busy.begin()', {
      libraries: [packages.libraryOf('busy', 'busy/index.js')],
    });
    const pid = answerOf(await pool.run(jobOfProgram(program)));
    expect(isRunning(pid)).toBe(true);
    await expect.poll(() => isRunning(pid)).toBe(false);
    await packages.remove();
  });
});

test('an idle host that reacts stays', async () => {
  pool = createHandlerPool({ size: 1 });
  expect(await pool.run(counting)).toEqual(doneWith(0));
  // Longer than it takes to ask an idle host whether it still reacts.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(await pool.run(counting)).toEqual(doneWith(1));
});

function answerOf(outcome: Awaited<ReturnType<HandlerPool['run']>>): number {
  if (outcome.type !== 'done') throw new Error(outcome.type);
  return JSON.parse(outcome.json).value;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // It is gone.
  }
}
