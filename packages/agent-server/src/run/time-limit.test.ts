import { expect, it } from 'vitest';
import { createTimeLimit } from './time-limit.ts';

it('is used up at once where no time is left', () => {
  expect(createTimeLimit(0).signal.aborted).toBe(true);
});

it('stands still during a pause, and goes on after it with what was left', async () => {
  const limit = createTimeLimit(30);
  const { promise: wait, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 60);
  expect(await limit.pause(() => wait)).toBeGreaterThanOrEqual(50);
  expect(limit.signal.aborted).toBe(false);
  await new Promise((ended) => limit.signal.addEventListener('abort', ended));
  expect(limit.signal.reason).toMatchObject({ name: 'TimeoutError' });
});
