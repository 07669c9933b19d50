import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitChunks, splitWords } from './split-words.ts';

describe('splitWords', () => {
  test.each([
    ['simplePrice', ['simple', 'price']],
    ['get_price_now', ['get', 'price', 'now']],
    ['HTTPServerList', ['http', 'server', 'list']],
    ['open-meteo/tool/forecast', ['open', 'meteo', 'tool', 'forecast']],
    ['erc20Balance v3', ['erc20', 'balance', 'v3']],
    ['Übersicht für Zürich', ['ubersicht', 'fur', 'zurich']],
    ['price price PRICE', ['price']],
    ['c++ "OR" *', ['c', 'or']],
    ['rocket 🚀', ['rocket', '🚀']],
    ['', []],
  ])('of %j are %j', (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  test('of any text have no spaces, no capitals and no end of length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const word of splitWords(text)) {
          expect(word).toMatch(/^\S{1,64}$/u);
          expect(word).toBe(word.toLowerCase());
        }
      }),
    );
  });

  test('are the same when they are split again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const words = splitWords(text);
        expect(splitWords(words.join(' '))).toEqual(words);
      }),
    );
  });
});

test('a chunk is known as a whole and by its words', () => {
  expect(splitChunks('coinGecko API')).toEqual([
    { whole: 'coingecko', words: ['coin', 'gecko'] },
    { whole: 'api', words: ['api'] },
  ]);
});
