import { expect, test } from 'vitest';
import { createValueCheck } from './check-value.ts';

test('a value that fits does so however often it is checked', () => {
  const check = createValueCheck({ type: 'object', properties: { query: { type: 'string' } }, required: ['query'] });
  for (let time = 0; time < 60_000; time += 1) if (check({ query: 'Go' }).length > 0) expect(time).toBe('never');
  expect(check({ query: 7 })).toEqual(['$.query must be string, and is number']);
});
