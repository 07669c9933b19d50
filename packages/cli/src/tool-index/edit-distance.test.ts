import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editDistance } from './edit-distance.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 9 });

describe('editDistance', () => {
  test.each([
    ['price', 'price', 0],
    ['price', 'prices', 1],
    ['price', 'rice', 1],
    ['price', 'prize', 1],
    ['price', 'pirce', 1],
    ['price', 'pirces', 2],
    ['forecast', 'forcats', 2],
  ])('from %s to %s is %i', (left, right, edits) => {
    expect(editDistance(left, right, 2)).toBe(edits);
  });

  test('is what the plain definition gives, as far as it is asked for', () => {
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 4 }), (left, right, most) => {
        const exact = byDefinition(left, right);
        const found = editDistance(left, right, most);
        if (exact <= most) expect(found).toBe(exact);
        else expect(found).toBeGreaterThan(most);
      }),
    );
  });

  test('is the same in both directions', () => {
    fc.assert(
      fc.property(word, word, (left, right) => {
        expect(editDistance(left, right, 9)).toBe(editDistance(right, left, 9));
      }),
    );
  });
});

function byDefinition(left: string, right: string, seen = new Map<string, number>()): number {
  if (left === '' || right === '') return left.length + right.length;
  const key = `${left} ${right}`;
  const known = seen.get(key);
  if (known !== undefined) return known;
  const [tail, otherTail] = [left.slice(1), right.slice(1)];
  const choices = [
    byDefinition(tail, right, seen) + 1,
    byDefinition(left, otherTail, seen) + 1,
    byDefinition(tail, otherTail, seen) + (left[0] === right[0] ? 0 : 1),
  ];
  if (left.length > 1 && right.length > 1 && left[0] === right[1] && left[1] === right[0]) {
    choices.push(byDefinition(left.slice(2), right.slice(2), seen) + 1);
  }
  const least = Math.min(...choices);
  seen.set(key, least);
  return least;
}
