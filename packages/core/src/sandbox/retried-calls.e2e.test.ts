import { afterEach, describe, expect, test } from 'vitest';
import { doneWith, jobOf, jobOfProgram } from './fixtures/pool-job.ts';
import { hookOf, installPackages } from './fixtures/program.ts';
import { createHandlerPool, type HandlerJob, type HandlerPool } from './handler-pool.ts';

let pool: HandlerPool;
afterEach(() => pool.close());

/** Begins a call, and waits until its code runs. */
async function begin(body: string, rest: Partial<HandlerJob> = {}) {
  const { promise: started, resolve } = Promise.withResolvers<void>();
  let runs = 0;
  const onLog = () => {
    runs += 1;
    resolve();
  };
  const outcome = pool.run(jobOf(`console.log('begun'); ${body}`, { onLog, ...rest }));
  await started;
  return { outcome, runs: () => runs };
}

const answer = async () => ({
  url: 'https://api.example',
  status: 200,
  statusText: 'OK',
  headers: {},
  body: Buffer.from('1'),
});

const slow = 'await new Promise((resolve) => setTimeout(resolve, 400)); return 2';
const looping = 'while (true) {}';
const bombing = 'const all = []; while (true) all.push({ x: [1, 2, 3] })';
const bombingBytes = 'const all = []; while (true) all.push(new Uint8Array(1e8).fill(1))';

describe('a call in the host of another one that', () => {
  const late = { type: 'failed', failure: { code: 'HANDLER_TIMEOUT' } };
  const ended = { type: 'lost', cause: expect.stringContaining('memory') };

  test.each([
    ['hangs', looping, late, 2000],
    ['hangs in a pattern', `/^(a+)+$/.test('a'.repeat(40) + 'b')`, late, 2000],
    ['fills the heap', bombing, ended, 30_000],
    ['fills the memory outside of the heap', bombingBytes, { type: expect.stringMatching(/lost|failed/) }, 30_000],
  ])('%s is answered, and only the other one fails', async (_, bad, expected, timeoutMs) => {
    pool = createHandlerPool({ size: 1, memoryMb: 64 });
    const innocent = await begin(slow);
    const neighbour = pool.run(jobOf(bad, { timeoutMs }));
    expect(await innocent.outcome).toEqual(doneWith(2));
    expect(innocent.runs()).toBe(2);
    expect(await neighbour).toMatchObject(expected);
  });

  test('ends the process completes, and only the other one fails', async () => {
    const packages = await installPackages({
      'exits/package.json': '{"name":"exits","type":"module","main":"index.js"}',
      'exits/index.js': 'export const exit = () => process.exit(7);',
    });
    pool = createHandlerPool({ size: 1 });
    const program = hookOf(`console.log('begun'); if (context.exit) libraries.exits.exit(); ${slow}`, {
      libraries: [packages.libraryOf('exits', 'exits/index.js')],
    });
    const innocent = await begin('', { program });
    const neighbour = pool.run(jobOfProgram(program, { exit: true }));
    expect(await innocent.outcome).toEqual(doneWith(2));
    expect(await neighbour).toMatchObject({ type: 'lost', cause: 'it exited with code 7' });
    await packages.remove();
  });

  test('started to hang after it completes, although its own deadline comes first', async () => {
    pool = createHandlerPool({ size: 2 });
    const innocent = await begin(slow, { timeoutMs: 2000 });
    const neighbour = pool.run(jobOf(looping, { timeoutMs: 4000 }));
    expect(await innocent.outcome).toEqual(doneWith(2));
    expect(innocent.runs()).toBe(2);
    expect(await neighbour).toMatchObject({ type: expect.stringMatching(/lost|failed/) });
  });

  test.each(['GET', 'HEAD'])('crashes is retried after a %s request', async (method) => {
    pool = createHandlerPool({ size: 1, memoryMb: 64 });
    const body = `const { status } = await fetch('https://api.example', { method: '${method}' }); ${slow} + status`;
    const innocent = await begin(body, { fetch: answer });
    const neighbour = pool.run(jobOf(bombing));
    expect(await innocent.outcome).toEqual(doneWith(202));
    expect(await neighbour).toMatchObject({ type: expect.stringMatching(/lost|failed/) });
  });

  test('crashes fails after a request with possible side effects', async () => {
    pool = createHandlerPool({ size: 1, memoryMb: 64 });
    const requests: string[] = [];
    const fetch: HandlerJob['fetch'] = async ({ method }) => {
      requests.push(method);
      return answer();
    };
    const innocent = await begin(`await fetch('https://api.example', { method: 'POST' }); ${slow}`, { fetch });
    await expect.poll(() => requests).toEqual(['POST']);
    const neighbour = pool.run(jobOf(bombing));
    expect(await innocent.outcome).toMatchObject({
      type: 'lost',
      cause: expect.stringContaining('memory'),
    });
    expect(requests).toEqual(['POST']);
    await neighbour;
  });
});

describe('a call that computes for long', () => {
  const computing = 'const end = Date.now() + 3500; while (Date.now() < end); return 1';

  test('is not affected by calls that wait for it', async () => {
    pool = createHandlerPool({ size: 1 });
    const long = await begin(computing);
    const behind = pool.run(jobOf('return 2'));
    expect(await long.outcome).toEqual(doneWith(1));
    expect(long.runs()).toBe(1);
    expect(await behind).toEqual(doneWith(2));
  });

  test('blocks others, and all complete', async () => {
    pool = createHandlerPool({ size: 2 });
    const innocents = [await begin(slow), await begin(`1; ${slow}`)];
    const long = pool.run(jobOf(computing));
    expect(await Promise.all(innocents.map(({ outcome }) => outcome))).toEqual([doneWith(2), doneWith(2)]);
    expect(await long).toEqual(doneWith(1));
  });
});

test('a call that ends its host while it is alone there is not retried', async () => {
  pool = createHandlerPool({ size: 2, memoryMb: 64 });
  const bomb = await begin(bombing);
  expect(await bomb.outcome).toMatchObject({ type: expect.stringMatching(/lost|failed/) });
  expect(bomb.runs()).toBe(1);
});
