import { nearestWord as nearestOfLibrary } from '@schemakit/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearestWord } from './nearest-word.ts';

test('gives what the library gives', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcAB_1é'), maxLength: 9 });
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 8 }), (text, candidates) => {
      expect(nearestWord(text, candidates)).toBe(nearestOfLibrary(text, candidates));
    }),
    { numRuns: 500 },
  );
  expect(nearestWord('a'.repeat(101), ['a'.repeat(101)])).toBe(nearestOfLibrary('a'.repeat(101), ['a'.repeat(101)]));
});
