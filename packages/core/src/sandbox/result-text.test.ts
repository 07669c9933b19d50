import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { insertAnswer, isAnswerPath, lengthOf, splitResult } from './result-text.ts';

const data = fc.jsonValue();
const outcome = fc.record({
  value: fc.oneof(
    data,
    fc.record({ response: data, kept: data }, { requiredKeys: [] }),
    fc.record({ struct: fc.record({ data, status: fc.boolean() }, { requiredKeys: [] }), payload: data }),
  ),
  changes: fc.record({ data, messages: data }, { requiredKeys: [] }),
});

describe('the result of a hook with its answer split off', () => {
  test('is the same after the answer is inserted, and has the same length', () => {
    fc.assert(
      fc.property(outcome, (did) => {
        const { json, answer } = splitResult(did, JSON.stringify);
        const read = JSON.parse(json);
        if (answer !== undefined) expect(insertAnswer(read, answer.path, JSON.parse(answer.json))).toBe(true);
        const whole = JSON.stringify(did);
        expect(JSON.stringify(read)).toBe(whole);
        expect(lengthOf({ json, ...(answer && { answer }) })).toBe(whole.length);
      }),
    );
  });

  test('is not changed', () => {
    const did = Object.freeze({ value: Object.freeze({ response: Object.freeze([1]) }), changes: Object.freeze({}) });
    expect(splitResult(did, JSON.stringify)).toEqual({
      json: '{"value":{"response":null},"changes":{}}',
      answer: { path: 'response', json: '[1]' },
    });
  });

  test.each([
    ['no object', 5],
    ['null', null],
    ['a list', []],
    ['an object without one', {}],
    ['a value that is a list', { value: [] }],
    ['a value that is text', { value: 'text', changes: 'text' }],
  ])('takes no answer if it is %s', (_, sent) => {
    const before = JSON.stringify(sent);
    for (const path of ['response', 'struct', 'changes'] as const) expect(insertAnswer(sent, path, 1)).toBe(false);
    expect(JSON.stringify(sent)).toBe(before);
  });

  test.each(['value', '__proto__', 'toString', '', 1, null, undefined, ['response']])(
    '%o is no path of an answer',
    (path) => {
      expect(isAnswerPath(path)).toBe(false);
    },
  );
});
