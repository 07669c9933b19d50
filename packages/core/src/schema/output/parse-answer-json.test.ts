import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAnswerJson } from './parse-answer-json.ts';

test('an integer that is too large for a number keeps its digits, at any position', () => {
  const digits = fc
    .tuple(fc.constantFrom('9', '-9'), fc.stringMatching(/^[0-9]{15,19}$/))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.nat(40), digits, fc.array(fc.integer()), (offset, number, others) => {
      const text = `${' '.repeat(offset)}[${[number, ...others].join(',')}]`;
      const [first, ...rest] = parseAnswerJson(text) as unknown[];
      expect(first).toBe(Number.isSafeInteger(Number(number)) ? Number(number) : number);
      expect(rest).toEqual(others);
    }),
  );
});

test('digits in text and long amounts are not changed', () => {
  const text = '{"a":"12345678901234567890","b":123456789012345678901234567890,"c":1234567890123456.5}';
  expect(parseAnswerJson(text)).toEqual(JSON.parse(text));
});
