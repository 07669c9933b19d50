import { describe, expect, it } from 'vitest';
import { defaultAnswerSchema } from './built-in-tools.ts';
import { createValueCheck } from './check-value.ts';

const query = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };

describe('a check of values', () => {
  it('checks each value anew, however large those before were', () => {
    const check = createValueCheck(query);
    expect(check({ query: 'x'.repeat(1_000_000) })).toEqual([]);
    expect(check({ query: 'short' })).toEqual([]);
    expect(check({ query: 7 })).toEqual(['$.query must be string, and is number']);
  });

  it('checks a thousand answers', () => {
    const check = createValueCheck(defaultAnswerSchema);
    const sources = Array.from({ length: 5 }, (_, id) => ({ id, tool: 'search', query: 'tomatoes', insight: 'Red.' }));
    const answer = { title: 'Tomatoes', analysis: 'x'.repeat(2000), keyFindings: ['Red.', 'Round.'], sources };
    for (let run = 0; run < 1000; run += 1) expect(check(answer)).toEqual([]);
    expect(check({ ...answer, sources: [{ ...sources[0], id: 'one' }] })).toEqual([
      '$.sources[0].id must be number, and is string',
    ]);
  });

  it('says what cannot be checked', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100; level += 1) deep = [deep];
    const lists = { type: 'array', items: { $ref: '#' } };
    expect(createValueCheck(lists)(deep)).toEqual(['$ is too large or too deep to check']);
    const circle: unknown[] = [];
    circle.push(circle);
    expect(createValueCheck(lists)(circle)[0]).toContain('$ is not JSON');
  });

  it('leaves out patterns that do not run in linear time', () => {
    const check = createValueCheck({ type: 'string', pattern: '^(?!a)b', maxLength: 5 });
    expect(check('bcd')).toEqual([]);
    expect(check('abcdefg')).toHaveLength(1);
  });
});
