import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearestWord } from './nearest-word.ts';

describe('the word that was meant', () => {
  test.each([
    ['descripton', 'description'],
    ['nmae', 'name'],
    ['tag', 'tags'],
    ['Root', 'root'],
    ['requiredServerParam', 'requiredServerParams'],
    ['haeders', 'headers'],
  ])('%s is read as %s', (word, meant) => {
    const known = ['name', 'description', 'root', 'tags', 'headers', 'requiredServerParams'];
    expect(nearestWord(word, known)).toBe(meant);
  });

  test('is the nearest of several', () => {
    expect(nearestWord('getPrices', ['getPrice', 'getPrize', 'getTicks'])).toBe('getPrice');
  });

  test.each(['a', 'q', 'id', 'x1', ''])('is not guessed for %j', (word) => {
    expect(nearestWord(word, ['b', 'it', 'ids', 'qs', 'x'])).toBeUndefined();
  });

  test('may differ in capitals, however short it is', () => expect(nearestWord('ID', ['url', 'id'])).toBe('id'));

  test('is not guessed if more than a third of the letters differ', () => {
    expect(nearestWord('cat', ['dog', 'car', 'bar'])).toBe('car');
    expect(nearestWord('baseUrl', ['root', 'headers'])).toBeUndefined();
  });
});

test('any word with one mistake is found', () => {
  const words = fc.stringMatching(/^[a-z]{4,20}$/);
  fc.assert(
    fc.property(words, fc.nat(), (word, at) => {
      const place = at % word.length;
      expect(nearestWord(word.slice(0, place) + word.slice(place + 1), [word])).toBe(word);
    }),
  );
});

test('a long word is not compared', () => {
  const long = 'x'.repeat(100_000);
  expect(nearestWord(long, [`${long}y`])).toBeUndefined();
});
