import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAnswerPlace, lengthOf, putAnswer, writeApart } from './answer-apart.ts';

const data = fc.jsonValue();
const outcome = fc.record({
  value: fc.oneof(
    data,
    fc.record({ response: data, kept: data }, { requiredKeys: [] }),
    fc.record({ struct: fc.record({ data, status: fc.boolean() }, { requiredKeys: [] }), payload: data }),
  ),
  changes: fc.record({ data, messages: data }, { requiredKeys: [] }),
});

describe('an answer that is written apart', () => {
  test('put back gives what the hook did, and counts as the whole', () => {
    fc.assert(
      fc.property(outcome, (did) => {
        const { json, answer } = writeApart(did, JSON.stringify);
        const read = JSON.parse(json);
        if (answer !== undefined) expect(putAnswer(read, answer.place, JSON.parse(answer.json))).toBe(true);
        const whole = JSON.stringify(did);
        expect(JSON.stringify(read)).toBe(whole);
        expect(lengthOf({ json, ...(answer && { answer }) })).toBe(whole.length);
      }),
    );
  });

  test('changes nothing of what the hook did', () => {
    const did = Object.freeze({ value: Object.freeze({ response: Object.freeze([1]) }), changes: Object.freeze({}) });
    expect(writeApart(did, JSON.stringify)).toEqual({
      json: '{"value":{"response":null},"changes":{}}',
      answer: { place: 'response', json: '[1]' },
    });
  });

  test.each([
    ['no object', 5],
    ['null', null],
    ['a list', []],
    ['an object without one', {}],
    ['a value that is a list', { value: [] }],
    ['a value that is text', { value: 'text', changes: 'text' }],
  ])('is put nowhere where what a host sent is %s', (_, sent) => {
    const before = JSON.stringify(sent);
    for (const place of ['response', 'struct', 'changes'] as const) expect(putAnswer(sent, place, 1)).toBe(false);
    expect(JSON.stringify(sent)).toBe(before);
  });

  test.each(['value', '__proto__', 'toString', '', 1, null, undefined, ['response']])('has no place %o', (place) => {
    expect(isAnswerPlace(place)).toBe(false);
  });
});
