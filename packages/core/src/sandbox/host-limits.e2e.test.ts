import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { doneWith, jobOf, jobOfProgram } from './fixtures/pool-job.ts';
import { hookOf, installPackages, programOf } from './fixtures/program.ts';
import { createHandlerPool, type HandlerPool } from './handler-pool.ts';

let pool: HandlerPool;
afterEach(() => pool.close());

/** Process ids of the hosts that this process has now. */
function hostsNow(): number[] {
  const threads = readdirSync('/proc/self/task');
  const children = threads.flatMap((thread) => readFileSync(`/proc/self/task/${thread}/children`, 'latin1').split(' '));
  return children.map(Number).filter((pid) => pid > 0 && commandOf(pid).includes('handler-process'));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return ''; // It has just ended.
  }
}

describe.skipIf(process.platform !== 'linux')('hosts', () => {
  test('are started by the first call, up to the limit', async () => {
    pool = createHandlerPool({ size: 2 });
    expect(hostsNow()).toEqual([]);
    const packages = await installPackages({
      'one/package.json': '{"name":"one","main":"index.cjs"}',
      'one/index.cjs': 'exports.one = 1;',
    });
    const library = packages.libraryOf('one', 'one/index.cjs');
    const wait = 'await new Promise((resolve) => setTimeout(resolve, 20));';
    const calls = Array.from({ length: 40 }, (_, turn) =>
      turn % 4 === 0
        ? pool.run(jobOfProgram(hookOf(`${wait} return libraries.one.one`, { libraries: [library] })))
        : pool.run(jobOf(`${wait} return ${turn % 4}`)),
    );
    const seen: number[] = [];
    const timer = setInterval(() => seen.push(hostsNow().length), 10);
    const outcomes = await Promise.all(calls);
    clearInterval(timer);
    expect(outcomes).toEqual(calls.map((_, turn) => doneWith(turn % 4 === 0 ? 1 : turn % 4)));
    // One that is being ended may still be there for a moment.
    expect(Math.max(...seen)).toBeLessThanOrEqual(3);
    expect(Math.max(...seen)).toBeGreaterThan(0);
    await packages.remove();
  });

  test('end when they have been idle', async () => {
    pool = createHandlerPool({ idleMs: 50 });
    await pool.run(jobOf('return 1'));
    expect(hostsNow()).toHaveLength(1);
    await expect.poll(hostsNow).toEqual([]);
  });

  test('of a schema with streams run no other schema', async () => {
    pool = createHandlerPool({ size: 4 });
    const libraries = [{ name: 'stream', entry: '', folders: [] }];
    const mark = `'a'; const { promises } = libraries.stream; const before = promises.mark; promises.mark = 1; return [before]`;
    const calls = [mark, mark.replace('a', 'b'), mark].map((body) =>
      pool.run(jobOfProgram(hookOf(body, { libraries }))),
    );
    expect(await Promise.all(calls)).toEqual([doneWith([null]), doneWith([null]), doneWith([1])]);
  });

  test('of a schema with packages run no other schema', async () => {
    const packages = await installPackages({
      'host-id/package.json': '{"name":"host-id","type":"module","main":"index.js"}',
      'host-id/index.js': 'export const id = process.pid;',
    });
    pool = createHandlerPool({ size: 4 });
    const libraries = [packages.libraryOf('host-id', 'host-id/index.js')];
    const ids = ['first', 'second', 'first'].map((name) =>
      pool.run(jobOfProgram(hookOf(`/* */ '${name}'; return libraries['host-id'].id`, { libraries }))),
    );
    const [first, second, again] = (await Promise.all(ids)).map((outcome) => JSON.stringify(outcome));
    expect(first).not.toBe(second);
    expect(again).toBe(first);
    await packages.remove();
  });
});

test('a host with a busy thread is replaced, and its calls complete', async () => {
  pool = createHandlerPool({ size: 4 });
  const waiting = hookOf(
    `console.log('begun'); await new Promise((resolve) => setTimeout(resolve, 1000)); return 'answered'`,
  );
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const answer = pool.run(jobOfProgram(waiting, {}, { onLog: () => resolve() }));
  await begun;
  await pool.run(
    jobOf(`
      const key = await crypto.subtle.importKey('raw', new Uint8Array(16), 'PBKDF2', false, ['deriveBits']);
      const work = { name: 'PBKDF2', hash: 'SHA-512', salt: new Uint8Array(8), iterations: 2_000_000_000 };
      crypto.subtle.deriveBits(work, key, 512).catch(() => undefined);`),
  );
  expect(await answer).toEqual(doneWith('answered'));
  expect(await pool.run(jobOf('return 1'))).toEqual(doneWith(1));
  expect(await pool.run(jobOfProgram(waiting))).toEqual(doneWith('answered'));
  await expect.poll(() => hostsNow().length).toBe(1);
});

test('a host that has grown is replaced between calls, and no call fails', async () => {
  pool = createHandlerPool({ size: 1, memoryMb: 64 });
  const keeping = programOf(`
    const kept = [];
    const handlers = () => ({ tool: { executeRequest: async () => kept.push(new Uint8Array(20 * 1024 * 1024).fill(1)) } });`);
  const counts: number[] = [];
  const call = async () => {
    const outcome = await pool.run(jobOfProgram(keeping));
    expect(outcome).toMatchObject({ type: 'done' });
    counts.push(JSON.parse((outcome as { json: string }).json).value);
    return counts;
  };
  // Ten calls keep more than the limit; the eleventh finds a new host at the latest.
  await expect.poll(call, { interval: 300 }).toSatisfy((seen: number[]) => seen.lastIndexOf(1) > 0);
  expect(counts.length).toBeLessThan(12);
});
