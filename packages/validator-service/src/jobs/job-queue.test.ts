import { expect, it } from 'vitest';
import { gate } from '../../fixtures/service.ts';
import { createJobQueue } from './job-queue.ts';

const problemWith = (code: string) =>
  expect.objectContaining({
    problem: expect.objectContaining({ status: 503, findings: [expect.objectContaining({ code })] }),
  });

it('refuses jobs when too many wait', async () => {
  const { opened, open } = gate();
  const queue = createJobQueue({ maxRunning: 2, maxWaiting: 3 });
  const jobs = Array.from({ length: 5 }, () => queue.run(() => opened));
  await expect(queue.run(() => opened)).rejects.toEqual(problemWith('SVC051'));
  expect([queue.running, queue.waiting]).toEqual([2, 3]);
  open();
  await Promise.all(jobs);
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
});

it('never runs more jobs than allowed, and a job that fails makes room', async () => {
  const queue = createJobQueue({ maxRunning: 3, maxWaiting: 100 });
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, queue.running);
    await new Promise(setImmediate);
    throw new Error('failed');
  };
  await Promise.allSettled(Array.from({ length: 50 }, () => queue.run(work)));
  await expect(queue.run(work)).rejects.toThrow('failed');
  expect(most).toBe(3);
});

it('refuses what waits when it closes, and aborts what does not end in time', async () => {
  const queue = createJobQueue({ maxRunning: 1, maxWaiting: 10 });
  const running = queue.run(async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    signal.throwIfAborted();
  });
  const waiting = queue.run(async () => 'never');
  const refused = [running, waiting].map((job) => expect(job).rejects.toEqual(problemWith('SVC052')));
  await queue.close(10);
  await Promise.all(refused);
  await expect(queue.run(async () => 'late')).rejects.toEqual(problemWith('SVC052'));
});

it('who waits moves up when another leaves', async () => {
  const { opened, open } = gate();
  const queue = createJobQueue({ maxRunning: 1, maxWaiting: 10 });
  const leaving = new AbortController();
  const places: number[] = [];
  const running = queue.run(() => opened);
  const left = expect(queue.run(() => opened, { signal: leaving.signal })).rejects.toThrow('left');
  const last = queue.run(() => opened, { onPlace: (place) => places.push(place) });
  leaving.abort(new Error('left'));
  await left;
  expect(places).toEqual([2, 1]);
  open();
  await Promise.all([running, last]);
});

it('an owner with many jobs does not hold up the others', async () => {
  const queue = createJobQueue({ maxRunning: 1, maxWaiting: 100 });
  const done: string[] = [];
  const places: number[] = [];
  const job = (owner: string, onPlace?: (place: number) => void) =>
    queue.run(async () => void done.push(owner), { owner, ...(onPlace && { onPlace }) });
  const many = Array.from({ length: 4 }, (_, index) =>
    job('one', index === 2 ? (place) => places.push(place) : undefined),
  );
  await Promise.all([...many, job('other'), job('third'), job('other')]);
  expect(done).toEqual(['one', 'other', 'third', 'one', 'other', 'one', 'one']);
  // It came second, was overtaken by those who had not had a turn, and moved up.
  expect(places).toEqual([2, 3, 4, 5, 4, 3, 2, 1]);
});
