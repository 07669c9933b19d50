import { expect, test } from 'vitest';
import { killStorm } from '../../fixtures/kill-storm.ts';

// `bench/runs.ts` does the same with more of them.
test('servers that are killed at random lose no run, end each once, and repeat no write', async () => {
  const { problems, runs, known, interruptions, repeated } = await killStorm({ runs: 40, kills: 10 });
  expect(problems).toEqual([]);
  expect(runs).toBeGreaterThanOrEqual(known);
  expect(known).toBeGreaterThan(0);
  expect(interruptions).toBeGreaterThan(0);
  expect(repeated).not.toHaveProperty('POST');
}, 120_000);
